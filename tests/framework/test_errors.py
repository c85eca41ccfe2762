"""Errors: codes and classes as in TensorFlow 2.21, text derived from fields, and nodes attached."""

from __future__ import annotations

import pickle
import traceback
from types import SimpleNamespace

import pytest

from featherflow.framework import errors

# class → name and number of its code
RECORDED = {
    "CancelledError": ("CANCELLED", 1),
    "UnknownError": ("UNKNOWN", 2),
    "InvalidArgumentError": ("INVALID_ARGUMENT", 3),
    "DeadlineExceededError": ("DEADLINE_EXCEEDED", 4),
    "NotFoundError": ("NOT_FOUND", 5),
    "AlreadyExistsError": ("ALREADY_EXISTS", 6),
    "PermissionDeniedError": ("PERMISSION_DENIED", 7),
    "ResourceExhaustedError": ("RESOURCE_EXHAUSTED", 8),
    "FailedPreconditionError": ("FAILED_PRECONDITION", 9),
    "AbortedError": ("ABORTED", 10),
    "OutOfRangeError": ("OUT_OF_RANGE", 11),
    "UnimplementedError": ("UNIMPLEMENTED", 12),
    "InternalError": ("INTERNAL", 13),
    "UnavailableError": ("UNAVAILABLE", 14),
    "DataLossError": ("DATA_LOSS", 15),
    "UnauthenticatedError": ("UNAUTHENTICATED", 16),
}


class _MatMul:
    """An operation as errors see it."""

    type = "MatMul"

    def __init__(self, name="layer/MatMul", frames=(("model.py", 41, "encode"),)):
        self.name = name
        self.node_def = SimpleNamespace(name=name)
        self.traceback = [traceback.FrameSummary("main.py", 7, "<module>", line="")] * bool(frames)
        self.traceback += [traceback.FrameSummary(*frame, line="") for frame in frames]


def _shape_error(op=None):
    return errors.InvalidArgumentError(
        None,
        op,
        "Inner sizes differ.",
        received="[2,3] and [4,5]",
        expected="columns of a = rows of b",
        remedy="Transpose b?",
    )


@pytest.mark.parametrize(("class_name", "code"), RECORDED.items(), ids=list(RECORDED))
def test_classes_and_codes(class_name, code):
    error_type = getattr(errors, class_name)
    code_name, number = code
    assert getattr(errors, code_name) == number
    assert issubclass(error_type, errors.OpError)
    assert not issubclass(error_type, (ValueError, TypeError, StopIteration))
    assert errors.exception_type_from_error_code(number) is error_type
    assert errors.error_code_from_exception_type(error_type) == number
    error = error_type(None, None, "message")
    assert (error.error_code, error.message, str(error)) == (number, "message", "message")
    assert (error.op, error.node, error.node_def, error.experimental_payloads) == (
        *(None, None, None),
        {},
    )


def test_codes_without_a_class():
    assert errors.OK == 0
    for code in (0, 17, 99):
        with pytest.raises(KeyError):
            errors.exception_type_from_error_code(code)
    assert errors.error_code_from_exception_type(ValueError) == errors.UNKNOWN


def test_op_error_needs_a_code():
    assert errors.OpError(None, None, "message", 3).error_code == 3
    with pytest.raises(TypeError, match="error_code"):
        errors.OpError(None, None, "message")
    with pytest.raises(TypeError, match="message"):
        errors.InvalidArgumentError("message alone")


def test_payloads():
    error = errors.AbortedError(None, None, "message", {"key": b"value"})
    assert error.experimental_payloads == {"key": b"value"}


def test_errors_of_building_graphs():
    assert issubclass(errors.OperatorNotAllowedInGraphError, TypeError)
    assert issubclass(errors.InaccessibleTensorError, ValueError)


def test_text_is_derived_from_the_fields():
    assert str(_shape_error()) == (
        "Inner sizes differ. Received [2,3] and [4,5]; expected columns of a = rows of b. "
        "Transpose b?"
    )


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "Wrong"),
        ({"received": 0}, "Wrong. Received 0."),
        ({"expected": "a file."}, "Wrong. Expected a file."),
        ({"remedy": "Do this."}, "Wrong. Do this."),
        ({"received": "x", "remedy": "Do this."}, "Wrong. Received x. Do this."),
    ],
)
def test_fields_may_be_missing(fields, text):
    assert str(errors.InternalError(None, None, "Wrong", **fields)) == text


def test_attached_node_is_named_with_the_users_line():
    error, op = _shape_error(), _MatMul()
    assert error.attach(op) is error
    assert error.op is op and error.node_def is op.node_def
    assert error.node == errors.FailedNode("MatMul", "layer/MatMul", "model.py:41 in encode()")
    assert str(error) == (
        "MatMul 'layer/MatMul': Inner sizes differ. Received [2,3] and [4,5]; expected columns of "
        "a = rows of b. Transpose b? Created at model.py:41 in encode()"
    )


def test_node_given_to_the_constructor_is_attached():
    op = _MatMul(frames=[("model.py", 3, "<module>")])
    assert str(errors.NotFoundError(None, op, "No kernel")) == (
        "MatMul 'layer/MatMul': No kernel. Created at model.py:3"
    )
    node_def = SimpleNamespace(name="given")
    assert errors.NotFoundError(node_def, op, "No kernel").node_def is node_def


def test_node_without_lines_or_name():
    assert str(errors.InternalError(None, _MatMul(frames=()), "Wrong")) == (
        "MatMul 'layer/MatMul': Wrong"
    )
    assert str(errors.InternalError(None, _MatMul(name="", frames=()), "Wrong")) == "MatMul: Wrong"


def test_innermost_node_stays():
    inner, outer = _MatMul("inner"), _MatMul("outer")
    assert _shape_error(inner).attach(outer).op is inner


def test_errors_cross_process_boundaries_without_their_graph():
    error = _shape_error(_MatMul())
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is errors.InvalidArgumentError
    assert str(copied) == str(error)
    assert (copied.received, copied.node, copied.args) == (error.received, error.node, error.args)
    assert copied.op is None and copied.node_def is None
    assert copied.attach(_MatMul("other")).node == error.node
