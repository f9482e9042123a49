"""Laws of exercise 8b, overlap_speed_up."""

from tinytorch.law_tools import about, worked
from tinytorch.laws import law


def call(given):
    return f"overlap_speed_up({', '.join(f'{one:g}' for one in given)})"


@law(
    1,
    "Without workers",
    look="with workers, the step sets the pace of both; without, how long do all items"
    " of a batch and the step take in the first call, and how long in the second?",
)
def test_without_workers_loading_and_step_add_up(tt, draw):
    k = int(draw.integers(3, 20))
    for item, size, step, times, want in (
        (0.01, 10, 0.4, 4, 1.6),  # 400 + 400 ms in place of 100 + 400 ms
        (0.01, 10, 0.3, 3, 1.5),
        (0.002, 100, 0.8, 2, 1.2),
        (0.01, 3, 0.06, 2, 1.3333),
        (0.01, 10 * k, 0.4 * k, 4, 1.6),
        (0.25, 2, 0.5 * (2 * k - 3), k, 1.5),
    ):
        # equally long with workers, whatever is made of loading and step there
        many, few = (item, size * times, step, 2 * times), (item, size, step, 2)
        yield (
            f"{call(many)} / {call(few)}",
            lambda many=many, few=few: (
                tt.overlap_speed_up(*many) / tt.overlap_speed_up(*few)
            ),
            want,
            about(want),
        )


@law(
    2,
    "With workers",
    look="how long does a batch load with so many workers, how long is the step, and"
    " for which of the two does the other wait?",
)
def test_the_slower_of_loading_and_step_sets_the_pace(tt, draw):
    k = int(draw.integers(2, 10))
    table = [
        (0.01, 10, 0.05, 4, 3.0),  # 150 ms before; the step takes 50, loading 25
        (0.01, 10, 0.02, 2, 2.4),  # 120 ms before; the step takes 20, loading 50
        (0.01, 10, 0.02, 1, 1.2),
        (0.01, 10, 0.05, 2, 3.0),  # more than two times
        (0.01, 10, 0.1, 1, 2.0),
        (0.001, 64, 0.3, 8, 1.2133),
        (0.03, 32, 0.02, 4, 4.0833),
        (0.001, 500, 0.0001, 100, 100.0),
        (0.01, 2, 0.001, 8, 8.4),  # more workers than items in a batch
        (0.01, 1, 0.0001, 2 * k, 2.02 * k),
        (0.01, 10, 0.1, k, 2.0),
        (0.01, 10, 0.0001, k, float(k)),
        (0.01 * k, 10, 0.02 * k, 2, 2.4),
        (0.01, 10 * k, 0.02, 2 * k, 2 * k + 0.4),
    ]
    yield from worked(tt, "overlap_speed_up", table)
