"""Python functions of eager tensors that nodes of graphs call (`tf.py_function`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from featherflow.eager.context import eager_mode
from featherflow.eager.execute import as_tensor
from featherflow.eager.tape import Tape, pushed
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import OpError
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.py_func_ops import as_python_error, check_count, function_of, set_eager_caller


def call_eagerly(
    function: Callable[..., Any], inputs: Sequence[Any], types: Sequence[DType]
) -> list[Any]:
    """Calls a function with eager tensors; its results as arrays of the dtypes that follow.

    Raises:
      OpError: the function raised something, or returns another number of results.
    """
    wanted = types[len(inputs) :]
    with eager_mode():
        tensors = [as_tensor(value, dtype) for value, dtype in zip(inputs, types)]
        try:
            result = function(*tensors)
        except OpError:
            raise
        except Exception as error:
            raise as_python_error(error) from error
        values = [] if result is None else result if isinstance(result, (list, tuple)) else [result]
        check_count("The function", len(values), len(wanted))
        found = [convert_to_tensor(item, dtype=dtype) for item, dtype in zip(values, wanted)]
    return [tensor._value for tensor in found]


def differentiate(token: str, count: int, places: Sequence[int], *values: Any) -> list[Any]:
    """The gradients of a function's results with respect to some of its inputs.

    The function runs once more, under a tape: what it did in the forward step is gone with that.
    """
    inputs, gradients = list(values[:count]), values[count:]
    tape = Tape(watches_variables=False)
    for at in places:
        tape.watch(inputs[at])
    with pushed(tape):
        result = function_of(token)(*inputs)
    results = result if isinstance(result, (list, tuple)) else [result]
    sources = [inputs[at] for at in places]
    found = tape.gradients([convert_to_tensor(item) for item in results], sources, gradients)
    return [zeros_like(x) if item is None else item for x, item in zip(sources, found)]


set_eager_caller(call_eagerly, differentiate)
