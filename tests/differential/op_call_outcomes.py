"""Makes one call of an op on TensorFlow or featherflow and says what came of it.

An outcome is JSON: an error's class and stage, or the dtype, static shape and value of each output,
and of the gradient with respect to each fed input. Of large outputs every n-th element is kept,
and the shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import compare
from .capture import Outcome, Output, as_array, public_class, static_shape
from .op_calls import Argument, Call, Value
from .storage import outcome_from_json

#: More elements of one output than these are thinned out.
KEPT = 40

#: Applies an op by name: `apply(name, arguments, attrs)` returns its outputs, however nested.
Apply = Callable[[str, list[Any], dict[str, Any]], Any]


def make_call(tf: Any, call: Call, apply: Apply, session: Callable[[Any], Any]) -> Outcome:
    """Builds a graph of the one op and runs it; every exception becomes the outcome's error."""
    stage = "build"
    try:
        graph = tf.Graph()
        with graph.as_default():
            feeds: dict[Any, np.ndarray] = {}
            arguments = [_tensors(tf, argument, call.static, feeds) for argument in call.arguments]
            outputs = _flat(apply(call.op, arguments, dict(call.attrs)), tf.Tensor)
            fetches = dict(_named([_plain(tf, output) for output in outputs], "output"))
            if call.differentiated:
                fetches.update(_gradients(tf, outputs, list(feeds)))
            described = {
                name: Output(_dtype_name(tensor), static_shape(tensor))
                for name, tensor in fetches.items()
            }
            stage = "run"
            with session(graph) as running:
                for name, value in running.run(fetches, feeds).items():
                    array = as_array(value)
                    described[name].values.append(thinned(array))
                    if array.size > KEPT:
                        described[f"{name}/shape"] = Output(literal=list(array.shape))
    except Exception as error:  # whatever it is, it is the answer
        return Outcome(error=public_class(tf, error), stage=stage, raised=error)
    return Outcome(described)


def _plain(tf: Any, tensor: Any) -> Any:
    """A quantised tensor as the integers that it is stored as."""
    if not tensor.dtype.is_quantized:
        return tensor
    return tf.bitcast(tensor, tensor.dtype.name.removeprefix("q"))


def _dtype_name(tensor: Any) -> str:
    return tensor.dtype.base_dtype.name


def thinned(array: np.ndarray) -> np.ndarray:
    """The array, or every n-th element of a large one."""
    return array if array.size <= KEPT else array.reshape(-1)[:: -(-array.size // KEPT)]


def _tensors(tf: Any, argument: Argument, static: str, feeds: dict[Any, np.ndarray]) -> Any:
    if isinstance(argument, list):
        return [_tensor(tf, value, static, feeds) for value in argument]
    return _tensor(tf, argument, static, feeds)


def _tensor(tf: Any, value: Value, static: str, feeds: dict[Any, np.ndarray]) -> Any:
    if value.constant:
        return tf.constant(value.array)
    dims: Any = list(value.array.shape)
    if static == "unknown":
        dims = None
    elif static == "partial" and dims:
        dims[0] = None
    tensor = tf.placeholder(tf.as_dtype(value.array.dtype), dims)
    feeds[tensor] = value.array.copy()  # some ops of TensorFlow change it
    return tensor


def _flat(result: Any, tensor: type) -> list[Any]:
    if isinstance(result, tensor):
        return [result]
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in _flat(item, tensor)]
    return []


def _named(tensors: list[Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for place, tensor in enumerate(tensors):
        if tensor is not None:
            yield f"{prefix}{place}", tensor


def _gradients(tf: Any, outputs: list[Any], inputs: list[Any]) -> Iterator[tuple[str, Any]]:
    """Gradients of the outputs' sum with weights that differ from element to element."""
    ys = [y for y in outputs if y.dtype.is_floating or y.dtype.is_complex]
    xs = [x for x in inputs if x.dtype.is_floating or x.dtype.is_complex]
    if not ys or not xs:
        return
    weights = [tf.cast(tf.cos(tf.cast(_places(tf, y), tf.float64)), y.dtype) for y in ys]
    found = tf.gradients(ys, xs, weights)
    grads = [None if grad is None else tf.convert_to_tensor(grad) for grad in found]
    yield from _named(grads, "gradient")


def _places(tf: Any, tensor: Any) -> Any:
    return tf.reshape(tf.range(tf.size(tensor)), tf.shape(tensor))


# --- comparison -----------------------------------------------------------------------------------


def differences(actual: Outcome, row: dict[str, Any], tolerances: dict[str, float]) -> list[str]:
    """What differs from the recorded row, in words."""
    expected = outcome_from_json(row)
    if expected.error is not None:
        return compare.differences(actual, expected)
    if actual.error is not None:
        return [f"raised {actual.raised!r} at {actual.stage}"]
    found = []
    for name, wanted in expected.outputs.items():
        if name not in actual.outputs:
            found.append(f"{name} is missing")
            continue
        tolerance = tolerances.get(wanted.dtype or "")
        output = actual.outputs[name]
        if name.startswith("gradient") and refines(output.static_shape, wanted.static_shape):
            wanted.static_shape = output.static_shape
        found.extend(
            compare.differences(Outcome({name: output}), Outcome({name: wanted}, tolerance))
        )
    extra = actual.outputs.keys() - expected.outputs.keys()
    return found + [f"TensorFlow has no {name}" for name in sorted(extra)]


def refines(ours: list[int | None] | None, theirs: list[int | None] | None) -> bool:
    """Whether our static shape of a gradient knows all that TensorFlow's does, or more."""
    if theirs is None or ours is None:
        return theirs is None
    pairs = zip(ours, theirs)
    return len(ours) == len(theirs) and all(b is None or a == b for a, b in pairs)
