"""Facts about the pictures: what is drawn where, titles that are computed from the data, and texts
that never overlap or leave the figure.
"""

import itertools
import re

import numpy as np
import pytest

from tinytorch.profiler.pictures.ladder import plot_ladder
from tinytorch.profiler.pictures.throughput_plot import plot_throughput
from tinytorch.profiler.pictures.timeline_plots import plot_timeline, timeline_finding

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is in the extra [notebook]")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.text import Text  # noqa: E402

NAMES = ("Load, then train", "Prefetch, step elsewhere", "Prefetch, step on the same cores")
LONG = "a loader whose author gave it every word that could be found for it"
RATES = {"one_by_one": 100_000.0, "one_gather": 1_500_000.0, "limit": 2_000_000.0}
LIMIT = {"memcpy_bytes_per_second": 8e9, "bytes_per_sample": 1e7}


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def span(lane, stage, batch, start, stop):
    return {"lane": lane, "stage": stage, "batch": batch, "start": start, "stop": stop}


def row(name, wall, spans=None, **changes):
    """A timeline; by default of 8 batches that take turns: fetch, collate, then the step."""
    made = []
    for batch in range(8):
        start, made_at, stop = (wall / 8 * (batch + part) for part in (0, 0.4, 1))
        made += [
            span("load", "fetch", batch, start, (start + made_at) / 2),
            span("load", "collate", batch, (start + made_at) / 2, made_at),
            span("train", "wait", batch, start, made_at),
            span("train", "step", batch, made_at, stop),
        ]
    numbers = {"idle_share": 0.4, "step_seconds": 0.006, "stretch": 1.0, "spread": 0.03}
    spans = made if spans is None else spans
    return {"name": name, "wall_seconds": wall, "batches": 8, "spans": spans} | numbers | changes


def three(*walls, **changes):
    walls = walls or (0.091, 0.059, 0.092)
    return [row(name, wall, **changes) for name, wall in zip(NAMES, walls, strict=True)]


def sweep(best, sizes=11):
    sizes = [2**n for n in range(sizes)]
    return [{"batch_size": n, "samples_per_second": best * n / (n + 16)} for n in sizes]


def words(part):
    return [text.get_text() for text in part.texts]


def legend(part):
    return [text.get_text() for text in part.get_texts()]


def drawn_texts(figure):
    """Every text that is drawn; an axis also keeps labels of ticks outside its limits."""
    axes = [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)]
    ticks = {label for axis in axes for tick in axis.majorTicks for label in (tick.label1,)}
    drawn = {tick.label1 for axis in axes for tick in axis._update_ticks()}
    return [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and (text not in ticks or text in drawn)
    ]


def assert_readable(figure):
    """Assert that no text leaves the figure and no two texts overlap."""
    figure.draw_without_rendering()
    # of an annotation only the text, not the arrow
    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in drawn_texts(figure)]
    end = figure.bbox
    for text, box in boxes:
        assert min(box.x0, box.y0) >= -1 and box.x1 <= end.x1 + 1 and box.y1 <= end.y1 + 1, text
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        apart = min(a.x1, b.x1) - max(a.x0, b.x0) <= 1 or min(a.y1, b.y1) - max(a.y0, b.y0) <= 1
        assert apart, (one, other)


# Timelines


def bars(ax, stage):
    """(left, right, lane) of every bar of a stage, in the axes' units."""
    boxes = [
        path.get_extents()
        for part in ax.collections
        if part.get_gid() == stage
        for path in part.get_paths()
    ]
    return sorted((box.x0, box.x1, "load" if box.y0 > 0.5 else "train") for box in boxes)


@pytest.mark.parametrize("unit, scale", [("s", 1), ("ms", 1e3), ("µs", 1e6)])
def test_every_span_is_a_bar_at_its_time_and_in_its_lane(unit, scale):
    made = [
        span(lane, stage, n, start / scale, stop / scale)
        for n, (start, stop) in enumerate([(0, 4), (4, 4.5), (7, 40)])
        for lane, stage in (("load", "fetch"), ("train", "step"))
    ]
    ax = plot_timeline([row("one", 1.0, spans=made)]).axes[0]
    assert f"({unit})" in ax.get_xlabel() and ax.get_xlim()[1] > 40
    for lane, stage in (("load", "fetch"), ("train", "step")):
        found = bars(ax, stage)
        assert {bar[2] for bar in found} == {lane}
        np.testing.assert_allclose([bar[:2] for bar in found], [(0, 4), (4, 4.5), (7, 40)])


