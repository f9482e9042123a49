"""Laws of exercise 10d, plot_file_loads."""

from tinytorch.figure_laws import Plot
from tinytorch.laws import law


def drawn(draw):
    """Patterns with one load, with many, and two with equally many; also as bars."""
    names = [f"p{number}" for number in draw.permutation(100)[:4].tolist()]
    equal, many = (int(loads) for loads in draw.integers(2, 50, 2))
    records = dict(zip(names, (equal, 100_000 * many, 1, equal), strict=True))
    return records, [([name], float(loads)) for name, loads in records.items()]


PLOT = Plot("plot_file_loads", drawn)


@law(1, "drawn on ax", look="new_axes(ax) hands out ax: draw on it, and return it")
def test_the_bars_are_on_the_axes_that_are_returned(tt, inside, draw):
    yield from PLOT.drawn_and_returned(tt, inside, draw)


@law(2, "one bar", look="ax.bar(names, heights): both from records, in the same order")
def test_each_pattern_has_a_bar_over_its_name(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    call = f"plot_file_loads({seen.records}, ax): each bar"
    yield call, seen.bars, seen.points, sorted(seen.bars) == sorted(seen.points)


@law(3, "log scale", look='ax.set_yscale("log"); do limits of your own cut a bar?')
def test_the_scale_is_logarithmic_and_shows_all_bars(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    call = f"plot_file_loads({seen.records}, ax)"
    yield f"{call}: scale", seen.scales[1][0], "log"
    low, high = sorted(seen.limits[1])
    most = max(seen.records.values())
    got, want = f"from {low:.4g} to {high:.4g}", f"from below 1 to {most} or more"
    yield f"{call}: y axis", got, want, low < 1 <= most <= high


@law(4, "axes are labeled", look="ax.set(xlabel=..., ylabel=...)")
def test_the_axes_have_labels(tt, inside, draw):
    labels = "access pattern", "file loads per epoch"
    yield from PLOT.seen(tt, inside, draw).labeled(*labels)
