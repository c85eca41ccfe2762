"""OpKernels: what runs an op on a device, how one is chosen, and what it is given.

A kernel is a plain function `(input, filter, *, strides, padding)`: inputs by position, the
attributes that it names by keyword. If its first parameter is called `ctx` it also gets the
step's OpKernelContext. A kernel with state of its own is a subclass of OpKernel, made once for
each node and session; `compute(ctx, *inputs)` runs it.

Returns: the array of the only output; else a sequence of the outputs, lists unrolled. An op
without outputs returns nothing. Arrays of rank 0 are arrays, not NumPy scalars; a ufunc that is
registered as it is gets this from `KernelDef.bind`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.source_location import SourceLocation, definition_of

if TYPE_CHECKING:
    from featherflow.framework.op import Op


class NodeInfo(Protocol):
    """What a kernel may know of its node."""

    name: str
    definition: Op
    attrs: dict[str, Any]
    device: str


class OpKernel:
    """Base of kernels with state: one instance for each node and session."""

    def __init__(self, node: NodeInfo) -> None:
        self.node = node

    def compute(self, ctx: Any, *inputs: Any) -> Any:
        """Runs the op once; may be called by several threads at the same time."""
        raise NotImplementedError(type(self).__name__)


class AsyncOpKernel(OpKernel):
    """Base of kernels that may wait; they never block a thread."""

    def compute_async(self, ctx: Any, done: Callable[[Any], None], *inputs: Any) -> None:
        """Starts the op; `done(outputs)` or `done(exception)` is called once, from any thread."""
        raise NotImplementedError(type(self).__name__)


class KernelDef:
    """One registered kernel, and for which device, dtypes and label it is."""

    __slots__ = (
        "_location",
        "asynchronous",
        "attr_names",
        "device_type",
        "function",
        "is_class",
        "is_ufunc",
        "label",
        "op_name",
        "priority",
        "types",
        "wants_context",
    )

    def __init__(
        self,
        op_name: str,
        device_type: str,
        types: dict[str, Any],
        label: str,
        priority: int,
        function: Callable[..., Any],
        asynchronous: bool = False,
    ) -> None:
        self.op_name = op_name
        self.device_type = device_type
        self.types = {
            attr: (allowed,) if isinstance(allowed, DType) else tuple(allowed)
            for attr, allowed in types.items()
        }
        self.label = label
        self.priority = priority
        self.function = function
        self.is_class = isinstance(function, type)
        self.is_ufunc = isinstance(function, np.ufunc)
        self.asynchronous = asynchronous or (
            self.is_class and issubclass(function, AsyncOpKernel)  # type: ignore[arg-type]
        )
        self._location = (
            None if isinstance(function, (FunctionType, type)) else _registration_site()
        )
        self.wants_context, self.attr_names = read_signature(function)

    @property
    def location(self) -> SourceLocation | None:
        """Where the kernel is written; for one of NumPy's functions, where it was registered."""
        if self._location is None:  # reads the source, so not before somebody asks
            self._location = definition_of(self.function)
        return self._location

    def accepts(self, attrs: dict[str, Any]) -> bool:
        """Whether the dtypes of a node with `attrs` are among those of this kernel."""
        for attr, allowed in self.types.items():
            dtype = attrs[attr]
            if isinstance(dtype, tuple):
                if any(item not in allowed for item in dtype):
                    return False
            elif dtype not in allowed:
                return False
        return True

    def bind(self, attrs: dict[str, Any], rank_0_possible: bool = True) -> Callable[..., Any]:
        """The kernel with a node's attributes filled in: a function of the inputs alone.

        Args:
          rank_0_possible: False where static shapes exclude outputs of rank 0. NumPy's ufuncs give
            scalars of rank 0 unless they are asked for arrays, and asking costs a tenth of a
            microsecond a call.
        """
        if self.is_ufunc:
            return partial(self.function, out=...) if rank_0_possible else self.function
        if not self.attr_names:
            return self.function
        return partial(self.function, **{name: attrs[name] for name in self.attr_names})

    def __str__(self) -> str:
        types = ", ".join(
            f"{attr} in {{{', '.join(dtype.name for dtype in allowed)}}}"
            for attr, allowed in self.types.items()
        )
        label = f" label '{self.label}'" if self.label else ""
        return f"{self.device_type}{label}" + (f" [{types}]" if types else "")


#: Modules whose frames stand between a registration and the line that makes it.
_REGISTRARS = ("featherflow.framework.op_kernel", "featherflow.framework.op")


def _registration_site() -> SourceLocation:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"] in _REGISTRARS:
        frame = frame.f_back
    return SourceLocation(frame.f_code.co_filename, frame.f_lineno)


