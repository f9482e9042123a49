"""Laws of exercise 10c, hit_rate."""

from tinytorch.law_tools import worked
from tinytorch.laws import Case, law


@law(1, "needed no load", look="loads / num_records is the miss rate; no rounding")
def test_the_rate_counts_records_without_a_load(tt, draw):
    k = int(draw.integers(2, 5000))
    table = [
        (3, 4, 0.25),
        (0, 10, 1.0),
        (10, 10, 0.0),
        (0, 1, 1.0),
        (1, 100_000, 0.99999),
        (k, 10 * k, 0.9),
        (7 * k, 8 * k, 0.125),
    ]
    yield from worked(tt, "hit_rate", table, within=1e-9)


@law(2, "no records", look="ask for no records first, whatever the loads are")
def test_a_rate_over_no_records_is_refused(tt, draw):
    k = int(draw.integers(4, 10**6))
    yield f"hit_rate({k}, {2 * k})", lambda: tt.hit_rate(k, 2 * k), 0.5
    for loads in (0, 3, k):
        call = f"hit_rate({loads}, 0)"
        yield Case(call, lambda a=loads: tt.hit_rate(a, 0), raises=ValueError)
