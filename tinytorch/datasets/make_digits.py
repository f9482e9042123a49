"""Make `data/digits.npz` from scikit-learn's copy of the digits: `python -m
tinytorch.datasets.make_digits`.

This was run once, with scikit-learn 1.9.1. The file that it makes is part of the package, so only
those who repeat the run need scikit-learn. The same data give the same file, byte for byte, because
the split below uses no random numbers.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

NUM_TEST = 360  # of 1,797: a fifth, rounded up


def stratified_test_mask(labels: np.ndarray, num_test: int) -> np.ndarray:
    """Return a bool mask (N,) of `num_test` samples. Each class has its proportional share (by
    largest remainders), and its samples are spread evenly over the file.
    """
    counts = np.bincount(labels)
    exact = counts * num_test / len(labels)
    share = np.floor(exact).astype(int)
    share[np.argsort(share - exact, kind="stable")[: num_test - share.sum()]] += 1
    mask = np.zeros(len(labels), dtype=bool)
    for label, take in enumerate(share):
        places = np.flatnonzero(labels == label)
        mask[places[(np.arange(take) * len(places) + len(places) // 2) // take]] = True
    return mask


def main() -> None:
    from sklearn.datasets import load_digits

    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.uint8)
    path = Path(__file__).parent / "data" / "digits.npz"
    np.savez_compressed(
        path, images=images, labels=labels, is_test=stratified_test_mask(labels, NUM_TEST)
    )
    print(f"{path}: {len(images)} images, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
