"""Laws of exercise 10e, plot_hit_rate."""

from tinytorch.laws import law


def picture(tt, records):
    """What plot_hit_rate draws."""
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    got = tt.plot_hit_rate(records, ax)
    lines, legend = ax.get_lines(), ax.get_legend()
    return {
        "returned": "ax" if got is ax else type(got).__name__,
        "lines": [
            [(float(x), round(float(y), 6)) for x, y in line.get_xydata()]
            for line in lines
        ],
        "names": [line.get_label() for line in lines],
        "joined": [line.get_linestyle() for line in lines],
        "markers": [str(line.get_marker()) for line in lines],
        "y": [float(end) for end in ax.get_ylim()],
        "x": [float(end) for end in ax.get_xlim()],
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "legend": [text.get_text() for text in legend.get_texts()] if legend else [],
    }


def drawn(draw):
    """Patterns with one, two and three cache sizes, some small and some large."""
    names = [f"p{number}" for number in draw.permutation(100)[:3].tolist()]
    sizes = [1, *sorted(draw.permutation(range(2, 500))[:5].tolist())]
    rates = [1.0, 0.0, *draw.random(4).round(3).tolist()]
    points = list(zip(sizes, rates, strict=True))
    ends = zip(names, ((0, 3), (3, 4), (4, 6)), strict=True)
    return {name: points[first:last] for name, (first, last) in ends}


@law(1, "drawn on ax", look="new_axes(ax) hands out ax: draw on it, and return it")
def test_the_lines_are_on_the_axes_that_are_returned(inside, draw):
    records = drawn(draw)
    facts = inside(picture, records)
    yield f"plot_hit_rate({records}, ax)", facts["returned"], "ax"
    count = len(facts["lines"])
    yield f"plot_hit_rate({records}, ax): lines on ax", count, len(records), count > 0


@law(2, "line of percentages", look="for each pattern one line; 0.25 is at 25")
def test_each_pattern_is_a_line_of_percentages(inside, draw):
    records = drawn(draw)
    facts = inside(picture, records)
    call = f"plot_hit_rate({records}, ax)"
    got = sorted([tuple(point) for point in line] for line in facts["lines"])
    want = [[(x, round(100 * rate, 6)) for x, rate in one] for one in records.values()]
    yield f"{call}: (x, y) of each line", got, sorted(want)
    kinds = facts["joined"]
    yield f"{call}: line styles", kinds, ["-"] * 3, "None" not in kinds


@law(3, "has a marker", look='marker="o"')
def test_each_line_has_markers(inside, draw):
    got = inside(picture, drawn(draw))["markers"]
    holds = len(got) == 3 and not {"None", "none", "", " "} & set(got)
    yield "plot_hit_rate(three patterns, ax): markers", got, ["o"] * 3, holds


@law(4, "from 0 to 100", look="ax.set_ylim(0, 100), and no limits of your own for x")
def test_the_limits_show_every_point(inside, draw):
    records = drawn(draw)
    facts = inside(picture, records)
    yield f"plot_hit_rate({records}, ax): y axis", facts["y"], [0.0, 100.0]
    left, right = facts["x"]
    last = max(size for points in records.values() for size, _ in points)
    got, want = f"from {left:g} to {right:g}", f"from 1 or less to {last} or more"
    yield f"plot_hit_rate({records}, ax): x axis", got, want, left <= 1 <= last <= right


@law(5, "A legend", look="label=... for each line, then ax.legend()")
def test_the_legend_names_every_pattern(inside, draw):
    records = drawn(draw)
    facts = inside(picture, records)
    call = f"plot_hit_rate({records}, ax)"
    names, lines = facts["legend"], facts["lines"]
    yield f"{call}: legend", sorted(names), sorted(records)
    # a line without a label of its own has the legend's name of the same position
    own = dict(zip(facts["names"], lines, strict=True))
    got = {
        name: len(own.get(name, line)) for name, line in zip(names, lines, strict=False)
    }
    want = {name: len(points) for name, points in records.items()}
    yield f"{call}: points of the line of each name", got, want, got == want


@law(6, "axes are labeled", look="ax.set(xlabel=..., ylabel=...)")
def test_the_axes_have_labels(inside, draw):
    got = inside(picture, drawn(draw))["labels"]
    want = ["cache size (files)", "hit rate (%)"]
    holds = all(text in label for text, label in zip(want, got, strict=True))
    yield "plot_hit_rate(records, ax): labels", got, want, holds
