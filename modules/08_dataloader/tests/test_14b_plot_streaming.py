"""Laws of exercise 14b, plot_streaming."""

from tinytorch.figure_laws import Plot
from tinytorch.laws import law


def drawn(draw):
    """Records of three names, and the points (seconds, MB) that belong to them. No line
    begins at 0 s; the second one has the latest time and the most memory.
    """
    names = [f"way {number}" for number in draw.permutation(90)[:3].tolist()]
    points = {}
    for name, count, most in zip(names, (3, 4, 2), (9, 4000, 60), strict=True):
        steps = draw.integers(1, 4 * most, count).cumsum() + draw.integers(1, 9)
        kilobytes = 1000 * most * (1 + draw.permutation(9)[:count])
        held = (kilobytes + draw.integers(0, 1000, count)) / 1000
        points[name] = [*zip((steps / 4).tolist(), held.tolist(), strict=True)]
    records = {
        name: [(seconds, round(held * 1e6)) for seconds, held in line]
        for name, line in points.items()
    }
    return records, points


PLOT = Plot("plot_streaming", drawn)


@law(1, "Axes it is given", look="draw on ax = new_axes(ax), and return ax")
def test_the_lines_are_on_the_axes_that_are_returned(tt, inside, draw):
    yield from PLOT.drawn_and_returned(tt, inside, draw)


@law(2, "axes are labeled", look="ax.set(xlabel=..., ylabel=...), as the Contract says")
def test_the_axes_have_labels(tt, inside, draw):
    yield from PLOT.seen(tt, inside, draw).labeled("time (s)", "memory (MB)")


@law(
    3,
    "drawn in MB",
    look="for each name one ax.plot(seconds, MB), where a MB is a million bytes",
)
def test_memory_is_a_line_for_each_name(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    lines, points = (
        sorted([held for _, held in line] for line in some)
        for some in (seen.lines, seen.points.values())
    )
    yield f"{seen.call}: lines, the MB of each", lines, points
    yield from seen.joined()


@law(
    4,
    "each point is its",
    look="x is the seconds as they were recorded: are they passed to ax.plot, and is"
    " anything subtracted?",
)
def test_the_points_are_at_their_times(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    for name, want in seen.points.items():
        records = f"{{{name!r}: {seen.records[name]}, ...}}"
        yield f"plot_streaming({records}, ax): (x, y) of it", seen.line(len(want)), want


@law(
    5,
    "a legend shows them",
    look="label=name for each line, then ax.legend(); is it another line's name?",
)
def test_the_legend_names_every_line(tt, inside, draw):
    yield from PLOT.named(tt, inside, draw, {"way": [(2.5, 3_000_000), (4.0, 1_000)]})


@law(
    6,
    "inside the visible axes",
    look="limits that are numbers of yours, or that are set before the lines are drawn",
)
def test_the_limits_show_every_point(tt, inside, draw):
    yield from PLOT.seen(tt, inside, draw).all_visible()
