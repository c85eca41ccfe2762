"""OpCase: one row that says how an op is called and what NumPy makes of the same inputs.

    OpCase(Mul, (Input(2, 3), Input(3)), np.multiply, REAL + COMPLEX)
    OpCase(Sum, (Input(2, 3), np.int32([1])), lambda x, axes: x.sum(1), attrs={"keep_dims": False})
    OpCase(AddN, ([Input(2), Input(2)],), lambda *xs: sum(xs))

`test_op_properties.py` derives from each row: the forward values for each dtype, static shapes
for known, partly known and unknown input shapes, first and second derivatives against finite
differences, and an empty input.
"""

from __future__ import annotations

import importlib
import pkgutil
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.op import Op

HALVES = ("float16", "bfloat16")
WIDE_FLOATS = ("float32", "float64")
FLOATS = HALVES + WIDE_FLOATS
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
REAL = FLOATS + INTEGERS
NUMBERS = REAL + COMPLEX

#: Allowed error per unit of (magnitude of the value + mean magnitude of its array).
TOLERANCES = {
    "float64": 1e-13,
    "complex128": 1e-13,
    "float32": 2e-6,
    "complex64": 2e-6,
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
}


@dataclass(frozen=True)
class Input:
    """A tensor of random values; the same in every run.

    Attributes:
      shape: its dimensions.
      low, high: bounds of the values, for both parts of complex numbers; integers include both,
        and unsigned ones start at 0.
      dtype: of the tensor; None is the dtype that the row is tested with.
      distinct: no two values are equal or close, as extrema and sorting need for derivatives.
    """

    shape: tuple[int, ...]
    low: float
    high: float
    dtype: str | None
    distinct: bool

    def __init__(
        self,
        *shape: int,
        low: float = -2.0,
        high: float = 2.0,
        dtype: str | None = None,
        distinct: bool = False,
    ) -> None:
        fields = {"shape": shape, "low": low, "high": high, "dtype": dtype, "distinct": distinct}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def resized(self, shape: tuple[int, ...]) -> Input:
        """The same values in another shape."""
        return Input(*shape, low=self.low, high=self.high, dtype=self.dtype, distinct=self.distinct)

    def sample(self, dtype: str, seed: int) -> np.ndarray:
        """The values; `dtype` counts where the input has none of its own."""
        wanted = as_dtype(self.dtype or dtype)
        random = np.random.default_rng(seed)
        if wanted.is_bool:
            return random.integers(0, 2, self.shape).astype(bool)
        if wanted.is_integer:
            low, high = int(np.ceil(self.low)), int(self.high)
            if wanted.is_unsigned:
                low, high = max(low, 0), max(high, 0)
            values = random.integers(low, high + 1, self.shape)
            return np.asarray(values).astype(wanted.numpy_dtype)
        if wanted.is_complex:
            parts = self._reals(random), self._reals(random)
            return np.asarray(parts[0] + 1j * parts[1]).astype(wanted.numpy_dtype)
        return np.asarray(self._reals(random)).astype(wanted.numpy_dtype)

    def _reals(self, random: np.random.Generator) -> np.ndarray:
        if not self.distinct:
            return np.asarray(random.uniform(self.low, self.high, self.shape))
        count = int(np.prod(self.shape))
        return random.permutation(np.linspace(self.low, self.high, count)).reshape(self.shape)


#: What stands for one argument of the op: random values, given ones, or a list for a list argument.
Argument = Input | np.ndarray | Sequence[Any]


