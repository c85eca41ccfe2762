"""KernelSpec: what names a kernel, and all that is fixed when its code is generated.

A spec is a frozen dataclass of plain literals. Its text, as in

    conv2d(channels=3, filters=64, window=(7, 7), …)

is the kernel's identity: equal texts are one kernel, whatever graph asks for it. The program makes
specs; the compile worker reads the text back and emits the code. Sizes that models vary, batch and
image sizes above all, are not part of it: a kernel gets them when it runs.

Every kernel is `i64 kernel(ptr arguments)`: a block of 8-byte fields, pointers first, in the order
of `KernelSpec.fields`. It returns a status; 0 is fine.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from featherflow.compiler.ir import I64, PTR, Function, Module, Value
from featherflow.compiler.target import Target

ENTRY = "kernel"

#: family → the module that has its spec and its emitter.
_MODULES = {
    "matmul": "featherflow.compiler.matmul",
    "conv2d": "featherflow.compiler.convolution",
    "winograd_input": "featherflow.compiler.winograd",
    "winograd_output": "featherflow.compiler.winograd",
    "depthwise_conv2d": "featherflow.compiler.depthwise",
    "pool2d": "featherflow.compiler.pooling",
    "pack_matrix": "featherflow.compiler.packing",
    "elementwise": "featherflow.compiler.elementwise",
    "rows": "featherflow.compiler.rows",
    "columns": "featherflow.compiler.columns",
    "step_runner": "featherflow.compiler.step_runner",
    "peak": "featherflow.compiler.peak",
}
_families: dict[str, type[KernelSpec]] = {}

Spec = TypeVar("Spec", bound="type[KernelSpec]")


@dataclass(frozen=True)
class KernelSpec:
    """Base of all specs; subclasses are frozen dataclasses of literals.

    Class attributes:
      family: the name that stands before the parameters.
    """

    family: ClassVar[str]

    def pointers(self) -> tuple[str, ...]:
        """Names of the pointer arguments, in order."""
        raise NotImplementedError(type(self).__name__)

    def sizes(self) -> tuple[str, ...]:
        """Names of the integer arguments, behind the pointers."""
        raise NotImplementedError(type(self).__name__)

    def emit(self, module: Module) -> None:
        """Defines the function `kernel` in a module."""
        raise NotImplementedError(type(self).__name__)

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of all arguments, in the order of the argument block."""
        return (*self.pointers(), *self.sizes())

    def text(self) -> str:
        """The spec as it is read back by `parse_spec`."""
        given = ", ".join(f"{item.name}={getattr(self, item.name)!r}" for item in fields(self))
        return f"{self.family}({given})"


def register_family(spec: Spec) -> Spec:
    """Makes the specs of a class readable; a class decorator."""
    _families[spec.family] = spec
    return spec


def parse_spec(text: str) -> KernelSpec:
    """The spec that a text stands for.

    Raises:
      ValueError: it is none.
    """
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError(f"Not a kernel spec: {text!r}")
    family = call.func.id
    if family not in _MODULES:
        raise ValueError(f"No family of kernels is called '{family}'")
    importlib.import_module(_MODULES[family])
    parameters: dict[str, Any] = {
        str(item.arg): ast.literal_eval(item.value) for item in call.keywords
    }
    return _families[family](**parameters)


def emit(spec_text: str, target: Target) -> str:
    """The LLVM IR of a kernel."""
    module = Module(target)
    parse_spec(spec_text).emit(module)
    return module.text()


class KernelFunction(Function):
    """The entry of a kernel, with its arguments by name.

    Attributes:
      arguments: all fields of the argument block, loaded.
    """

    def __init__(self, module: Module, spec: KernelSpec) -> None:
        super().__init__(module, ENTRY, [("noalias readonly arguments", PTR)], I64)
        self.arguments: dict[str, Value] = {}
        pointers = len(spec.pointers())
        for place, name in enumerate(spec.fields):
            kind = PTR if place < pointers else I64
            at = self.offset(self.parameter("arguments"), 8 * place)
            self.arguments[name] = self.load(kind, at)

    def __getitem__(self, name: str) -> Value:
        return self.arguments[name]

    def some(self, names: Sequence[str]) -> list[Value]:
        """Several arguments by name."""
        return [self.arguments[name] for name in names]
