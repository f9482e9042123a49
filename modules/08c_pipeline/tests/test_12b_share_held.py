"""Laws of exercise 12b, share_held."""

from tinytorch.law_tools import worked
from tinytorch.laws import law


@law(1, "files that fit", look="how many files fit into 10**6 bytes for each MB?")
def test_the_share_is_the_files_that_fit(tt, draw):
    k = int(draw.integers(2, 40))
    yield from worked(
        tt,
        "share_held",
        [
            (10, 100_000, 400, 0.25),
            (50, 100_000, 625, 0.8),
            (2048, 110e3, 1_200_000, 0.015515),
            (10, 4e6, 5, 0.5),  # 2.5 files fit
            (1, 4e6, 100, 0.0025),
            (0.5, 100_000, 10, 0.5),
            (1.75, 25_000, 100, 0.7),
            (50, 100_000, 1000 * k, 0.5 / k),
            (50, 100_000 * k, 1000, 0.5 / k),
            (50 * k, 100_000, 40_000, k / 80),
        ],
    )


@law(2, "at most 1", look="500 files would fit; what if there are 300?")
def test_a_buffer_holds_no_more_than_the_dataset(tt, draw):
    files = int(draw.integers(2, 450))
    yield from worked(
        tt,
        "share_held",
        [
            (10, 100_000, 50, 1),
            (50, 100_000, 300, 1),
            (50, 100_000, 500, 1),
            (50, 100_000, files, 1),
            (5000, 1000, 1, 1),
            (50, 100_000, 1000, 0.5),
        ],
    )
