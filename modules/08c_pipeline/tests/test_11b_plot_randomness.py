"""Laws of exercise 11b, plot_randomness."""

from tinytorch.figure_laws import Plot
from tinytorch.laws import law


def drawn(draw):
    """Pairs in any order, and their MB and percent: a size comes twice, and a pair. The
    larger of two buffers is not always the better one, and one beats a full shuffle.
    """
    sizes = [0, 2500, *sorted(draw.permutation(range(2600, 90_000))[:4].tolist())]
    low, second, third = sorted(draw.permutation(range(1, 1000))[:3].tolist())
    shares = [0, 125, second, int(draw.integers(1100, 1900)), low, third]
    pairs = [*zip(sizes, shares, strict=True), (sizes[-1], 1050), (2500, 125)]
    pairs = [pairs[number] for number in (3, 6, 1, 5, 0, 7, 4, 2)]
    points = [(a / 1000, b / 10) for a, b in pairs]
    return [(1000 * a, b / 1000) for a, b in pairs], points


PLOT = Plot("plot_randomness", drawn)


@law(1, "draws on the Axes", look="new_axes(ax) hands out ax: draw on it, return it")
def test_the_line_is_on_the_axes_that_are_returned(tt, inside, draw):
    yield from PLOT.drawn_and_returned(tt, inside, draw)


@law(2, "with a marker", look='ax.plot(..., marker="o"), once for all pairs')
def test_one_line_has_all_points(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    count = len(seen.records)
    lines = zip(map(len, seen.lines), seen.markers, seen.styles, strict=True)
    got = [*map(list, lines)]
    holds = any(
        one[0] == count and not {*one[1:]} & {"None", "none", "", " "} for one in got
    )
    call = f"plot_randomness({seen.records}, ax): points, marker and style of each line"
    yield call, got, [[count, "o", "-"]], holds


@law(3, "x axis shows MB", look="the first number of each pair; MB are not MiB")
def test_x_is_in_megabytes(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    got, want = (
        sorted(x for x, _ in points)
        for points in (seen.line(len(seen.records)), seen.points)
    )
    yield f"plot_randomness({seen.records}, ax): x of the line, sorted", got, want


@law(4, "quality in percent", look="the second number of each pair, in its order")
def test_y_is_in_percent(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    got, want = (
        [y for _, y in sorted(points)]
        for points in (seen.line(len(seen.records)), seen.points)
    )
    call = f"plot_randomness({seen.records}, ax): y of the line, from left to right"
    yield call, got, want


@law(5, "label with its unit", look="ax.set(xlabel=..., ylabel=...)")
def test_the_axes_have_labels(tt, inside, draw):
    got = PLOT.seen(tt, inside, draw).labels
    want = ["... MB ...", "... % ..."]
    holds = "MB" in got[0] and "%" in got[1]
    yield "plot_randomness(records, ax): labels along x and y", got, want, holds


@law(6, "begins at 0", look="ax.set_ylim(bottom=0), after the line; no other limits")
def test_the_limits_show_every_point(tt, inside, draw):
    few = [(9_000_000 * int(draw.integers(500, 2000)), 0.9), (3_000_000_000, 0.8)]
    none = [(2_000_000, 0.0)]
    others = (PLOT.picture(inside, records) for records in (few, none))
    for seen in (PLOT.seen(tt, inside, draw), *others):
        yield from seen.begins_at_0()
        yield from seen.all_visible()


@law(
    7,
    "list or a tuple",
    look="sorted(records) is a new list, records.sort() changes the caller's; a tuple"
    " has neither sort() nor pop()",
)
def test_records_stay_as_they_were(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    pairs = tuple(seen.records[:2])
    for records, picture in (
        (seen.records, lambda: seen),
        (pairs, lambda: PLOT.picture(inside, pairs)),
    ):
        yield (
            f"plot_randomness({records}, ax): records afterwards, and is there a line?",
            lambda picture=picture: (picture().afterwards, picture().count > 0),
            (records, True),
        )
