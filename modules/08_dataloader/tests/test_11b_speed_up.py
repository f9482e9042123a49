"""Laws of exercise 11b, speed_up."""

from tinytorch.law_tools import worked
from tinytorch.laws import law


@law(
    1,
    "time before",
    look="how long does a step take before, and how long when its loading takes no time"
    " of its own? Nothing is rounded",
)
def test_the_speed_up_compares_a_step_with_what_is_left_of_it(tt, draw):
    k = int(draw.integers(1, 2_000)) / 4
    table = [
        (10, 4, 5, 1, 2.0),
        (10, 20, 15, 5, 1.25),
        (3, 4, 12, 8, 1.125),
        (3, 8, 4, 12, 1.125),
        (0.004, 0.002, 0.001, 0.005, 1.5),
        (3_000, 5_000, 1_000, 2_000, 1.375),
        (0, 4, 5, 1, 1.0),
        (k, k, k, k, 1.3333),
        (k, 2 * k, k, 5 * k, 1.125),
        (3 * k, k, 2 * k, k, 1.75),
    ]
    yield from worked(tt, "speed_up", table)
