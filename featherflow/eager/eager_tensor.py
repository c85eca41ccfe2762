"""EagerTensor: a tensor that has its value."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.resource import VariableCell
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor

CPU_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
#: What symbolic tensors have and values do not.
_SYMBOLIC = ("op", "name", "graph", "value_index", "consumers")


class _NoGraph:
    """Stands where the graph of a symbolic tensor is."""

    uses_tensor_equality = True


class _NoOperation:
    """Stands where the Operation of a symbolic tensor is: an eager tensor is of no graph."""

    graph = _NoGraph()
    _control_flow_context = None


class EagerTensor(Tensor):
    """A tensor that has its value: an array, or what stands for a resource or variant.

    Values are never written. `numpy()` gives a copy; `np.asarray(tensor)` and `memoryview(tensor)`
    look at the memory itself, which they may not write.
    """

    __slots__ = ("_device", "_value")

    _op = _NoOperation()  # type: ignore[assignment]
    _value_index = 0  # type: ignore[assignment]

    def __init__(self, value: Any, dtype: DType) -> None:
        self._value = value
        self._dtype = dtype

    def __getattr__(self, name: str) -> Any:
        """Slots that are filled when somebody asks."""
        if name == "_shape":
            self._shape = found = self._shape_of_value()
            return found
        if name == "_handle_data":
            self._handle_data = found = self._handle_data_of_value()
            return found
        if name == "_device":
            return CPU_DEVICE
        if name == "_consumers":
            return None
        if name in _SYMBOLIC:
            raise AttributeError(
                f"Tensor.{name} is undefined when eager execution is enabled: this tensor has its "
                "value, and is the output of no node."
            )
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _shape_of_value(self) -> TensorShape:
        value = self._value
        return TensorShape._of(value.shape if value.__class__ is np.ndarray else ())

    def _handle_data_of_value(self) -> Any:
        value = self._value
        return (value.dtype, value.shape) if value.__class__ is VariableCell else None

    # --- what it is -------------------------------------------------------------------------------

    @property
    def shape(self) -> TensorShape:
        """The shape; all of it is known."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The shape; all of it is known."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Checks the shape.

        Raises:
          ValueError: the tensor's is another.
        """
        if not self._shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self._shape} is not compatible with supplied shape {shape}."
            )

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._value.shape) if self._value.__class__ is np.ndarray else 0

    @property
    def device(self) -> str:
        """The device that holds it."""
        return self._device

    @property
    def _handle(self) -> Any:
        """The resource or variant itself."""
        return self._value

    @property
    def backing_device(self) -> str:
        """The device whose memory holds it."""
        return self._device

    @property
    def is_packed(self) -> bool:
        """Whether it stands for copies on several devices: never."""
        return False

    @property
    def _id(self) -> int:
        return id(self)

    def cpu(self) -> EagerTensor:
        """A copy in the memory of the CPU: the tensor itself."""
        return self

    def _static_value(self) -> np.ndarray | None:
        """The value, for shape functions and others who ask what is known."""
        return self._value if self._value.__class__ is np.ndarray else None

    # --- values out -------------------------------------------------------------------------------

    def numpy(self) -> Any:
        """A copy as an array; of a scalar a NumPy scalar, of a scalar string bytes.

        Raises:
          NotImplementedError: it is a resource or variant.
        """
        array = self._numpy()
        return array.copy() if array.ndim else array[()]

    def _numpy(self) -> np.ndarray:
        if self._value.__class__ is not np.ndarray:
            raise NotImplementedError(
                f"Cannot convert a Tensor of dtype {self._dtype.name} to a NumPy array."
            )
        return self._value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self._numpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        if copy:
            return array.copy()
        view = array.view()
        view.flags.writeable = False
        return view

    def __buffer__(self, flags: int) -> memoryview:
        return memoryview(self.__array__())  # type: ignore[arg-type]

    def __dlpack__(self, **options: Any) -> Any:
        """A capsule that other libraries make arrays from."""
        return self._numpy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the CPU

    def _scalar(self, kind: str) -> Any:
        array = self._numpy()
        if array.ndim and array.size != 1:
            raise TypeError(
                f"only length-1 arrays can be converted to Python {kind}s, received shape "
                f"{array.shape}."
            )
        return array.reshape(())[()]

    def __int__(self) -> int:
        return int(self._scalar("scalar"))

    def __float__(self) -> float:
        return float(self._scalar("scalar"))

    def __complex__(self) -> complex:
        return complex(self._scalar("scalar"))

    def __index__(self) -> int:
        return self._numpy().__index__()

    def __bool__(self) -> bool:
        return bool(self._numpy())

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._value)

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return map(self.__getitem__, range(len(self._value)))

    def __contains__(self, item: Any) -> bool:
        return any(bool(element == item) for element in self)

    def __format__(self, form: str) -> str:
        return str(self) if not form else self.numpy().__format__(form)

    # --- identity ---------------------------------------------------------------------------------

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> EagerTensor:
        if self._value.__class__ is np.ndarray:
            return EagerTensor(copy.deepcopy(self._value, memo), self._dtype)
        return self

    def __reduce__(self) -> Any:
        return _restore, (self._numpy(), self._dtype.name)

    # --- text -------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return (
            f"<tf.Tensor: shape={self._shape}, dtype={self._dtype.name}, {self._value_text(True)}>"
        )

    def __str__(self) -> str:
        text = self._value_text(False)
        return f"tf.Tensor({text}, shape={self._shape}, dtype={self._dtype.name})"

    def _value_text(self, as_repr: bool) -> str:
        if self._value.__class__ is not np.ndarray:
            text = (
                "<unprintable>"
                if self._dtype is dtypes.variant
                else f"<Resource Tensor: {self._value!r}>"
            )
            return f"value={text}" if as_repr else text
        return (
            f"numpy={array_text(self._value, True)}" if as_repr else array_text(self._value, False)
        )

    # --- refusals ---------------------------------------------------------------------------------

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> Any:
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're "
            "looking for?"
        )


def _refuse(self: EagerTensor) -> Any:
    raise AttributeError  # `__getattr__` says which


for _name in _SYMBOLIC:
    setattr(EagerTensor, _name, property(_refuse))


def array_text(array: np.ndarray, as_repr: bool) -> str:
    """An array as the repr or the str of a tensor shows it."""
    if array.ndim:
        return repr(array) if as_repr else str(array)
    value = array[()]
    if isinstance(value, np.generic) and not as_repr:
        return str(value)
    return repr(value.item()) if isinstance(value, (np.bool_, np.integer)) else _float_text(value)


def _float_text(value: Any) -> str:
    return repr(value) if isinstance(value, (bytes, str)) else str(value)


def _restore(array: np.ndarray, dtype_name: str) -> EagerTensor:
    return EagerTensor(array, dtypes.as_dtype(dtype_name))
