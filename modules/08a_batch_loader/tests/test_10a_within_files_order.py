"""Laws of exercise 10a, within_files_order."""

import numpy as np

from tinytorch.laws import law

FROM_RNG = "do all random numbers come from rng, made of [seed, epoch] as given?"


def sizes(draw):
    """Records and file length: drawn ones after the special cases."""
    yield from ((17, 5), (6, 3), (5, 1), (1, 7), (0, 5))
    for _ in range(3):
        yield int(draw.integers(15, 30)), int(draw.integers(2, 12))


def in_order(order):
    return np.sort(order) if isinstance(order, np.ndarray) else order


@law(1, "every index", look="all records of every file, and the dtype of no records")
def test_every_record_comes_once(tt, draw):
    for n, length in sizes(draw):
        yield (
            f"np.sort(within_files_order({n}, {length}, seed=4))",
            lambda n=n, length=length: in_order(tt.within_files_order(n, length, 4)),
            np.arange(n, dtype=np.int64),
        )


@law(2, "come before those", look="only the records inside one file's part are shuffled")
def test_the_files_come_one_after_another(tt, draw):
    def files(n, length):
        return (np.asarray(tt.within_files_order(n, length, 4)) // length).tolist()

    for n, length in sizes(draw):
        call = f"within_files_order({n}, {length}, seed=4) // {length}: the files"
        want = sorted(np.resize(range(-(-n // length)), n).tolist()) if n else []
        if n % length == 0 or n < length:
            yield call, lambda n=n, length=length: files(n, length), want
