"""Laws of exercise 11c, hours_saved."""

from tinytorch.law_tools import worked
from tinytorch.laws import law


@law(
    1,
    "Each model saves",
    look="which share of a step is loading, how many hours is that in one run, and how"
    " many models are there? Hours need not be whole",
)
def test_the_models_save_the_share_of_their_loading(tt, draw):
    k = int(draw.integers(3, 90))
    table = [
        (10, 3, 10, 20, 10),
        (4, 3, 1, 5, 2),
        (1, 0.75, 0.002, 0.004, 0.25),
        (250, 10, 30, 70, 750),
        (7, 8, 5, 5, 28),
        (5, 6, 0, 4, 0),
        (k, 6, 7, 21, 1.5 * k),
        (4, k, 10, 30, k),
        (6, 5, k, 4 * k, 6),
    ]
    yield from worked(tt, "hours_saved", table)


@law(
    2,
    "hidden only for",
    look="the next batch is loaded while the rest of a step runs: how much of the"
    " loading is done when the rest ends?",
)
def test_loading_is_hidden_no_longer_than_the_rest_lasts(tt, draw):
    k = int(draw.integers(3, 90))
    table = [
        (10, 3, 20, 5, 6),
        (4, 3, 5, 1, 2),
        (1, 0.75, 0.004, 0.002, 0.25),
        (5, 6, 4, 0, 0),
        (k, 6, 21, 7, 1.5 * k),
        (6, 5, 4 * k, k, 6),
    ]
    yield from worked(tt, "hours_saved", table)
