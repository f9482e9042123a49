"""Laws of exercise 10e, plot_hit_rate."""

from tinytorch.laws import law


def picture(tt, records):
    """What plot_hit_rate draws."""
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    got = tt.plot_hit_rate(records, ax)
    lines, legend = ax.get_lines(), ax.get_legend()
    places = [
        [(float(x), round(float(y), 6)) for x, y in zip(*line.get_data(), strict=True)]
        for line in lines
    ]

    def style(line):
        return [str(line.get_color()), str(line.get_marker()), line.get_linestyle()]

    return {
        "returned": "ax" if got is ax else type(got).__name__,
        "lines": places,
        "styles": [style(line) for line in lines],
        "limits": [
            [float(end) for end in ends] for ends in (ax.get_ylim(), ax.get_xlim())
        ],
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        # each name, and the styles of the lines
        "legend": [
            [text.get_text(), style(line)]
            for text, line in zip(legend.get_texts(), legend.get_lines(), strict=False)
        ]
        if legend
        else [],
    }


def drawn(draw):
    """Patterns with one, two and three cache sizes, some small and some large."""
    names = [f"pattern {number}" for number in draw.permutation(100)[:3].tolist()]
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
    yield f"plot_hit_rate({records}, ax): lines on ax", len(facts["lines"]), 3


@law(2, "line of percentages", look="x: cache sizes; y: rates as percentages; joined")
def test_each_pattern_is_a_line_of_percentages(inside, draw):
    records = drawn(draw)
    facts = inside(picture, records)
    call = f"plot_hit_rate({records}, ax)"
    got = sorted([tuple(point) for point in line] for line in facts["lines"])
    want = [[(x, round(100 * rate, 6)) for x, rate in one] for one in records.values()]
    yield f"{call}: (x, y) of each line", got, sorted(want)
    kinds = [kind for _, _, kind in facts["styles"]]
    yield f"{call}: line styles", kinds, ["-"] * 3, "None" not in kinds


@law(3, "has a marker", look='marker="o"')
def test_each_line_has_markers(inside, draw):
    got = [marker for _, marker, _ in inside(picture, drawn(draw))["styles"]]
    holds = len(got) == 3 and not {"None", "none", "", " "} & set(got)
    yield "plot_hit_rate(three patterns, ax): markers", got, ["o"] * 3, holds


@law(4, "from 0 to 100", look="ax.set_ylim(0, 100), and no limits of your own for x")
def test_the_limits_show_every_point(inside, draw):
    records = drawn(draw)
    y, (left, right) = inside(picture, records)["limits"]
    yield f"plot_hit_rate({records}, ax): y axis", y, [0.0, 100.0]
    last = max(size for points in records.values() for size, _ in points)
    got, want = f"from {left:g} to {right:g}", f"from 1 or less to {last} or more"
    yield f"plot_hit_rate({records}, ax): x axis", got, want, left <= 1 <= last <= right


@law(5, "A legend", look="label=... for each line, then ax.legend()")
def test_the_legend_names_every_pattern(inside, draw):
    records = drawn(draw)
    facts = inside(picture, records)
    call = f"plot_hit_rate({records}, ax)"
    yield (
        f"{call}: legend",
        sorted(name for name, _ in facts["legend"]),
        sorted(records),
    )
    lines = list(zip(facts["styles"], facts["lines"], strict=True))
    got = {
        name: sum(len(line) for own, line in lines if own == style)
        for name, style in sorted(facts["legend"])
    }
    want = {name: len(points) for name, points in sorted(records.items())}
    yield f"{call}: points of the line with each name", got, want


@law(6, "axes are labeled", look="ax.set(xlabel=..., ylabel=...)")
def test_the_axes_have_labels(inside, draw):
    got = inside(picture, drawn(draw))["labels"]
    want = ["cache size (files)", "hit rate (%)"]
    holds = all(text in label for text, label in zip(want, got, strict=True))
    yield "plot_hit_rate(records, ax): labels", got, want, holds
