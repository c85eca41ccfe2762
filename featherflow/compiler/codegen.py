"""LLVM IR text to ELF objects and assembly text; the only file that imports llvmlite."""

from __future__ import annotations

import functools

import llvmlite
import llvmlite.binding as llvm

from featherflow.compiler.target import Target

#: Higher levels were measured to gain nothing: kernels come scheduled, in registers, unrolled.
_LEVEL = 1


class CodegenError(Exception):
    """LLVM refuses the IR."""


def compile_object(ir_text: str, target: Target) -> bytes:
    """The relocatable ELF object of a module, for this machine or for another."""
    return _machine(target).emit_object(_module(ir_text, target))


def assembly(ir_text: str, target: Target) -> str:
    """The assembly text of a module."""
    return _machine(target).emit_assembly(_module(ir_text, target))


def llvm_version() -> str:
    """The version of llvmlite, then that of the LLVM it holds."""
    return f"{llvmlite.__version__}/{'.'.join(map(str, llvm.llvm_version_info))}"


def _module(ir_text: str, target: Target) -> llvm.ModuleRef:
    machine = _machine(target)
    try:
        module = llvm.parse_assembly(ir_text)
        module.triple = target.triple
        module.data_layout = str(machine.target_data)
        module.verify()
    except RuntimeError as error:
        raise CodegenError(str(error)) from None
    return module


@functools.cache
def _machine(target: Target) -> llvm.TargetMachine:
    """Images hold no tables of addresses, which takes both this relocation and this code model."""
    _initialize()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=_LEVEL, reloc="pic", codemodel="small"
    )


@functools.cache
def _initialize() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
