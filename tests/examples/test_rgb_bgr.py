"""The example that swaps an image's channels: equal results, and an explanation of each way."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import featherflow as tf
from featherflow.cli.main import main

PATH = Path(__file__).resolve().parents[2] / "examples" / "rgb_bgr.py"


@pytest.fixture
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rgb_bgr", PATH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_ways_swap_the_channels(example: ModuleType) -> None:
    image = np.random.RandomState(0).randint(0, 256, (5, 7, 3)).astype(np.uint8)
    with tf.Graph().as_default():
        swapped = example.swapped_in_all_ways(image)
    assert list(swapped) == ["transpose", "split", "reverse"]
    for result in swapped.values():
        np.testing.assert_array_equal(result, image[..., ::-1])


def test_explain_names_the_kernels_of_each_way(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(PATH)]) == 0
    explained = capsys.readouterr().out
    assert "3 ways, equal results" in explained
    for op in ("Transpose", "GatherV2", "Split", "ConcatV2", "ReverseV2"):
        lines = [line for line in explained.splitlines() if f" {op} " in line]
        assert any("featherflow/ops/" in line and " ms " in line for line in lines)
