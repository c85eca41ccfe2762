"""Writes what is generated from the `@export` decorators: run it after adding a name or an op.

  featherflow/_index.py         public name → module:attribute, op → module of its family
  featherflow/__init__.pyi      the root namespace for editors and type checkers
  featherflow/NAME.py           one file of re-exports for each namespace directly below the root

`--check` writes nothing and fails if anything would change.
"""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "featherflow"
sys.path.insert(0, str(ROOT))

from featherflow.framework import exports, op  # noqa: E402

#: Packages whose modules hold exports, in the order of layers.
SCANNED = (
    "framework",
    "graph",
    "ops",
    "runtime",
    "eager",
    "functions",
    "platform",
    "train",
    "losses",
    "metrics",
    "layers",
    "rnn",
    "contrib",
    "summary",
    "checkpoint",
    "saved_model",
)
#: Namespaces below the root that are packages or hand-written files of their own.
WRITTEN_BY_HAND = {
    "checkpoint",
    "compat",
    "contrib",
    "layers",
    "losses",
    "metrics",
    "raw_ops",
    "saved_model",
    "summary",
    "train",
}


def import_everything() -> None:
    """Imports every module that may hold exports."""
    for package in SCANNED:
        if not (PACKAGE / package).is_dir():
            continue
        for module in pkgutil.walk_packages([str(PACKAGE / package)], f"featherflow.{package}."):
            importlib.import_module(module.name)


def op_families() -> dict[str, str]:
    """Op name → module that defines it."""
    return {
        name: _module_of(definition.location.file)
        for name, definition in sorted(op.registered_ops().items())
    }


def _module_of(file: str) -> str:
    return ".".join(Path(file).relative_to(ROOT).with_suffix("").parts)


def public_names(api: str) -> dict[str, str]:
    """Public name → module:attribute."""
    table = exports.exported[api]
    return {name: f"{module}:{attribute}" for name, (module, attribute) in sorted(table.items())}


def namespaces(names: set[str]) -> list[str]:
    """All prefixes of the names."""
    found = {"compat", "compat.v1", "compat.v2", "raw_ops"}
    for name in names:
        parts = name.split(".")
        found.update(".".join(parts[:count]) for count in range(1, len(parts)))
    return sorted(found)


def _table(name: str, entries: dict[str, str]) -> Iterator[str]:
    yield f"{name}: dict[str, str] = {{"
    for key, value in entries.items():
        yield f'    "{key}": "{value}",'
    yield "}"


def index_text(v1: dict[str, str], v2: dict[str, str]) -> str:
    lines = [
        '"""Where public names and ops are defined. Written by tools/generate_index.py."""',
        "",
    ]
    lines += _table("OP_FAMILIES", op_families())
    lines += ["", "#: Names of both APIs, and of TF2's alone."]
    lines += _table("V2", v2)
    lines += ["", "#: TF1's own objects for names that differ, and names of TF1 alone."]
    lines += _table("V1", v1)
    lines += ["", "NAMESPACES = {"]
    lines += [f'    "{name}",' for name in namespaces(v1.keys() | v2.keys())]
    lines += ["}", ""]
    return "\n".join(lines)


def _imports(prefix: str, v1: dict[str, str], v2: dict[str, str]) -> list[str]:
    """`from module import attribute as name` for the names directly in a namespace."""
    start = f"{prefix}." if prefix else ""
    lines = set()
    for name, location in {**v2, **v1}.items():
        rest = name[len(start) :]
        if name.startswith(start) and "." not in rest and rest.isidentifier():
            module, attribute = location.split(":")
            lines.add(f"from {module} import {attribute} as {rest}")
    return sorted(lines)


def namespace_text(prefix: str, v1: dict[str, str], v2: dict[str, str]) -> str:
    imports = "\n".join(f"    {line}" for line in _imports(prefix, v1, v2)) or "    pass"
    return f'''"""tf.{prefix}: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
{imports}

__getattr__, __dir__ = lazy_namespace("{prefix}", globals())
'''


def stub_text(v1: dict[str, str], v2: dict[str, str]) -> str:
    top = sorted({name.split(".")[0] for name in namespaces(v1.keys() | v2.keys())})
    lines = ['"""The names of the root. Written by tools/generate_index.py."""', ""]
    lines += _imports("", v1, v2)
    lines += [f"from featherflow import {name} as {name}" for name in top]
    # In a stub a name imported under another is private unless it is listed.
    public = sorted({line.rsplit(" ", 1)[1] for line in lines if line.startswith("from ")})
    lines += ["", "__version__: str", "newaxis: None", "", f"__all__ = {public!r}", ""]
    return "\n".join(lines)


def generated_files() -> dict[Path, str]:
    """Every generated file and its text, before formatting."""
    v1, v2 = public_names("v1"), public_names("v2")
    files = {PACKAGE / "_index.py": index_text(v1, v2), PACKAGE / "__init__.pyi": stub_text(v1, v2)}
    for name in namespaces(v1.keys() | v2.keys()):
        if "." not in name and name not in WRITTEN_BY_HAND:
            files[PACKAGE / f"{name}.py"] = namespace_text(name, v1, v2)
    return files


#: Re-exports are unused imports, in an order and of a length that no linter likes.
NOQA = "# ruff: noqa\n"


def _formatted(path: Path, text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "-", "--stdin-filename", str(path)]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def main() -> int:
    import_everything()
    stale = []
    for path, text in generated_files().items():
        text = _formatted(path, NOQA + text)
        if not path.exists() or path.read_text() != text:
            stale.append(str(path.relative_to(ROOT)))
            if "--check" not in sys.argv:
                path.write_text(text)
    if stale:
        print(("stale: " if "--check" in sys.argv else "written: ") + ", ".join(stale))
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
