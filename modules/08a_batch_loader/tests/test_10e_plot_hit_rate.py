"""Laws of exercise 10e, plot_hit_rate."""

from tinytorch.figure_laws import Plot
from tinytorch.laws import law


def drawn(draw):
    """Patterns with one, two and three cache sizes, and their points. The one in the
    middle has the smallest and the largest size.
    """
    names = [f"p{number}" for number in draw.permutation(100)[:3].tolist()]
    sizes = [1, *sorted(draw.permutation(range(2, 500))[:5].tolist())]
    rates = [1.0, 0.0, *draw.random(4).round(3).tolist()]
    points = list(zip(sizes, rates, strict=True))
    parts = points[3:4], [points[0], points[2], points[5]], [points[1], points[4]]
    records = dict(zip(names, parts, strict=True))
    return records, {
        name: [(float(size), round(100 * rate, 6)) for size, rate in part]
        for name, part in records.items()
    }


PLOT = Plot("plot_hit_rate", drawn)


@law(1, "drawn on ax", look="new_axes(ax) hands out ax: draw on it, and return it")
def test_the_lines_are_on_the_axes_that_are_returned(tt, inside, draw):
    yield from PLOT.drawn_and_returned(tt, inside, draw)


@law(2, "line of percentages", look="for each pattern one line; 0.25 is at 25")
def test_each_pattern_is_a_line_of_percentages(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    call = f"plot_hit_rate({seen.records}, ax): (x, y) of each line"
    want = [*seen.points.values()]
    yield call, seen.lines, want, sorted(seen.lines) == sorted(want)
    yield from seen.joined()


@law(3, "has a marker", look='marker="o"')
def test_each_line_has_markers(tt, inside, draw):
    got = PLOT.seen(tt, inside, draw).markers
    holds = len(got) == 3 and not {"None", "none", "", " "} & set(got)
    yield "plot_hit_rate(three patterns, ax): markers", got, "one for each line", holds


@law(4, "from 0 to 100", look="ax.set_ylim(0, 100), and no limits of your own for x")
def test_the_limits_show_every_point(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    yield f"{seen.call}: y axis", seen.limits[1], (0.0, 100.0)
    yield from seen.all_visible()


@law(5, "A legend", look="label=... for each line, then ax.legend()")
def test_the_legend_names_every_pattern(tt, inside, draw):
    yield from PLOT.named(tt, inside, draw, {"p": [(1, 0.25), (2, 0.75)]})


@law(6, "axes are labeled", look="ax.set(xlabel=..., ylabel=...)")
def test_the_axes_have_labels(tt, inside, draw):
    yield from PLOT.seen(tt, inside, draw).labeled("cache size (files)", "hit rate (%)")
