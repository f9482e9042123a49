"""Promises of the plots. `tt` is your exported package. The numbers are drawn, and the
test reads them from the figure.
"""

import copy

import numpy as np
import pytest

from tinytorch.testing import expect


def figure_facts(tt, name, records):
    """What a reader finds on the figure that the function `name` draws."""
    import numpy as np
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    returned = getattr(tt, name)(records, ax)
    bars = sorted(ax.patches, key=lambda bar: bar.get_x())
    return {
        "returned": returned is ax,
        "records": list(records.items() if isinstance(records, dict) else records),
        "x": ax.get_xlabel(),
        "y": ax.get_ylabel(),
        "lines": [
            [np.asarray(values, float).tolist() for values in line.get_data()]
            for line in ax.get_lines()
        ],
        "names": [line.get_label() for line in ax.get_lines()],
        "bars": [float(bar.get_height()) for bar in bars],
        "corners": [
            [float(x), float(y)]
            for bar in bars
            for x, y in (
                (bar.get_x(), bar.get_y()),
                (bar.get_x() + bar.get_width(), bar.get_y() + bar.get_height()),
            )
        ],
        "ticks": [tick.get_text() for tick in ax.get_xticklabels()],
        "legend": [text.get_text() for text in ax.get_legend().get_texts()]
        if ax.get_legend()
        else [],
        "xscale": ax.get_xscale(),
        "base": getattr(ax.xaxis.get_transform(), "base", None),
        "limits": [
            sorted(map(float, ax.get_xlim())),
            sorted(map(float, ax.get_ylim())),
        ],
    }


@pytest.fixture(scope="module")
def drawn():
    """Name of a plot -> its records and the facts of its figure."""
    return {}


@pytest.fixture
def figure(drawn, inside):
    """The records and the facts of a plot's figure, which its tests share: to draw it
    takes longer than all that is asked of it.
    """

    def of(name, records):
        if name not in drawn:
            # a plot that writes into its records gets a copy, not the test's own
            facts = inside(figure_facts, name, copy.deepcopy(records))
            drawn[name] = records, facts
        return drawn[name]

    return of


def hidden(facts, points):
    """The points outside the visible axes."""
    (left, right), (bottom, top) = facts["limits"]
    return [
        (x, y) for x, y in points if not (left <= x <= right and bottom <= y <= top)
    ]


def drawn_points(facts):
    return [point for xs, ys in facts["lines"] for point in zip(xs, ys, strict=True)]


def expect_labels(facts, name, *labels):
    expect(
        facts["returned"],
        "A plot draws on the Axes it is given and returns it.",
        call=f"{name}(records, ax)",
        got="something else",
        want="the same Axes",
        look="return ax",
    )
    for axis, label in zip("xy", labels, strict=True):
        expect(
            label in facts[axis],
            "Both axes are labeled with what they show and its unit.",
            call=f"{name}(records, ax)",
            got=f"{axis} label {facts[axis]!r}",
            want=f"{axis} label with {label!r}",
            look="ax.set(xlabel=..., ylabel=...)",
        )


def expect_points_inside(facts, promise, call):
    drawn = drawn_points(facts) + facts["corners"]
    outside = hidden(facts, drawn) if drawn else "nothing is drawn"
    expect(
        outside == [],
        promise,
        call=call,
        got=f"outside: {outside}",
        want="none outside",
        look="limits that are numbers of yours, or that are set before the data",
    )


def expect_names(facts, promise, call, records, lines):
    """`records` name -> the ys of its line."""
    got = dict(zip(facts["names"], (ys for _, ys in lines), strict=True))
    right = got.keys() == records.keys() and all(
        len(got[name]) == len(ys) and np.allclose(got[name], ys, rtol=1e-6)
        for name, ys in records.items()
    )
    expect(
        right and sorted(facts["legend"]) == sorted(records),
        promise,
        call=call,
        got=f"lines {got}, legend {facts['legend']}",
        want=f"lines {records}, legend {list(records)}",
        look="label=name and ax.legend()",
    )


def same(lines, wanted):
    """Whether the lines have these (xs, ys), in any order."""
    lines, wanted = (
        sorted(([list(xs), list(ys)] for xs, ys in each), key=lambda line: line[1])
        for each in (lines, wanted)
    )
    return len(lines) == len(wanted) and all(
        len(xs) == len(want_xs)
        and np.allclose(xs, want_xs, rtol=1e-6)
        and np.allclose(ys, want_ys, rtol=1e-6)
        for (xs, ys), (want_xs, want_ys) in zip(lines, wanted, strict=True)
    )


def by_batch_size(draw):
    """(batch size, number) pairs, sizes from small to large."""
    sizes = np.sort(draw.permutation(np.arange(2, 600))[:4])
    return [
        (int(size), int(number))
        for size, number in zip(
            sizes, draw.integers(1_000_000, 90_000_000, 4), strict=True
        )
    ]


