"""Laws of exercise 11c, sequential_hit_rate."""

from tinytorch.law_tools import worked
from tinytorch.laws import law


@law(
    1, "but the first", look="how many batches does a file serve? All but one are hits"
)
def test_all_batches_of_a_file_but_one_are_hits(tt, draw):
    k = int(draw.integers(2, 200))
    table = [
        (12, 3, 0.75),
        (12, 6, 0.5),
        (12, 12, 0.0),
        (500, 50, 0.9),
        (10_000, 8, 0.9992),
        (4 * k, k, 0.75),
        (100 * k, 4 * k, 0.96),
    ]
    yield from worked(tt, "sequential_hit_rate", table, within=1e-9)
