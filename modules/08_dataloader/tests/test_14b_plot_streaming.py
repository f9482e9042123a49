"""Laws of exercise 14b, plot_streaming."""

from tinytorch.laws import law


def picture(tt, records):
    """What plot_streaming draws."""
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    got = tt.plot_streaming(records, ax)
    lines, legend = ax.get_lines(), ax.get_legend()
    return {
        "returned": "ax" if got is ax else type(got).__name__,
        "lines": [
            [(round(float(x), 6), round(float(y), 6)) for x, y in line.get_xydata()]
            for line in lines
        ],
        "names": [str(line.get_label()) for line in lines],
        "joined": [line.get_linestyle() for line in lines],
        "x": sorted(float(end) for end in ax.get_xlim()),
        "y": sorted(float(end) for end in ax.get_ylim()),
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "legend": [text.get_text() for text in legend.get_texts()] if legend else [],
    }


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


def short(records):
    """The call with the names alone, as records are long."""
    return (
        f"plot_streaming({{{', '.join(f'{name!r}: [...]' for name in records)}}}, ax)"
    )


@law(1, "Axes it is given", look="draw on ax = new_axes(ax), and return ax")
def test_the_lines_are_on_the_axes_that_are_returned(inside, draw):
    records = drawn(draw)[0]
    facts = inside(picture, records)
    yield short(records), facts["returned"], "ax"
    count = len(facts["lines"])
    yield f"{short(records)}: lines on ax", count, len(records), count > 0


@law(2, "axes are labeled", look="ax.set(xlabel=..., ylabel=...), as the Contract says")
def test_the_axes_have_labels(inside, draw):
    got = inside(picture, drawn(draw)[0])["labels"]
    want = ["time (s)", "memory (MB)"]
    holds = all(text in label for text, label in zip(want, got, strict=True))
    yield "plot_streaming(records, ax): labels along x and y", got, want, holds


@law(
    3,
    "drawn in MB",
    look="for each name one ax.plot(seconds, MB), where a MB is a million bytes",
)
def test_memory_is_a_line_for_each_name(inside, draw):
    records, points = drawn(draw)
    facts = inside(picture, records)
    call = f"{short(records)}: lines, the MB of each"
    got = sorted([held for _, held in line] for line in facts["lines"])
    yield call, got, sorted([held for _, held in line] for line in points.values())
    kinds = facts["joined"]
    yield f"{short(records)}: line styles", kinds, ["-"] * 3, "None" not in kinds


@law(
    4,
    "stands over its time",
    look="x is the seconds as they were recorded: are they passed to ax.plot, and is"
    " anything subtracted?",
)
def test_the_points_stand_over_their_times(inside, draw):
    records, points = drawn(draw)
    lines = inside(picture, records)["lines"]
    for name, want in points.items():
        # the line that begins with this memory, whatever its name
        got = next((one for one in lines if one and one[0][1] == want[0][1]), lines)
        call = f"plot_streaming({{{name!r}: {records[name]}, ...}}, ax): (x, y) of it"
        yield call, got, want


@law(
    5,
    "a legend shows them",
    look="label=name for each line, then ax.legend(); is it another line's name?",
)
def test_the_legend_names_every_line(inside, draw):
    records, points = drawn(draw)
    facts = inside(picture, records)
    names, lines = facts["legend"], facts["lines"]
    yield f"{short(records)}: legend", sorted(names), sorted(records)
    one = {names[0]: records[names[0]]}
    yield f"{short(one)}: legend", inside(picture, one)["legend"], [*one]
    # a line without a label of its own has the legend's name of the same position
    own = dict(zip(facts["names"], lines, strict=True))
    for name, line in zip(names, lines, strict=False):
        got = [held for _, held in own.get(name, line)]
        want = [held for _, held in points[name]]
        yield f"{short(records)}: MB of the line {name!r}", got, want


@law(
    6,
    "inside the visible axes",
    look="limits that are numbers of yours, or that are set before the lines are drawn",
)
def test_the_limits_show_every_point(inside, draw):
    records, points = drawn(draw)
    facts = inside(picture, records)
    count = sum(map(len, facts["lines"]))
    yield f"{short(records)}: points on ax", count, 9, count > 0
    every = [point for line in points.values() for point in line]
    for axis, values in zip("xy", zip(*every, strict=True), strict=True):
        low, high = facts[axis]
        got, want = (
            f"from {low:.4g} to {high:.4g}",
            f"{min(values):g} to {max(values):g}",
        )
        holds = low <= min(values) and max(values) <= high
        yield f"{short(records)}: {axis} axis", got, f"from {want}, or more", holds