@pytest.mark.contract("test_plot_throughput")
def test_throughput_stands_over_the_batch_size(figure, draw):
    records, facts = figure("plot_throughput", by_batch_size(draw))
    expect_labels(facts, "plot_throughput", "batch size", "samples/s")
    expect(
        same(facts["lines"], [tuple(zip(*records, strict=True))]),
        "The line shows the records: batch size across, samples/s up.",
        call=f"plot_throughput({records}, ax)",
        got=facts["lines"],
        want=records,
        look="are x and y swapped?",
    )


@pytest.mark.contract("test_plot_throughput")
def test_the_axes_of_throughput_are_logarithmic_and_from_0(figure, draw):
    _, facts = figure("plot_throughput", by_batch_size(draw))
    got = f"{facts['xscale']}, base {facts['base']}, {len(facts['lines'])} line"
    expect(
        got == "log, base 2, 1 line",
        "The x axis is logarithmic, of base 2.",
        call="plot_throughput(records, ax): the scale of x",
        got=got,
        want="log, base 2, 1 line",
        look='ax.set_xscale("log", base=2)',
    )
    (bottom, _top) = facts["limits"][1]
    expect(
        bottom == 0,
        "The y axis begins at 0.",
        call="plot_throughput(records, ax): the limits of y",
        got=f"from {bottom:.0f}",
        want="from 0",
        look="ax.set_ylim(bottom=0)",
    )


@pytest.mark.contract("test_plot_throughput")
def test_every_rate_is_visible(figure, draw):
    records, facts = figure("plot_throughput", by_batch_size(draw))
    expect_points_inside(
        facts,
        "Every point is inside the visible axes.",
        f"plot_throughput({records}, ax)",
    )


@pytest.mark.contract("test_plot_memory")
def test_memory_is_drawn_in_mb_over_the_batch_size(figure, draw):
    records, facts = figure("plot_memory", by_batch_size(draw))
    sizes, peaks = zip(*records, strict=True)
    want = (list(sizes), [peak / 1e6 for peak in peaks])
    ys = [ys for _, ys in facts["lines"]]
    expect(
        len(ys) == 1 and np.shape(ys[0]) == (4,) and np.allclose(ys[0], want[1]),
        "Memory is drawn in MB, 1e6 bytes each.",
        call=f"plot_memory({records}, ax)",
        got=facts["lines"],
        want=want,
        look="one line: ax.plot(batch sizes, bytes / 1e6)",
    )
    expect(
        same(facts["lines"], [want]),
        "Each peak stands over its batch size.",
        call=f"plot_memory({records}, ax)",
        got=facts["lines"][0][0],
        want=want[0],
        look="x is the batch size, as it was given: ax.plot(x, y)",
    )
    expect_points_inside(
        facts, "Every point is inside the visible axes.", f"plot_memory({records}, ax)"
    )


@pytest.mark.contract("test_plot_memory")
def test_the_axes_of_memory_say_their_units(figure, draw):
    _, facts = figure("plot_memory", by_batch_size(draw))
    expect_labels(facts, "plot_memory", "batch size", "MB")


def stage_records(draw):
    """Stages in no order of length, so that sorted bars lose their names."""
    seconds = draw.permutation([1.0, 2.0, 4.0]) * round(draw.uniform(0.5, 2), 2)
    # the longest is never first
    seconds = np.roll(seconds, 1) if seconds[0] == seconds.max() else seconds
    names = ["fetch", "transform", "collate"]
    return {name: float(each) for name, each in zip(names, seconds, strict=True)}


@pytest.mark.contract("test_plot_stages")
def test_each_bar_is_the_share_of_its_stage(figure, draw):
    records, facts = figure("plot_stages", stage_records(draw))
    total = sum(records.values())
    want = {name: 100 * seconds / total for name, seconds in records.items()}
    got = dict(zip(facts["ticks"], facts["bars"], strict=False))
    heights, shares = sorted(facts["bars"]), sorted(want.values())
    expect(
        len(heights) == 3 and np.allclose(heights, shares, rtol=0, atol=1e-6),
        "Each bar is its stage's share of the sum, in percent.",
        call=f"plot_stages({records}, ax)",
        got=facts["bars"],
        want=list(want.values()),
        look="100 * seconds / the sum of all stages",
    )
    expect(
        got.keys() == want.keys()
        and all(abs(got[name] - want[name]) < 1e-6 for name in want),
        "Each bar stands over the name of its stage.",
        call=f"plot_stages({records}, ax)",
        got=got,
        want=want,
        look="names and shares in the same order",
    )
    expect_points_inside(
        facts, "Every bar is inside the visible axes.", f"plot_stages({records}, ax)"
    )


