"""Writes examples/data/digits.npz from scikit-learn's copy of the handwritten digits.

Run it with scikit-learn installed; the examples and tests need only the file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

TARGET = Path(__file__).resolve().parent.parent / "examples" / "data" / "digits.npz"


def main() -> None:
    digits = load_digits()
    images = digits.images.astype(np.uint8)  # [1797, 8, 8], 0 … 16
    labels = digits.target.astype(np.uint8)  # [1797], 0 … 9
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(TARGET, images=images, labels=labels)
    print(f"{TARGET}: {len(images)} images, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
