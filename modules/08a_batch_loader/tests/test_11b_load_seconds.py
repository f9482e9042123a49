"""Laws of exercise 11b, load_seconds."""

from tinytorch.law_tools import worked
from tinytorch.laws import law


@law(1, "is not held", look="which share of the records lies in a file not in memory?")
def test_records_of_files_that_are_not_held_cost_a_load(tt, draw):
    k = int(draw.integers(2, 40))
    yield from worked(
        tt,
        "load_seconds",
        [
            (1000, 4, 1, 0.1, 75.0),
            (50_000, 5, 1, 0.05, 2000.0),
            (1000, 2, 1, 0.001, 0.5),
            (10, 3, 1, 1.0, 20 / 3),
            (1000 * k, 4, 1, 0.1, 75.0 * k),
            (1000, 4, 1, 0.1 * k, 75.0 * k),
        ],
    )


@law(2, "more slots", look="which share of the files do the slots hold, on average?")
def test_each_slot_saves_loads(tt, draw):
    k = int(draw.integers(2, 20))
    yield from worked(
        tt,
        "load_seconds",
        [
            (1000, 4, 3, 0.1, 25.0),
            (50_000, 5, 2, 0.05, 1500.0),
            (50_000, 5, 4, 0.05, 500.0),
            (10, 5, 4, 1.0, 2.0),  # memory is not empty at first
            (1000, 4 * k, 2 * k, 0.1, 50.0),
            (1000, 4 * k, 3 * k, 0.1, 25.0),
        ],
    )
