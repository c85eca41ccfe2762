"""Reads and writes recorded outcomes as JSON text, one case a line, exact to the last bit.

Floats are written with the fewest digits that read back as the same float of their dtype, byte
strings as Latin-1 text (which maps every byte to one character), complex numbers as pairs.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from .capture import Outcome, Output

FOLDER = Path(__file__).parent / "recorded"
_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def write_family(family: str, outcomes: dict[str, Outcome], header: dict[str, str]) -> Path:
    """Writes one family's outcomes, sorted by name, below a header that says where from."""
    path = FOLDER / f"{family}.json"
    lines = [json.dumps(key) + ": " + json.dumps(text) for key, text in header.items()]
    for name in sorted(outcomes):
        row = json.dumps(outcome_to_json(outcomes[name]), separators=(",", ":"), allow_nan=False)
        lines.append(f"{json.dumps('case ' + name)}: {row}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")
    return path


def read_family(path: Path) -> tuple[dict[str, Outcome], dict[str, str]]:
    """Returns a recorded family: its outcomes by case name, and its header."""
    outcomes, header = {}, {}
    for key, row in json.loads(path.read_text(encoding="ascii")).items():
        if key.startswith("case "):
            outcomes[key.removeprefix("case ")] = outcome_from_json(row)
        else:
            header[key] = row
    return outcomes, header


def numpy_dtype(name: str) -> np.dtype:
    """The NumPy dtype that holds values of a TensorFlow dtype's name."""
    name = name.removesuffix("_ref")
    if name in ("string", "object"):
        return np.dtype(object)
    if hasattr(ml_dtypes, name):
        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON values."""
    if outcome.error is not None:
        return {"error": outcome.error, "stage": outcome.stage}
    row: dict[str, Any] = {}
    if outcome.tolerance is not None:
        row["tolerance"] = outcome.tolerance
    row["outputs"] = {name: _output_to_json(output) for name, output in outcome.outputs.items()}
    return row


def outcome_from_json(row: dict[str, Any]) -> Outcome:
    """The outcome that `outcome_to_json` made values of."""
    outputs = {name: _output_from_json(output) for name, output in row.get("outputs", {}).items()}
    return Outcome(outputs, row.get("tolerance"), row.get("error"), row.get("stage"))


def _output_to_json(output: Output) -> dict[str, Any]:
    if output.dtype is None:
        return {"literal": output.literal}
    return {
        "dtype": output.dtype,
        "static": output.static_shape,
        "values": [[list(array.shape), _array_to_json(array)] for array in output.values],
    }


def _output_from_json(row: dict[str, Any]) -> Output:
    if "dtype" not in row:
        return Output(literal=row["literal"])
    dtype = numpy_dtype(row["dtype"])
    values = [_array_from_json(shape, data, dtype) for shape, data in row["values"]]
    return Output(row["dtype"], row["static"], values)


def _array_to_json(array: np.ndarray) -> list[Any]:
    flat = array.reshape(-1)
    if flat.dtype.hasobject:
        return [item.decode("latin-1") for item in flat]
    if flat.dtype.kind in "biu":
        return flat.tolist()
    if _is_narrow_int(flat.dtype):
        return flat.astype(np.int64).tolist()
    if flat.dtype.kind == "c":
        flat = flat.view(f"f{flat.dtype.itemsize // 2}")
    return [_float_to_json(item) for item in flat]


def _is_narrow_int(dtype: np.dtype) -> bool:
    return dtype.name in ("int2", "uint2", "int4", "uint4")


def _float_to_json(item: np.floating) -> float | str:
    if not np.isfinite(item):
        return str(float(item))
    if isinstance(item, np.floating):
        return float(np.format_float_scientific(item, unique=True, trim="-"))
    return float(item)


def _array_from_json(shape: list[int], data: list[Any], dtype: np.dtype) -> np.ndarray:
    if dtype.hasobject:
        array = np.empty(len(data), object)
        array[:] = [item.encode("latin-1") for item in data]
        return array.reshape(shape)
    if dtype.kind in "biu":
        return np.array(data, dtype).reshape(shape)
    if _is_narrow_int(dtype):
        return np.array(data, np.int64).astype(dtype).reshape(shape)
    numbers = np.array([_SPECIAL.get(item, item) for item in data], np.float64)
    if dtype.kind == "c":
        return numbers.astype(f"f{dtype.itemsize // 2}").view(dtype).reshape(shape)
    return numbers.astype(dtype).reshape(shape)
