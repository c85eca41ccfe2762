"""Python functions in a graph: py_func, numpy_function and py_function.

A node names its function by a token. The functions are kept here for as long as the graph that
calls them lives; a graph that is read from a file finds none and cannot run them.
"""

from __future__ import annotations

import functools
import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework import dispatch, dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import (
    InvalidArgumentError,
    NotFoundError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import unknown_shapes
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph

# --- tokens ---------------------------------------------------------------------------------------

_counter = itertools.count()
_lock = threading.Lock()
_functions: weakref.WeakValueDictionary[str, _Registered] = weakref.WeakValueDictionary()


class _Registered:
    """A function under a token; graphs hold it alive, the table above does not."""

    __slots__ = ("__weakref__", "function")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function


def register(function: Callable[..., Any]) -> str:
    """A token for `function`, good as long as the default graph lives."""
    registered = _Registered(function)
    with _lock:
        token = f"pyfunc_{next(_counter)}"
        _functions[token] = registered
    graph = get_default_graph()
    graph.__dict__.setdefault("_python_functions", []).append(registered)
    return token


def function_of(token: str) -> Callable[..., Any]:
    registered = _functions.get(token)
    if registered is None:
        raise NotFoundError(
            None,
            None,
            f"No Python function is registered as '{token}'",
            remedy="Python functions are not stored with a graph: build the graph in this process.",
        )
    return registered.function


# --- calls ----------------------------------------------------------------------------------------

#: The errors of nodes whose functions raise these.
_CODES = (
    (TypeError, InvalidArgumentError),
    (ValueError, InvalidArgumentError),
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
)


def call(token: str, inputs: Sequence[Any], dtypes_out: Sequence[DType]) -> list[Any]:
    """Calls a registered function and checks what it returns.

    Raises:
      InvalidArgumentError: it returns other numbers of values, or other dtypes, than the node says.
      OpError: the function raised something, which is the cause.
    """
    function = function_of(token)
    try:
        result = function(*inputs)
    except Exception as error:
        raise as_python_error(error) from error
    return _results(token, result, dtypes_out)


def as_python_error(error: Exception) -> OpError:
    found = (op_error for kind, op_error in _CODES if isinstance(error, kind))
    op_error: Any = next(found, UnknownError)
    return op_error(None, None, f"{type(error).__name__}: {error}")


def _results(token: str, result: Any, wanted: Sequence[DType]) -> list[Any]:
    if result is None:
        values: list[Any] = []
    elif isinstance(result, (list, tuple)):
        values = list(result)
    else:
        values = [result]
    check_count(token, len(values), len(wanted))
    return [_as_array(token, *row) for row in zip(range(len(values)), values, wanted)]


def check_count(token: str, count: int, wanted: int) -> None:
    if count != wanted:
        raise InvalidArgumentError(
            None,
            None,
            f"{token} returns {count} values, but expects to see {wanted} values",
            remedy="Let the function return a list or tuple with a value for each of Tout.",
        )


def _as_array(token: str, index: int, value: Any, wanted: DType) -> np.ndarray:
    if wanted is dtypes.string:
        return _strings(value)
    array = np.asarray(value)
    if array.dtype != wanted.numpy_dtype:
        raise InvalidArgumentError(
            None,
            None,
            f"{index}-th value returned by {token} is {array.dtype}, but expects {wanted.name}",
            remedy=f"Let the function return .astype(np.{wanted.numpy_dtype}).",
        )
    # The function may keep what it returns, and change it.
    return np.array(array, order="C")


def _strings(value: Any) -> np.ndarray:
    array = np.asarray(value)
    source = array if array.dtype.kind == "O" else np.asarray(value, dtype=object)
    result = np.empty(source.shape, dtype=object)
    for place in np.ndindex(source.shape):
        item = source[place]
        result[place] = item.encode() if isinstance(item, str) else bytes(item)
    return result


def _argument(array: Any) -> Any:
    """An input as the function gets it: an array that it may change, or a NumPy scalar."""
    if isinstance(array, np.ndarray):
        return array[()] if array.ndim == 0 else array.copy()
    return array


# --- the ops --------------------------------------------------------------------------------------


def _py_func_cpu(*input: Any, token: str, Tin: Any, Tout: Sequence[DType]) -> Any:
    return call(token, [_argument(item) for item in input], Tout)


def _define_py_func(name: str, **facts: Any) -> Op:
    op = define_op(
        name,
        inputs=("input: Tin",),
        outputs=("output: Tout",),
        attrs=("token: string", "Tin: list(type) >= 0", "Tout: list(type) >= 0"),
        foldable=False,
        touches_world=True,
        **facts,
    )
    op.shape_fn(unknown_shapes)
    op.kernel("CPU")(_py_func_cpu)
    op.not_differentiable("what a Python function computes is not known")
    return op


PyFunc = _define_py_func("PyFunc", is_stateful=True)
PyFuncStateless = _define_py_func("PyFuncStateless")

EagerPyFunc = define_op(
    "EagerPyFunc",
    inputs=("input: Tin",),
    outputs=("output: Tout",),
    attrs=(
        "token: string",
        "is_async: bool = false",
        "Tin: list(type) >= 0",
        "Tout: list(type) >= 0",
    ),
    is_stateful=True,
    touches_world=True,
)
EagerPyFunc.shape_fn(unknown_shapes)

#: `(function, input arrays, dtypes of inputs and results) → result arrays`.
EagerCaller = Callable[[Callable[..., Any], Sequence[Any], Sequence[DType]], Sequence[Any]]
_call_eagerly: EagerCaller | None = None
#: `(token, number of inputs, places of those to differentiate, *inputs, *gradients) → gradients`.
_differentiate_eagerly: Callable[..., Any] | None = None


def set_eager_caller(caller: EagerCaller, differentiate: Callable[..., Any]) -> None:
    """The layer that has eager tensors says how functions of them are called and differentiated."""
    global _call_eagerly, _differentiate_eagerly
    _call_eagerly, _differentiate_eagerly = caller, differentiate


@EagerPyFunc.kernel("CPU")
def _eager_py_func_cpu(
    *input: Any, token: str, is_async: bool, Tin: Any, Tout: Sequence[DType]
) -> Any:
    if _call_eagerly is None:
        raise UnimplementedError(
            None,
            None,
            "Nothing in this process can run ops at once, as a tf.py_function needs it",
            remedy="Use tf.numpy_function, whose function gets arrays.",
        )
    return _call_eagerly(function_of(token), input, [*Tin, *Tout])


@EagerPyFunc.gradient
def _eager_py_func_grad(op: Any, *grads: Any) -> list[Any]:
    """What a tape says of the call that is being differentiated; see `eager/python_calls.py`."""
    assert _differentiate_eagerly is not None, "set beside the eager caller"
    token = op.attrs["token"]
    function = functools.partial(_differentiate_eagerly, token, len(op.inputs))
    places = [at for at, tensor in enumerate(op.inputs) if tensor.dtype.is_floating]
    wanted = [op.inputs[at].dtype for at in places]
    inputs = [*op.inputs, *grads]
    found = EagerPyFunc(inputs, token=register(functools.partial(function, places)), Tout=wanted)
    results: list[Any] = [None] * len(op.inputs)
    for at, value in zip(places, found):
        value.set_shape(op.inputs[at].shape)
        results[at] = value
    return results


@export_v1("py_func")
def py_func(
    func: Callable[..., Any],
    inp: Any,
    Tout: Any,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """`func(*inp)`, where `func` is a Python function of NumPy arrays.

    It runs in this process; graphs that hold it cannot be run anywhere else, nor be stored.

    Args:
      func: takes an array for each input (a NumPy scalar for rank 0), and returns one value or a
        list of values of exactly the dtypes of `Tout`; strings are bytes.
      inp: a list of tensors.
      Tout: the dtype of the result, or a list of dtypes.
      stateful: False says that equal inputs give equal results.
      name: of the node.
    Returns:
      A tensor of unknown shape, or a list of them; an operation if `Tout` is empty.
    Raises:
      ValueError: `func` cannot be called.

    >>> import numpy as np
    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.py_func(np.sort, [tf.constant([3.0, 1.0])], tf.float32)))
    [1. 3.]
    """
    _check_callable(func)
    op = PyFunc if stateful else PyFuncStateless
    return _call_node(op, func, inp, Tout, name)


@export("numpy_function")
def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """`func(*inp)`, where `func` is a Python function of arrays; see `tf.compat.v1.py_func`.

    Without `func` it decorates one: `@tf.numpy_function(Tout=tf.float32)`.
    """
    return _called(
        lambda function, inputs: py_func(function, inputs, Tout, stateful, name), func, inp, Tout
    )


def _called(call: Callable[..., Any], func: Any, inp: Any, dtypes_out: Any) -> Any:
    """`call(func, inp)`, or without `func` a decorator of functions that are called so.

    Raises:
      TypeError: arguments are missing, or there is one too many.
    """
    if dtypes_out is None:
        raise TypeError("Missing required argument: 'Tout'. A decorator takes it by name.")
    if func is None:
        if inp is not None:
            raise TypeError("Don't set the `inp` argument where there is no `func`.")
        return lambda function: functools.wraps(function)(lambda *inp: call(function, inp))
    if inp is None:
        raise TypeError("Missing argument `inp`, the list of arguments to the function.")
    return call(func, inp)


@export("py_function")
def py_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    name: str | None = None,
) -> Any:
    """`func(*inp)`, where `func` is a Python function of eager tensors; it may use any op.

    Without `func` it decorates one: `@tf.py_function(Tout=tf.float32)`.

    Args:
      func: takes an eager tensor for each input, and returns tensors or values of `Tout`.
      inp: a list of tensors.
      Tout: the dtype of the result, or a list of dtypes.
      name: of the node.
    Returns:
      A tensor of unknown shape, or a list of them; an operation if `Tout` is empty.
    Raises:
      ValueError: `func` cannot be called.
    """

    def call(function: Callable[..., Any], inputs: Any) -> Any:
        _check_callable(function)
        return _call_node(EagerPyFunc, function, inputs, Tout, name)

    return _called(call, func, inp, Tout)


def _check_callable(func: Any) -> None:
    if not callable(func):
        raise ValueError(
            f"Expected func to be callable. Received func={func} of type {type(func)}."
        )


def _call_node(
    op: Op, func: Callable[..., Any], inp: Any, dtypes_out: Any, name: str | None
) -> Any:
    is_list = isinstance(dtypes_out, (list, tuple))
    wanted = [dtypes.as_dtype(item) for item in (dtypes_out if is_list else [dtypes_out])]
    if dispatch.executing_eagerly():
        result = _run(op, func, inp, wanted)
    else:
        result = op(list(inp), token=register(func), Tout=wanted, name=name)
    return result if is_list else result[0]


def _run(op: Op, func: Callable[..., Any], inp: Any, wanted: Sequence[DType]) -> list[Any]:
    """Calls the function now; tapes hear of what a function of tensors does."""
    tensors = [convert_to_tensor(item) for item in inp]
    name = getattr(func, "__name__", "the function")
    try:
        if op is EagerPyFunc:
            result = func(*tensors)
        else:
            result = func(*[_argument(tensor._static_value()) for tensor in tensors])
    except Exception as error:
        raise as_python_error(error) from error
    if op is EagerPyFunc:
        values = [] if result is None else result if isinstance(result, (list, tuple)) else [result]
        check_count(name, len(values), len(wanted))
        return [convert_to_tensor(item, dtype=dtype) for item, dtype in zip(values, wanted)]
    arrays = _results(name, result, wanted)
    return [convert_to_tensor(array, dtype=dtype) for array, dtype in zip(arrays, wanted)]
