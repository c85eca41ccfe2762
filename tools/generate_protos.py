"""Generates the Python modules of featherflow/protos/*.proto: ``python tools/generate_protos.py``.

With ``--check`` nothing is written; the exit status says whether the committed modules are those
that would be generated.

Generated code refuses any protobuf older than the compiler that made it, and accepts every newer
one. So the compiler is the one of the oldest protobuf that this project (and TensorFlow) accepts.
It lives in an environment of its own, because it wants that old protobuf for itself:

    python -m venv build/protoc && build/protoc/bin/pip install grpcio-tools==1.75.1
    build/protoc/bin/python tools/generate_protos.py
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "featherflow" / "protos"
GRPCIO_TOOLS = "1.75.1"  # protoc 31.1, which goes with protobuf 6.31.1


def compile_protos(destination: Path) -> list[Path]:
    """Compiles all .proto files below a folder; returns the modules and stubs, sorted."""
    from grpc_tools import protoc

    sources = sorted(path.relative_to(ROOT).as_posix() for path in FOLDER.glob("*.proto"))
    well_known = Path(protoc.__file__).parent / "_proto"
    options = [f"-I{ROOT}", f"-I{well_known}", f"--python_out={destination}"]
    if protoc.main(["protoc", *options, f"--pyi_out={destination}", *sources]) != 0:
        sys.exit("protoc refused the files; its messages are above")
    return sorted((destination / "featherflow" / "protos").glob("*_pb2.py*"))


def differences(generated: list[Path]) -> list[str]:
    """Names of committed modules that are missing, left over, or differ from the generated ones."""
    texts = {path.name: path.read_bytes() for path in generated}
    committed = {path.name: path.read_bytes() for path in FOLDER.glob("*_pb2.py*")}
    names = texts.keys() | committed.keys()
    return sorted(name for name in names if texts.get(name) != committed.get(name))


def main() -> None:
    """Writes the modules, or compares them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    check = parser.parse_args().check
    found = metadata.version("grpcio-tools")
    if found != GRPCIO_TOOLS:
        sys.exit(f"needs grpcio-tools {GRPCIO_TOOLS}, found {found}: {__doc__}")
    with tempfile.TemporaryDirectory() as folder:
        generated = compile_protos(Path(folder))
        changed = differences(generated)
        if check and changed:
            sys.exit(f"not as generated: {', '.join(changed)}")
        for name in changed:
            (FOLDER / name).unlink(missing_ok=True)
        for path in generated:
            if path.name in changed:
                (FOLDER / path.name).write_bytes(path.read_bytes())
    print(f"{len(generated)} files, {len(changed)} changed")


if __name__ == "__main__":
    main()
