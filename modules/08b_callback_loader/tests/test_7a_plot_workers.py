"""Laws of exercise 7a, plot_workers."""

from tinytorch.figure_laws import Plot
from tinytorch.laws import law


def drawn(draw):
    """Records of three names, and the points (workers, speed-up) that belong to them.
    No line only rises or only falls, and each has another number of points. The second
    has the most workers and the largest speed-up, the last a single point.
    """
    names = [f"set {number}" for number in draw.permutation(90)[:3].tolist()]
    records, points = {}, {}
    for position, name in enumerate(names):
        alone = 4 * int(draw.integers(1, 9)) * (1, 20, 300)[position]
        few, some = int(draw.integers(1, 5)), int(draw.integers(5, 10))
        many = int(draw.integers(10, 13)) + 5 * position
        low, mid = int(draw.integers(1, 4)), int(draw.integers(5, 8))
        high = int(draw.integers(8, 20)) + 100 * position
        quarters = {0: 4, few: high, some: low, many: mid}
        order = [(some, many, 0, few), (many, 0, few), (0,)][position]
        points[name] = [
            (float(k), part / 4) for k, part in quarters.items() if k in order
        ]
        records[name] = [(k, alone / 4 * quarters[k]) for k in order]
    return records, points


PLOT = Plot("plot_workers", drawn)
ONE = {"set": [(0, 4), (2, 6)]}


@law(1, "given Axes", look="draw on ax = new_axes(ax), and return ax")
def test_the_lines_are_on_the_axes_that_are_returned(tt, inside, draw):
    yield from PLOT.drawn_and_returned(tt, inside, draw)

    def own():
        seen = PLOT.picture(inside, ONE, own=True)
        return seen.returned, seen.count > 0

    call = f"plot_workers({ONE}) after another picture: what is returned, with lines?"
    yield call, lambda: own(), ("other Axes", True)


@law(2, "label in a legend", look="label=name in each ax.plot, then ax.legend()")
def test_each_name_is_a_line_in_the_legend(tt, inside, draw):
    yield from PLOT.named(tt, inside, draw, ONE)
    yield from PLOT.seen(tt, inside, draw).joined()


@law(
    3,
    "divided by the rate",
    look="x: the number of workers; y: the rate / the rate that this name has with 0"
    " workers, wherever that record is",
)
def test_a_point_is_a_speed_up_over_no_workers(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    for name, want in seen.points.items():
        call = f"plot_workers({{{name!r}: {seen.records[name]}, ...}}, ax): its points"
        yield call, sorted(seen.line(len(want))), sorted(want)


@law(
    4,
    "fewest workers",
    look="in which order does ax.plot get the points? By the number of workers:"
    " sorted(rows)",
)
def test_a_line_goes_to_the_right(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    for name, points in seen.points.items():
        got = [x for x, _ in seen.line(len(points))]
        records = f"{{{name!r}: {seen.records[name]}, ...}}"
        want = sorted(x for x, _ in points)
        yield f"plot_workers({records}, ax): x of its line", got, want


@law(5, "The labels are", look="ax.set(xlabel=..., ylabel=...), word for word")
def test_the_axes_have_labels(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    want = ["worker processes", "speed-up over 0 workers (x)"]
    yield f"{seen.call}: labels along x and y", seen.labels, want


@law(
    6,
    "axis begins at 0",
    look="ax.set_ylim(bottom=0) after all lines, as it fixes the other end too; no"
    " other limits",
)
def test_the_limits_show_every_point(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    yield from seen.begins_at_0()
    yield from seen.all_visible()


@law(
    7,
    "not changed",
    look="sorted makes a new list; sort, pop and remove change the caller's",
)
def test_the_records_stay_as_they_were(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    count, names = len(seen.records), list(seen.records)
    yield f"{seen.call}: lines on ax", seen.count, count, seen.count > 0
    yield f"{seen.call}: names of the records afterwards", [*seen.afterwards], names
    for name, want in seen.records.items():
        yield f"{seen.call}: records[{name!r}] afterwards", seen.afterwards[name], want