@dataclass(frozen=True)
class OpCase:
    """One call of an op.

    Attributes:
      op: the Op object.
      arguments: one for each input argument.
      reference: gets the arrays (a list argument's one by one, floats in double precision) and
        returns the expected output, or a tuple of all outputs. `attrs` are not passed.
      dtypes: the dtypes that Inputs without a dtype of their own are tested with.
      attrs: of the node.
      attrs_of: more attributes, from the dtype of the test.
      tolerances: by dtype, in the place of TOLERANCES.
      reason: why the tolerances differ.
      differentiable: whether derivatives are compared with finite differences.
      twice: whether second derivatives are, too.
      empty_shapes: shapes of the Inputs for the test with nothing in them; by default the first
        dimension of each is 0, where all have one shape. `()` leaves the test out.
      needs_shapes: why the op refuses inputs of unknown shape; it is built with known ones only.
      label: what sets the row apart from others of the op.
    """

    op: Op
    arguments: tuple[Argument, ...]
    reference: Callable[..., Any]
    dtypes: tuple[str, ...] = WIDE_FLOATS
    attrs: Mapping[str, Any] = field(default_factory=dict)
    attrs_of: Callable[[DType], Mapping[str, Any]] | None = None
    tolerances: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    differentiable: bool = True
    twice: bool = True
    empty_shapes: tuple[tuple[int, ...], ...] | None = None
    needs_shapes: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        if self.tolerances and not self.reason:
            raise ValueError(f"{self.op.name}: a row with its own tolerances must say why.")

    @property
    def key(self) -> str:
        return f"{self.op.name}-{self.label}" if self.label else self.op.name

    def all_attrs(self, dtype: str) -> dict[str, Any]:
        """The attributes of the node in a test of `dtype`."""
        extra = {} if self.attrs_of is None else self.attrs_of(as_dtype(dtype))
        return {**self.attrs, **extra}

    def sample(self, dtype: str) -> list[Any]:
        """An array for each argument, a list of arrays for a list argument."""
        seed = zlib.crc32(self.key.encode())
        return [
            _sample(argument, dtype, seed + place) for place, argument in enumerate(self.arguments)
        ]

    def emptied(self) -> OpCase | None:
        """The row with Inputs of no elements; None if there is no such test."""
        inputs = [item for item in _leaves(self.arguments) if isinstance(item, Input)]
        shapes = self.empty_shapes
        if shapes is None:
            alike = len({item.shape for item in inputs}) == 1 and inputs[0].shape
            shapes = ((0, *inputs[0].shape[1:]),) * len(inputs) if alike else ()
        if not shapes:
            return None
        resized = iter(item.resized(shape) for item, shape in zip(inputs, shapes, strict=True))
        arguments = tuple(
            [next(resized) if isinstance(item, Input) else item for item in argument]
            if isinstance(argument, (list, tuple))
            else next(resized)
            if isinstance(argument, Input)
            else argument
            for argument in self.arguments
        )
        return OpCase(self.op, arguments, self.reference, self.dtypes, self.attrs, self.attrs_of)

    def tolerance(self, dtype: str) -> float:
        """Of outputs of `dtype`."""
        return {**TOLERANCES, **self.tolerances}.get(dtype, 0.0)


def _sample(argument: Argument, dtype: str, seed: int) -> Any:
    if isinstance(argument, Input):
        return argument.sample(dtype, seed)
    if isinstance(argument, (list, tuple)):
        return [_sample(item, dtype, seed + 1000 * place) for place, item in enumerate(argument)]
    return np.asarray(argument)


def _leaves(arguments: Any) -> Iterator[Any]:
    for argument in arguments:
        if isinstance(argument, (list, tuple)):
            yield from argument
        else:
            yield argument


def widened(array: np.ndarray) -> np.ndarray:
    """Floats in double precision, everything else as it is: what references compute with."""
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    is_float = array.dtype.kind == "f" or array.dtype in (ml_dtypes.bfloat16,)
    return array.astype(np.float64) if is_float else array


def load_cases() -> list[OpCase]:
    """The rows of all modules of `cases/`."""
    package = importlib.import_module(f"{__package__}.cases")
    modules = [
        importlib.import_module(f"{package.__name__}.{info.name}")
        for info in pkgutil.iter_modules(package.__path__)
    ]
    return [case for module in modules for case in module.CASES]