@pytest.mark.contract("test_plot_stages")
def test_a_plot_of_stages_leaves_the_records_alone(figure, draw):
    records, facts = figure("plot_stages", stage_records(draw))
    got = [(name, seconds) for name, seconds in facts["records"]]
    expect(
        got == list(records.items()) and len(facts["bars"]) == len(records),
        "The plot changes nothing in the records that it is given.",
        call=f"plot_stages({records}, ax)",
        got=f"afterwards {dict(got)}",
        want=f"afterwards {records}",
        look="put the shares into a new list",
    )


@pytest.mark.contract("test_plot_stages")
def test_the_axes_of_stages_say_what_they_show(figure, draw):
    _, facts = figure("plot_stages", stage_records(draw))
    expect_labels(facts, "plot_stages", "stage", "%")


def loss_records(draw):
    """Two runs of unequal length."""
    return {
        "shuffled": draw.uniform(0, 2, int(draw.integers(5, 9))).round(2).tolist(),
        "sorted": draw.uniform(0, 2, int(draw.integers(2, 5))).round(2).tolist(),
    }


@pytest.mark.contract("test_plot_loss_curves")
def test_each_run_is_a_line_with_all_its_losses(figure, draw):
    records, facts = figure("plot_loss_curves", loss_records(draw))
    want = [(range(len(losses)), losses) for losses in records.values()]
    got = sorted(ys for _, ys in facts["lines"])
    losses = sorted(records.values())
    expect(
        [len(ys) for ys in got] == [len(ys) for ys in losses]
        and all(np.allclose(*pair) for pair in zip(got, losses, strict=True)),
        "Every run is a line with all its losses.",
        call=f"plot_loss_curves({records}, ax)",
        got=facts["lines"],
        want=records,
        look="one ax.plot per run, with every loss of its list",
    )
    expect(
        same(facts["lines"], want),
        "Steps are counted from 0.",
        call="plot_loss_curves(records, ax): the steps of each line",
        got=[xs for xs, _ in facts["lines"]],
        want=[list(xs) for xs, _ in want],
        look="x is range(len(losses)), for every run anew",
    )
    expect_points_inside(
        facts,
        "Every point is inside the visible axes.",
        f"plot_loss_curves({records}, ax)",
    )


@pytest.mark.contract("test_plot_loss_curves")
def test_the_curves_have_names_and_labelled_axes(figure, draw):
    records, facts = figure("plot_loss_curves", loss_records(draw))
    expect_labels(facts, "plot_loss_curves", "step", "loss")
    expect_names(
        facts,
        "Every line has its name, and a legend shows them.",
        "plot_loss_curves(records, ax)",
        records,
        facts["lines"],
    )


def streaming_records(draw):
    """Two runs of (seconds, bytes)."""
    return {
        name: [
            (float(seconds), int(held))
            for seconds, held in zip(
                np.cumsum(draw.uniform(0.1, 2, count)).round(2),
                1000 * draw.integers(1000, 10_000, count),
                strict=True,
            )
        ]
        for name, count in (("in memory", 3), ("memory map", 4))
    }


@pytest.mark.contract("test_plot_streaming")
def test_memory_over_time_is_a_line_for_each_way_of_loading(figure, draw):
    records, facts = figure("plot_streaming", streaming_records(draw))
    want = [
        ([seconds for seconds, _ in points], [held / 1e6 for _, held in points])
        for points in records.values()
    ]
    got, held = (sorted(list(ys) for _, ys in each) for each in (facts["lines"], want))
    expect(
        [len(ys) for ys in got] == [len(ys) for ys in held]
        and all(np.allclose(*pair) for pair in zip(got, held, strict=True)),
        "Memory is drawn in MB, a line for each way of loading.",
        call=f"plot_streaming({records}, ax)",
        got=facts["lines"],
        want=want,
        look="ax.plot(seconds, bytes / 1e6) for each name",
    )
    expect(
        same(facts["lines"], want),
        "Each point stands over its time.",
        call=f"plot_streaming({records}, ax)",
        got=[xs for xs, _ in facts["lines"]],
        want=[xs for xs, _ in want],
        look="x is the seconds as they were recorded: are they passed to ax.plot, and"
        " is"
        " anything subtracted?",
    )
    expect_points_inside(
        facts,
        "Every point is inside the visible axes.",
        f"plot_streaming({records}, ax)",
    )


@pytest.mark.contract("test_plot_streaming")
def test_the_lines_of_streaming_have_names_and_units(figure, draw):
    records, facts = figure("plot_streaming", streaming_records(draw))
    expect_labels(facts, "plot_streaming", "s)", "MB")
    expect_names(
        facts,
        "Every line has its name, and a legend shows them.",
        "plot_streaming(records, ax)",
        {name: [held / 1e6 for _, held in points] for name, points in records.items()},
        facts["lines"],
    )
