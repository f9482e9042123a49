"""Laws of exercise 10d, plot_file_loads."""

from tinytorch.laws import law


def picture(tt, records):
    """What plot_file_loads draws."""
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    got = tt.plot_file_loads(records, ax)
    ticks = zip(ax.get_xticks(), ax.get_xticklabels(), strict=False)
    names = {round(float(at), 6): label.get_text() for at, label in ticks}
    middles = [round(float(bar.get_x() + bar.get_width() / 2), 6) for bar in ax.patches]
    return {
        "returned": "ax" if got is ax else type(got).__name__,
        "bars": [
            [names.get(at, f"no name at {at:g}"), float(bar.get_y() + bar.get_height())]
            for at, bar in zip(middles, ax.patches, strict=True)
        ],
        "scale": ax.get_yscale(),
        "limits": [float(end) for end in ax.get_ybound()],
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
    }


def drawn(draw):
    """Patterns with one load, with many, and two with equally many."""
    names = [f"p{number}" for number in draw.permutation(100)[:4].tolist()]
    equal, many = (int(loads) for loads in draw.integers(2, 50, 2))
    return dict(zip(names, (equal, 100_000 * many, 1, equal), strict=True))


@law(1, "drawn on ax", look="new_axes(ax) hands out ax: draw on it, and return it")
def test_the_bars_are_on_the_axes_that_are_returned(inside, draw):
    records = drawn(draw)
    facts = inside(picture, records)
    yield f"plot_file_loads({records}, ax)", facts["returned"], "ax"
    count = len(facts["bars"])
    yield f"plot_file_loads({records}, ax): bars on ax", count, len(records), count > 0


@law(2, "one bar", look="ax.bar(names, heights): both from records, in the same order")
def test_each_pattern_has_a_bar_over_its_name(inside, draw):
    records = drawn(draw)
    call = f"plot_file_loads({records}, ax): each bar"
    bars = sorted(map(tuple, inside(picture, records)["bars"]))
    yield call, bars, sorted((name, float(loads)) for name, loads in records.items())


@law(3, "log scale", look='ax.set_yscale("log"); do limits of your own cut a bar?')
def test_the_scale_is_logarithmic_and_shows_all_bars(inside, draw):
    records = drawn(draw)
    call = f"plot_file_loads({records}, ax)"
    facts = inside(picture, records)
    yield f"{call}: scale", facts["scale"], "log"
    low, high = facts["limits"]
    most = max(records.values())
    got, want = f"from {low:.4g} to {high:.4g}", f"from below 1 to {most} or more"
    yield f"{call}: y axis", got, want, low < 1 <= most <= high


@law(4, "axes are labeled", look="ax.set(xlabel=..., ylabel=...)")
def test_the_axes_have_labels(inside, draw):
    got = inside(picture, drawn(draw))["labels"]
    want = ["access pattern", "file loads per epoch"]
    holds = all(text in label for text, label in zip(want, got, strict=True))
    yield "plot_file_loads(records, ax): labels", got, want, holds