def test_a_row_for_each_timeline_has_its_figures_at_its_end_and_numbers_in_its_steps():
    rows = three(idle_share=0.46, step_seconds=0.0061, stretch=1.67)
    rows[1] |= {"batches": 64, "spread": 0.3}  # more than are drawn
    figure = plot_timeline(rows)
    assert [ax.get_title("left") for ax in figure.axes] == list(NAMES)
    ends = [next(text for text in ax.texts if "idle" in text.get_text()) for ax in figure.axes]
    rest = "\nidle 46%\nstep 6.1 ms\nstretch 1.67 times"
    assert [end.get_text() for end in ends] == [
        f"91 ms{rest}",
        f"64 batches: 59 ms{rest}\nnoisy: spread 30%",
        f"92 ms{rest}",
    ]
    assert [end.xy[0] for end in ends] == pytest.approx([91, 59, 92])  # where the last bar ends
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == [
        "loader",
        "train step",
    ]
    assert figure.axes[-1].get_xlabel() == "time (ms), 8 batches"
    assert len({ax.get_xlim() for ax in figure.axes}) == 1  # lengths can be compared across rows
    assert [text for text in words(figure.axes[0]) if text.isdigit()] == [*map(str, range(8))]
    hatched = {part.get_gid() for part in figure.axes[0].collections if part.get_hatch()}
    assert hatched == {"wait"}


def test_the_legend_names_what_can_be_seen_and_nothing_else():
    named = legend(plot_timeline(three()).legends[0])
    assert named == ["fetch", "collate", "step", "waiting for data"]
    outside = [span("train", "wait", 0, 0, 1), span("train", "step", 0, 1, 2)]
    figure = plot_timeline([row("from outside", 2.0, spans=outside)])
    assert legend(figure.legends[0]) == ["step", "waiting for data"]
    assert "not visible" in figure.axes[0].get_title("left")


@pytest.mark.parametrize(
    "rows, title",
    [
        (three(), "hides loading only when the step runs elsewhere: 1.54 .* there, 0.99 times on"),
        (three(0.09, 0.06, 0.06), "hides loading, also .* same cores: 1.50 .* 1.50 times here"),
        (three(0.09, 0.089, 0.1), "Prefetch changes little: 1.01 .* elsewhere, 0.90 times on the"),
        (three(idle_share=0.004), "Nothing to hide: the training step waits for data 0.4% of the"),
        (
            three(0.9, 0.88, 0.9, idle_share=0.95),
            "cannot hide loading that takes 19 times as long as the step: 1.02 .*, 1.00 times on",
        ),
        (three()[:1], "The training step waits for data 40% of the time"),
        (three()[:2], "Prefetch, step elsewhere is 1.54 times as fast as Load, then train"),
    ],
)
def test_the_title_is_what_the_walls_say(rows, title):
    assert re.search(title, timeline_finding(rows))
    assert " ".join(plot_timeline(rows).get_suptitle().split()) == timeline_finding(rows)
    with pytest.raises(ValueError, match="at least one record"):
        plot_timeline([])


# Throughput


def test_throughput_stands_over_log2_batch_size_beside_its_knee_and_the_copy_limit():
    ax = plot_throughput([*reversed(sweep(400.0, 6))], LIMIT)
    assert ax.lines[0].get_data()[0].tolist() == [1, 2, 4, 8, 16, 32]
    assert ax.lines[0].get_data()[1].tolist() == [
        row["samples_per_second"] for row in sweep(400, 6)
    ]
    assert ax.get_xscale() == "log" and ax.xaxis.get_transform().base == 2
    assert ax.get_ylim()[0] == 0 and ax.get_ylim()[1] > 800
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("batch size (samples)", "throughput (samples/s)")
    assert legend(ax.get_legend()) == [
        "knee: batch size 32, 90% of the best",
        "memory-copy limit: 8.0 GB/s = 800 samples/s",
    ]
    assert ax.get_title("left") == "Your loader reaches 33% of the memory-copy limit"


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plot_timeline(three()),
        lambda: plot_timeline(three(stretch=1.67, spread=0.31), width_inches=4.2),
        lambda: plot_timeline(three(0, 0, 0, spans=[]), width_inches=4.2),
        lambda: plot_timeline([{**one, "name": LONG} for one in three()], width_inches=4.2),
        lambda: plot_throughput(sweep(9e4), LIMIT).figure,
        lambda: (
            plot_ladder({"per_sample": 9e3, "AugmentFromCopies": 3.33e5, "limit": 2.3e6}).figure
        ),
        lambda: plot_ladder({"a": 2.2e6, "b": 2.4e6, "limit": 2.3e6}).figure,
    ],
)
def test_no_word_of_a_picture_is_cut_or_meets_another(draw):
    assert_readable(draw())


# The ladder


def test_each_bar_of_a_ladder_is_its_rate_and_says_what_the_step_bought():
    ax = plot_ladder(RATES)
    assert [bar.get_width() for bar in ax.patches] == [100_000, 1_500_000, 2_000_000]
    assert words(ax) == [
        "One by one: 100 k, 5.0% of the limit",
        "One gather: 1.5 M, 15.0x, 75% of the limit",
        "The limit, a copy of the rows: 2 M",
    ]
    assert ax.get_xlabel() == "throughput (samples/s)"
    title = "One gather reaches 75% of the limit, 15.0 times as fast as one by one"
    assert " ".join(ax.get_title("left").split()) == title
    alone = plot_ladder({"mine": 1.0, "limit": 4.0})
    assert alone.get_title("left") == "Mine reaches 25% of the limit"
    for rates in ({}, {"limit": 1.0}, {"mine": 1.0}):
        with pytest.raises(ValueError, match="needs the rate of a loader and one named 'limit'"):
            plot_ladder(rates)
