"""Trained from the same seed, the digits example goes TensorFlow's way."""

from __future__ import annotations

import json

import numpy as np
import pytest

import featherflow as tf
from differential.record_digits_training import RECORD, train

#: Sums are rounded in another order than TensorFlow's, in one that depends on the processor; the
#: difference grows with the steps (seen: 5e-4 in the last).
MAX_LOSS_DIFFERENCE = 2e-3


@pytest.mark.slow
def test_same_weights_and_same_losses() -> None:
    recorded = json.loads(RECORD.read_text())
    trained = train(tf)
    assert trained["weights"] == recorded["weights"]
    difference = np.abs(np.subtract(trained["losses"], recorded["losses"]))
    assert difference.max() <= MAX_LOSS_DIFFERENCE
