"""Laws of exercise 7a, plot_workers."""

from tinytorch.laws import law


def picture(tt, records, given):
    """What plot_workers draws, on Axes that are given or on its own, and the records
    afterwards.
    """
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    records = {name: list(rows) for name, rows in records.items()}
    before = set(plt.get_fignums())
    other = (Figure() if given else plt.figure()).subplots()
    try:
        got = tt.plot_workers(records, other) if given else tt.plot_workers(records)
    finally:
        for number in set(plt.get_fignums()) - before:
            plt.close(number)
    ax = other if given else got
    returned = "ax" if got is other else type(got).__name__
    if not hasattr(ax, "get_lines"):
        return {"returned": returned, "count": 0}
    lines, legend = ax.get_lines(), ax.get_legend()
    texts = [text.get_text() for text in legend.get_texts()] if legend else []
    # a line without a label of its own has the legend's text of the same position
    names = [str(line.get_label()) for line in lines]
    if not set(records) <= set(names):
        names = texts if set(texts) == set(records) else list(records)
    own = dict(zip(names, lines, strict=False))
    return {
        "returned": returned,
        "count": len(lines),
        "points": {
            name: [(float(x), round(float(y), 6)) for x, y in own[name].get_xydata()]
            for name in records
            if name in own
        },
        "styles": [line.get_linestyle() for line in own.values()],
        "legend": texts,
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "x": [float(end) for end in ax.get_xlim()],
        "y": [float(end) for end in ax.get_ylim()],
        "records": records,
    }


def drawn(draw):
    """Records of three names, and the points (workers, speed-up) that belong to them.
    No line only rises or only falls. The second has the most workers and the largest
    speed-up, the last a single point.
    """
    names = [f"set {number}" for number in draw.permutation(90)[:3].tolist()]
    records, points = {}, {}
    for position, name in enumerate(names):
        alone = 4 * int(draw.integers(1, 9)) * (1, 20, 300)[position]
        few, some = int(draw.integers(1, 5)), int(draw.integers(5, 10))
        many = int(draw.integers(10, 13)) + 5 * position
        low, mid = int(draw.integers(1, 4)), int(draw.integers(5, 8))
        high = int(draw.integers(8, 20)) + 20 * position
        quarters = {0: 4, few: high, some: low, many: mid} if position < 2 else {0: 4}
        order = [some, 0, many, few] if position < 2 else [0]
        points[name] = [(float(k), part / 4) for k, part in quarters.items()]
        records[name] = [(k, alone / 4 * quarters[k]) for k in order]
    return records, points


def short(records, end=", ax"):
    """The call with the names alone, as records are long."""
    return f"plot_workers({{{', '.join(f'{name!r}: [...]' for name in records)}}}{end})"


@law(1, "given Axes", look="draw on ax = new_axes(ax), and return ax")
def test_the_lines_are_on_the_axes_that_are_returned(inside, draw):
    records = drawn(draw)[0]
    facts = {}
    draws = lambda given: facts.update(inside(picture, records, given)) or facts  # noqa: E731
    yield short(records), lambda: draws(True)["returned"], "ax"
    count = facts["count"]
    yield f"{short(records)}: lines on ax", count, len(records), count > 0
    call = f"{short(records, '')} after another picture: what is returned, with lines?"
    got = lambda: (draws(False)["returned"], facts["count"] > 0)  # noqa: E731
    want = "the Axes of a figure of its own", True
    yield call, got, want, lambda got: got[1] and got[0] != "ax"


@law(2, "label in a legend", look="label=name in each ax.plot, then ax.legend()")
def test_each_name_is_a_line_in_the_legend(inside, draw):
    records = drawn(draw)[0]
    facts = inside(picture, records, True)
    yield f"{short(records)}: legend", sorted(facts["legend"]), sorted(records)
    one = {"set": [(0, 4), (2, 6)]}
    got = inside(picture, one, True)["legend"]
    yield f"plot_workers({one}, ax): legend", got, [*one]
    names = sorted(facts["points"])
    yield f"{short(records)}: names of lines", names, sorted(records)
    kinds = facts["styles"]
    yield f"{short(records)}: line styles", kinds, ["-"] * 3, "None" not in kinds


@law(
    3,
    "divided by the rate",
    look="x: the number of workers; y: the rate / the rate that this name has with 0"
    " workers, wherever that record stands",
)
def test_a_point_is_a_speed_up_over_no_workers(inside, draw):
    records, points = drawn(draw)
    facts = inside(picture, records, True)
    for name, want in points.items():
        got = sorted(facts["points"].get(name, ()))
        call = f"plot_workers({{{name!r}: {records[name]}, ...}}, ax): its points"
        yield call, got, sorted(want)


@law(
    4,
    "fewest workers",
    look="in which order does ax.plot get the points? By the number of workers:"
    " sorted(rows)",
)
def test_a_line_goes_to_the_right(inside, draw):
    records, points = drawn(draw)
    facts = inside(picture, records, True)
    for name in points:
        got = [x for x, _ in facts["points"].get(name, ())]
        want = sorted(float(workers) for workers, _ in records[name])
        yield (
            f"plot_workers({{{name!r}: {records[name]}, ...}}, ax): x of its line",
            got,
            want,
        )


@law(5, "The labels are", look="ax.set(xlabel=..., ylabel=...), word for word")
def test_the_axes_have_labels(inside, draw):
    got = inside(picture, drawn(draw)[0], True)["labels"]
    want = ["worker processes", "speed-up over 0 workers (x)"]
    yield "plot_workers(records, ax): labels along x and y", got, want


@law(
    6,
    "axis begins at 0",
    look="ax.set_ylim(bottom=0) after all lines, as it fixes the other end too; no"
    " other limits",
)
def test_the_limits_show_every_point(inside, draw):
    records = drawn(draw)[0]
    facts = inside(picture, records, True)
    (left, right), (bottom, top) = facts["x"], facts["y"]
    points = [point for line in facts["points"].values() for point in line]
    xs, ys = zip(*points, strict=True) if points else ([0], [1])
    got = f"x from {left:.4g} to {right:.4g}, y from {bottom:.4g} to {top:.4g}"
    want = f"x from {min(xs):g} to {max(xs):g}, y from 0 to {max(ys):.4g}, or more"
    inner = left <= min(xs) and max(xs) <= right and max(ys) <= top
    yield short(records), got, want, bottom == 0 and inner and len(points) > 0


@law(
    7,
    "not changed",
    look="sorted makes a new list; sort, pop and remove change the caller's",
)
def test_the_records_stay_as_they_were(inside, draw):
    records = drawn(draw)[0]
    facts = inside(picture, records, True)
    count = facts["count"]
    yield f"{short(records)}: lines on ax", count, len(records), count > 0
    names = list(facts["records"])
    yield f"{short(records)}: names of the records afterwards", names, list(records)
    for name, want in records.items():
        call = f"plot_workers(records, ax): records[{name!r}] afterwards"
        yield call, facts["records"][name], want
