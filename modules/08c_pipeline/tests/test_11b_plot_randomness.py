"""Laws of exercise 11b, plot_randomness."""

from tinytorch.laws import law


def picture(tt, records):
    """What plot_randomness draws, and the records afterwards."""
    from matplotlib.figure import Figure

    ax, records = Figure().subplots(), type(records)(records)
    got = tt.plot_randomness(records, ax)
    return {
        "returned": "ax" if got is ax else type(got).__name__,
        "lines": [
            [len(line.get_xdata()), str(line.get_marker()), line.get_linestyle()]
            for line in ax.get_lines()
        ],
        "points": [
            [[round(float(x), 6), round(float(y), 6)] for x, y in line.get_xydata()]
            for line in ax.get_lines()
        ],
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "x": [float(end) for end in ax.get_xlim()],
        "y": [float(end) for end in ax.get_ylim()],
        "records": [tuple(map(float, record)) for record in records],
    }


def drawn(draw):
    """Five pairs, and their MB and percent. The sizes rise, the qualities do not."""
    sizes = [2500, *sorted(draw.permutation(range(2600, 90_000))[:4].tolist())]
    low, second, third, high = sorted(draw.permutation(range(1, 1900))[:4].tolist())
    shares = [125, second, high, low, third]
    records = [(1000 * a, b / 1000) for a, b in zip(sizes, shares, strict=True)]
    return records, [a / 1000 for a in sizes], [b / 10 for b in shares]


def line_of(facts, axis, count):
    """The numbers along one axis of the line with `count` points."""
    lines = [line for line in facts["points"] if len(line) == count]
    return [point[axis] for point in lines[0]] if lines else facts["points"]


@law(1, "draws on the Axes", look="new_axes(ax) hands out ax: draw on it, return it")
def test_the_line_is_on_the_axes_that_are_returned(inside, draw):
    records = drawn(draw)[0]
    facts = inside(picture, records)
    yield f"plot_randomness({records}, ax)", facts["returned"], "ax"
    count = len(facts["lines"])
    yield f"plot_randomness({records}, ax): lines on ax", count, 1, count > 0


@law(2, "with a marker", look='ax.plot(..., marker="o"), once for all pairs')
def test_one_line_has_all_points(inside, draw):
    some = drawn(draw)[0]
    # a size comes twice, then a pair
    for records in (some, [*some, (some[-1][0], 1.95)], [*some, some[-1]]):
        lines = inside(picture, records)["lines"]
        holds = any(
            count == len(records) and not {marker, style} & {"None", "none", "", " "}
            for count, marker, style in lines
        )
        call = f"plot_randomness({records}, ax): points, marker and style of each line"
        yield call, lines, [[len(records), "o", "-"]], holds


@law(3, "x axis shows MB", look="the first number of each pair; MB are not MiB")
def test_x_is_in_megabytes(inside, draw):
    records, megabytes, _ = drawn(draw)
    got = line_of(inside(picture, records), 0, len(records))
    yield f"plot_randomness({records}, ax): x of the line", got, megabytes


@law(4, "quality in percent", look="the second number of each pair, in its order")
def test_y_is_in_percent(inside, draw):
    records, _, percent = drawn(draw)
    got = line_of(inside(picture, records), 1, len(records))
    yield f"plot_randomness({records}, ax): y of the line", got, percent


@law(5, "label with its unit", look="ax.set(xlabel=..., ylabel=...)")
def test_the_axes_have_labels(inside, draw):
    got = inside(picture, drawn(draw)[0])["labels"]
    want = ["... MB ...", "... % ..."]
    holds = "MB" in got[0] and "%" in got[1]
    yield "plot_randomness(records, ax): labels along x and y", got, want, holds


@law(6, "begins at 0", look="ax.set_ylim(bottom=0), after the line; no other limits")
def test_the_limits_show_every_point(inside, draw):
    share = int(draw.integers(110, 190)) / 100
    for records in (
        [(0, 0.0), (40_000_000, share)],
        [(9_000_000_000, 0.9), (3_000_000_000, 0.8)],
    ):
        facts = inside(picture, records)
        (left, right), (bottom, top) = facts["x"], facts["y"]
        sizes = sorted(size / 1e6 for size, _ in records)
        most = 100 * max(quality for _, quality in records)
        got = f"x from {left:.4g} to {right:.4g}, y from {bottom:.4g} to {top:.4g}"
        want = f"y from 0 to {most:.4g} or more; {sizes[0]:g} and {sizes[-1]:g} in x"
        inner = left <= sizes[0] and sizes[-1] <= right and most <= top
        holds = bottom == 0 and inner and len(facts["lines"]) > 0
        yield f"plot_randomness({records}, ax)", got, want, holds


@law(
    7,
    "list or a tuple",
    look="sorted(records) is a new list, records.sort() changes the caller's; a tuple"
    " has neither sort() nor pop()",
)
def test_records_stay_as_they_were(inside, draw):
    pairs = drawn(draw)[0][::-1]
    for records in (pairs, tuple(pairs)):
        yield (
            f"plot_randomness({records}, ax): records afterwards, and is there a line?",
            lambda records=records: [
                (facts["records"], len(facts["lines"]) > 0)
                for facts in [inside(picture, records)]
            ],
            [([(float(size), quality) for size, quality in pairs], True)],
        )