def read_signature(function: Any) -> tuple[bool, tuple[str, ...]]:
    """Whether `ctx` comes first, and the names of the keyword-only parameters."""
    if isinstance(function, type):
        return True, ()
    wrapped = function.func if isinstance(function, partial) else function
    code = getattr(wrapped, "__code__", None)
    if code is None:
        return False, ()
    names = code.co_varnames
    count = code.co_argcount
    keywords = names[count : count + code.co_kwonlyargcount]
    bound = function.keywords if isinstance(function, partial) else {}
    return count > 0 and names[0] == "ctx", tuple(name for name in keywords if name not in bound)


class KernelTable:
    """The kernels of one op."""

    __slots__ = ("_kernels", "op_name")

    def __init__(self, op_name: str) -> None:
        self.op_name = op_name
        self._kernels: list[KernelDef] = []

    def __iter__(self):
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def add(self, kernel: KernelDef) -> None:
        """Adds a kernel.

        Raises:
          ValueError: one for the same device, dtypes, label and priority exists; says where.
        """
        for other in self._kernels:
            if (
                other.device_type == kernel.device_type
                and other.label == kernel.label
                and other.priority == kernel.priority
                and _overlap(other.types, kernel.types)
            ):
                raise ValueError(
                    f"A kernel of {self.op_name} for {kernel} is registered already, at "
                    f"{other.location}: {other}. Give another label or priority."
                )
        self._kernels.append(kernel)

    def remove(self, kernel_function: Callable[..., Any]) -> None:
        """Removes a user's kernel again."""
        self._kernels = [
            kernel for kernel in self._kernels if kernel.function is not kernel_function
        ]

    def device_types(self) -> list[str]:
        """The device types for which any kernel exists, best first."""
        ranked = sorted(self._kernels, key=lambda kernel: -kernel.priority)
        return list(dict.fromkeys(kernel.device_type for kernel in ranked))

    def find(self, device_type: str, attrs: dict[str, Any]) -> KernelDef | None:
        """The kernel of highest priority for a device type and a node's attributes, or None."""
        label = attrs.get("_kernel", "")
        best = None
        for kernel in self._kernels:
            if (
                kernel.device_type == device_type
                and kernel.label == label
                and (best is None or kernel.priority > best.priority)
                and kernel.accepts(attrs)
            ):
                best = kernel
        return best

    def get(self, device_type: str, node: NodeInfo) -> KernelDef:
        """The kernel for `node` on `device_type`.

        Raises:
          InvalidArgumentError: none fits; lists those that exist and the nearest.
        """
        kernel = self.find(device_type, node.attrs)
        if kernel is None:
            raise no_kernel_error(self, device_type, node)
        return kernel


def _overlap(left: dict[str, tuple[DType, ...]], right: dict[str, tuple[DType, ...]]) -> bool:
    return all(
        bool(set(allowed) & set(right[attr])) for attr, allowed in left.items() if attr in right
    )


def no_kernel_error(table: KernelTable, device_type: str, node: NodeInfo) -> InvalidArgumentError:
    """The error for a node that no kernel fits: what was asked, what exists, what is nearest."""
    wanted = {
        name: value
        for name, value in node.attrs.items()
        if isinstance(value, DType)
        or (isinstance(value, tuple) and value and isinstance(value[0], DType))
    }
    kernels = list(table)
    if not kernels:
        return InvalidArgumentError(
            None,
            None,
            f"No kernel is registered for op {table.op_name} on any device",
            remedy=f"Register one with tf.register_kernel('{table.op_name}', device, …).",
        )

    def distance(kernel: KernelDef) -> tuple[int, int]:
        misfits = sum(
            any(item not in allowed for item in _as_tuple(wanted[attr]))
            for attr, allowed in kernel.types.items()
            if attr in wanted
        )
        return (kernel.device_type != device_type) + misfits, -kernel.priority

    received = ", ".join(f"{name}={_names(value)}" for name, value in sorted(wanted.items()))
    nearest = min(kernels, key=distance)
    return InvalidArgumentError(
        None,
        None,
        f"No registered '{table.op_name}' OpKernel for {device_type} devices compatible with node",
        received=f"{device_type}" + (f" with {received}" if received else ""),
        expected="one of " + "; ".join(str(kernel) for kernel in kernels),
        remedy=f"The nearest is {nearest} ({nearest.location}); cast the inputs, change the "
        "device, or register a kernel with tf.register_kernel.",
    )


def _as_tuple(value: Any) -> tuple[DType, ...]:
    return value if isinstance(value, tuple) else (value,)


def _names(value: DType | Sequence[DType]) -> str:
    return (
        value.name
        if isinstance(value, DType)
        else "[" + ", ".join(item.name for item in value) + "]"
    )
