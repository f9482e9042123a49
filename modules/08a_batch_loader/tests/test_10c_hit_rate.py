"""Laws of exercise 10c, hit_rate."""

from tinytorch.laws import Case, law


def near(want):
    return lambda got: abs(got - want) < 1e-9


@law(1, "needed no load", look="loads / num_records is the miss rate; no rounding")
def test_the_rate_counts_records_without_a_load(tt, draw):
    k = int(draw.integers(2, 5000))
    for loads, records, want in (
        (3, 4, 0.25),
        (0, 10, 1.0),
        (10, 10, 0.0),
        (0, 1, 1.0),
        (1, 100_000, 0.99999),
        (k, 10 * k, 0.9),
        (7 * k, 8 * k, 0.125),
    ):
        call = f"hit_rate({loads}, {records})"
        yield call, lambda a=loads, n=records: tt.hit_rate(a, n), want, near(want)


@law(2, "no records", look="ask for no records first, whatever the loads are")
def test_a_rate_over_no_records_is_refused(tt):
    yield "hit_rate(1, 2)", lambda: tt.hit_rate(1, 2), 0.5, near(0.5)
    for loads in (0, 3):
        call = f"hit_rate({loads}, 0)"
        yield Case(call, lambda a=loads: tt.hit_rate(a, 0), raises=ValueError)
