"""Imports go down: a module imports only from its own layer or an earlier one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "featherflow"

#: Layer of each folder; a file directly in the package is public surface, above all of them.
LAYER = {
    "protos": 0,
    "framework": 1,
    "kernels": 1,
    "graph": 2,
    "ops": 3,
    "grappler": 4,
    "compiler": 4,
    "runtime": 5,
    "eager": 6,
    "functions": 7,
    "platform": 8,
    "train": 8,
    "layers": 8,
    "rnn": 8,
    "contrib": 8,
    "losses": 8,
    "metrics": 8,
    "saved_model": 8,
    "checkpoint": 8,
    "summary": 8,
    "distribute": 9,
    "serving": 9,
    "export": 9,
    "cli": 9,
}
SURFACE = 10
#: Files of the package itself that lower layers may use, since they import nothing.
LEAVES = {"featherflow._version": 0, "featherflow._index": 0, "featherflow._namespaces": 1}

#: Functions may import these: protocol buffers cost 30 ms, and only files and messages need them;
#: threadpoolctl looks at all loaded libraries, and only a session that limits threads needs it;
#: the compiler is fifty modules, and only a step that is worth compiling needs them; the context
#: that ops run in decides the mode of the program, and is chosen by its first op; AutoGraph and
#: the package that parses source for it serve only functions that are traced.
LAZY_IMPORTS = (
    *("featherflow.protos", "google.protobuf", "threadpoolctl"),
    *("featherflow.runtime.compiled_step", "featherflow.eager.default_context"),
    "featherflow.functions.autograph.conversion",
)
#: Modules whose functions import other things, with the reason.
LAZY_MODULES = {
    "featherflow.cli.": "each command loads what it alone needs",
}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "protos" not in path.parts)


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> int:
    if module in LEAVES:
        return LEAVES[module]
    parts = module.split(".")
    return LAYER.get(parts[1], SURFACE) if len(parts) > 1 else SURFACE


def imports_of(tree: ast.AST) -> Iterator[tuple[str, int, bool]]:
    """(module, line, whether a function holds it); imports for type checkers alone are left out."""
    inside_functions = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.walk(node)
    }
    for_types = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for statement in node.body
        for child in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno, id(node) in inside_functions
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                submodule = PACKAGE.parent / Path(*node.module.split("."), alias.name)
                known = submodule.with_suffix(".py").exists() or submodule.is_dir()
                yield (
                    f"{node.module}.{alias.name}" if known else node.module,
                    node.lineno,
                    id(node) in inside_functions,
                )


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_go_down(path: Path) -> None:
    module = name_of(path)
    layer = layer_of(module)
    upward = [
        f"{path.name}:{line} imports {name} (layer {layer_of(name)} > {layer})"
        for name, line, _ in imports_of(ast.parse(path.read_text()))
        if name.split(".")[0] == "featherflow" and layer_of(name) > layer
    ]
    assert not upward, "\n".join(upward)


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_functions_import_only_what_is_listed(path: Path) -> None:
    module = name_of(path)
    if any(module.startswith(prefix) for prefix in LAZY_MODULES):
        return
    found = [
        f"{path.name}:{line} imports {name} inside a function"
        for name, line, lazy in imports_of(ast.parse(path.read_text()))
        if lazy and not name.startswith(LAZY_IMPORTS)
    ]
    assert not found, "\n".join(found)


def test_only_one_module_per_external_library() -> None:
    """llvmlite and ray stay behind their own files."""
    owners: dict[str, set[str]] = {"llvmlite": set(), "ray": set()}
    for path in modules():
        for name, _, _ in imports_of(ast.parse(path.read_text())):
            if name.split(".")[0] in owners:
                owners[name.split(".")[0]].add(name_of(path))
    assert len(owners["llvmlite"]) <= 2
    assert len(owners["ray"]) <= 1
