"""Laws of exercise 11d, hours_saved."""

from tinytorch.law_tools import worked
from tinytorch.laws import law

SLOWER = (
    "the second run takes longer here: what does a negative number of saved hours say?"
)


@law(
    1,
    "Each model saves",
    look="what does one model save, and how many models are there? Hours need not be"
    " whole",
)
def test_the_models_save_hours_together(tt, draw):
    k = int(draw.integers(3, 90))
    table = [
        (10, 3, 2, 10),
        (4, 3, 2.5, 2),
        (1, 0.75, 0.25, 0.5),
        (250, 8.5, 1, 1_875),
        (k, 5, 3.5, 1.5 * k),
        (4, k + 2.5, k, 10),
        (6, 3 * k, k, 12 * k),
    ]
    yield from worked(tt, "hours_saved", table)


@law(1, "Each model saves", look=SLOWER)
def test_a_slower_run_saves_a_negative_number_of_hours(tt, draw):
    k = int(draw.integers(3, 90))
    table = [
        (10, 2, 3, -10),
        (4, 2.5, 3, -2),
        (k, 3.5, 5, -1.5 * k),
        (4, k, k + 2.5, -10),
    ]
    yield from worked(tt, "hours_saved", table)
