"""The initialisers that layers take for biases, offsets and scales unless they are told others."""

from __future__ import annotations

from featherflow.ops.init_ops import Ones, Zeros

ZEROS = Zeros()
ONES = Ones()
