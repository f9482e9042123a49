"""Facts about the pictures over time: what is drawn where, titles that are computed from the data,
and texts that never overlap or leave the figure.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.profiler.pictures.plots import THEMES, plot_memory, plot_stages, plot_throughput
from tinytorch.profiler.pictures.timeline_plots import (
    plot_resident,
    plot_timeline,
    timeline_finding,
)

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is in the extra [notebook]")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402
from matplotlib.text import Text  # noqa: E402

NAMES = ("Load, then train", "Prefetch, step elsewhere", "Prefetch, step on the same cores")
LONG = "a loader whose author gave it every word that could be found for it"


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def span(lane, stage, batch, start, stop):
    return {"lane": lane, "stage": stage, "batch": batch, "start": start, "stop": stop}


def row(name, wall, idle=0.4, step=0.006, stretch=1.0, spans=None, **more):
    """A timeline; by default of 8 batches that take turns: fetch, transform, collate, then the
    step.
    """
    each = wall / 8
    if spans is None:
        spans = []
        for batch in range(8):
            marks = [batch * each + part * each for part in (0, 0.1, 0.35, 0.4, 1)]
            spans += [
                span("load", stage, batch, *pair)
                for stage, pair in zip(
                    ("fetch", "transform", "collate"), itertools.pairwise(marks[:4]), strict=True
                )
            ]
            spans += [
                span("train", "wait", batch, marks[0], marks[3]),
                span("train", "step", batch, marks[3], marks[4]),
            ]
    return {
        "name": name,
        "wall_seconds": wall,
        "idle_share": idle,
        "step_seconds": step,
        "stretch": stretch,
        "spread": 0.03,
        "spans": spans,
        **more,
    }


def three(first=0.091, elsewhere=0.059, here=0.092, **more):
    return [
        row(name, wall, **more) for name, wall in zip(NAMES, (first, elsewhere, here), strict=True)
    ]


def bars(ax, stage):
    """(left, right, lane) of every bar of a stage, in the axes' units."""
    boxes = [
        path.get_extents()
        for part in ax.collections
        if part.get_gid() == stage
        for path in part.get_paths()
    ]
    return sorted((box.x0, box.x1, "load" if box.y0 > 0.5 else "train") for box in boxes)


def words(figure):
    """Every text that is drawn; an axis also keeps labels of ticks outside its limits."""
    ticks = {
        label
        for ax in figure.axes
        for axis in (ax.xaxis, ax.yaxis)
        for tick in axis.majorTicks
        for label in (tick.label1, tick.label2)
    }
    drawn = {
        tick.label1
        for ax in figure.axes
        for axis in (ax.xaxis, ax.yaxis)
        for tick in axis._update_ticks()
    }
    return [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and (text not in ticks or text in drawn)
    ]


def assert_readable(figure):
    """Assert that no text leaves the figure and no two texts overlap."""
    figure.draw_without_rendering()
    # of an annotation only the text, not the arrow
    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in words(figure)]
    out = [
        text
        for text, box in boxes
        if box.x0 < -1 or box.y0 < -1 or box.x1 > figure.bbox.x1 + 1 or box.y1 > figure.bbox.y1 + 1
    ]
    meet = [
        (one, other)
        for (one, a), (other, b) in itertools.combinations(boxes, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1
    ]
    assert (out, meet) == ([], [])


TIMES = st.floats(0, 1e4, allow_subnormal=False)


@settings(max_examples=8)
@given(
    pairs=st.lists(st.tuples(TIMES, TIMES), min_size=1, max_size=12),
    unit=st.sampled_from([1e-6, 1e-3, 1.0]),
)
def test_every_span_is_a_bar_at_its_time_and_in_its_lane(pairs, unit):
    made = [
        span(lane, stage, n, *(unit * t for t in sorted(pair)))
        for n, pair in enumerate(pairs)
        for lane, stage in (("load", "fetch"), ("train", "step"))
    ]
    figure = plot_timeline([row("one", 1.0, spans=made)])
    ax = figure.axes[0]
    last = max(one["stop"] for one in made)
    scale = {"s": 1, "ms": 1e3, "µs": 1e6}[ax.get_xlabel().split("(")[1].split(")")[0]]
    for lane, stage in (("load", "fetch"), ("train", "step")):
        wanted = sorted(
            (scale * one["start"], scale * one["stop"], lane)
            for one in made
            if one["stage"] == stage
        )
        assert [bar[2] for bar in bars(ax, stage)] == [bar[2] for bar in wanted]
        np.testing.assert_allclose(
            [bar[:2] for bar in bars(ax, stage)],
            [bar[:2] for bar in wanted],
            rtol=1e-9,
            atol=1e-9 * (scale * last + 1),
        )
    assert ax.get_xlim()[1] > scale * last
    plt.close(figure)


def test_there_is_a_row_for_each_timeline_with_its_figures_at_its_end():
    figure = plot_timeline(three(idle=0.46, step=0.0061, stretch=1.67))
    assert [ax.get_title("left") for ax in figure.axes] == list(NAMES)
    for ax, wall in zip(figure.axes, ("91 ms", "59 ms", "92 ms"), strict=True):
        label = next(text for text in ax.texts if "idle" in text.get_text())
        assert label.get_text().split("\n") == [
            wall,
            "idle 46%",
            "step 6.1 ms",
            "stretch 1.67 times",
        ]
        # where the row's last bar ends
        assert label.xy[0] == pytest.approx(float(wall.split()[0]))
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == [
        "loader",
        "train step",
    ]
    assert figure.axes[-1].get_xlabel() == "time (ms), 8 batches"
    assert len({ax.get_xlim() for ax in figure.axes}) == 1  # lengths can be compared across rows


def test_waiting_is_hatched_and_the_step_carries_its_batch_number():
    ax = plot_timeline(three()).axes[0]
    assert {part.get_gid(): part.get_hatch() for part in ax.collections} == {
        "fetch": None,
        "transform": None,
        "collate": None,
        "wait": "////",
        "step": None,
    }
    assert [text.get_text() for text in ax.texts if text.get_text().isdigit()] == [
        str(n) for n in range(8)
    ]


def test_a_number_that_does_not_fit_its_bar_is_left_out():
    spans = [span("train", "step", n, n / 1000, (n + 1) / 1000) for n in range(300)]
    ax = plot_timeline([row("short steps", 0.3, spans=spans)]).axes[0]
    assert [text.get_text() for text in ax.texts if text.get_text().isdigit()] == []


def test_the_legend_names_what_is_drawn_and_nothing_else():
    full = plot_timeline(three())
    assert [text.get_text() for text in full.legends[0].get_texts()] == [
        "fetch",
        "transform",
        "collate",
        "step",
        "waiting for data",
    ]
    outside = [span("train", "wait", 0, 0, 1), span("train", "step", 0, 1, 2)]
    figure = plot_timeline([row("from outside", 2.0, spans=outside)])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "step",
        "waiting for data",
    ]
    assert "not visible" in figure.axes[0].get_title("left")


@pytest.mark.parametrize(
    "rows, title",
    [
        (
            three(),
            (
                "Prefetch hides loading only when the step runs elsewhere: 1.54 times as fast"
                " there, 0.99 times on the same cores"
            ),
        ),
        (
            three(0.09, 0.06, 0.06),
            (
                "Prefetch hides loading, also from a step on the same cores: 1.50 times as fast"
                " elsewhere, 1.50 times here"
            ),
        ),
        (
            three(0.09, 0.089, 0.1),
            (
                "Prefetch changes little: 1.01 times as fast with the step elsewhere,"
                " 0.90 times on the same cores"
            ),
        ),
        (three(idle=0.004), "Nothing to hide: the training step waits for data 0.4% of the time"),
        (
            three(0.9, 0.88, 0.9, idle=0.95),
            (
                "Prefetch cannot hide loading that takes 19 times as long as the step: 1.02 times"
                " as fast with the step elsewhere, 1.00 times on the same cores"
            ),
        ),
        (three()[:1], "The training step waits for data 40% of the time"),
        (three()[:2], "Prefetch, step elsewhere is 1.54 times as fast as Load, then train"),
        (
            three(0, 0, 0),
            (
                "Prefetch changes little: 1.00 times as fast with the step elsewhere,"
                " 1.00 times on the same cores"
            ),
        ),
    ],
)
def test_the_title_is_what_the_walls_say(rows, title):
    assert timeline_finding(rows) == title
    assert " ".join(plot_timeline(rows).get_suptitle().split()) == title


def test_a_wall_time_of_more_batches_than_are_drawn_says_of_how_many():
    ax = plot_timeline([row("all", 0.1, batches=8), row("first of many", 0.8, batches=64)]).axes
    assert [
        next(text.get_text().split("\n")[0] for text in one.texts if "idle" in text.get_text())
        for one in ax
    ] == ["100 ms", "64 batches: 800 ms"]


def test_a_stage_too_short_to_be_seen_is_not_in_the_legend():
    spans = [
        span("load", "collate", 0, 0, 1e-6),
        span("load", "fetch", 0, 0, 0.1),
        span("train", "step", 0, 0.1, 1),
    ]
    assert [
        text.get_text()
        for text in plot_timeline([row("one", 1.0, spans=spans)]).legends[0].get_texts()
    ] == ["fetch", "step"]


def test_a_noisy_row_says_so():
    ax = plot_timeline([row("noisy", 0.1, spread=0.3), row("quiet", 0.1, spread=0.1)]).axes
    assert any("noisy: spread 30%" in text.get_text() for text in ax[0].texts) and not any(
        "noisy" in text.get_text() for text in ax[1].texts
    )


NARROW = 4.2


@pytest.mark.parametrize(
    "rows, width",
    [
        (three(), 7.2),
        *(
            (rows, NARROW)
            for rows in (
                three(),
                three(stretch=1.67, spread=0.31),
                three(1e5, 6e4, 1e5, step=1e4),
                three(0, 0, 0),
                three(spans=[]),
                three(3e-6, 2e-6, 1e-6),
                [{**row, "name": LONG} for row in three()],
                [row("one batch", 1.0, spans=[span("train", "step", 0, 0.0, 1.0)])],
            )
        ),
    ],
    ids=[
        "wide",
        "usual",
        "noisy",
        "huge",
        "no time",
        "no span",
        "microseconds",
        "long names",
        "one batch",
    ],
)
def test_no_word_of_a_timeline_is_cut_or_meets_another(rows, width):
    assert_readable(plot_timeline(rows, width_inches=width))


@pytest.mark.parametrize("style", THEMES)
def test_a_timeline_wears_the_colors_of_its_look(style):
    figure, theme = plot_timeline(three(), style=style), THEMES[style]
    assert {
        to_hex(figure.get_facecolor()),
        *(to_hex(ax.get_facecolor()) for ax in figure.axes),
    } == {theme.face}
    inks = {to_hex(text.get_color()) for text in words(figure) if not text.get_text().isdigit()}
    assert inks <= {theme.ink, theme.faint}


def test_a_timeline_without_rows_or_without_a_field_is_refused_by_name():
    with pytest.raises(ValueError, match="at least one record"):
        plot_timeline([])
    with pytest.raises(ValueError, match="idle_share is missing in Load"):
        plot_timeline([{**three()[0], "idle_share": None}])
    with pytest.raises(ValueError, match="light, dark, got 'sepia'"):
        plot_timeline(three(), style="sepia")


def memory(label, *megabytes, start=100.0):
    return {
        "label": label,
        "resident": [[5.0 + second, 1e6 * (start + held)] for second, held in enumerate(megabytes)],
    }


def test_memory_is_drawn_in_megabytes_above_the_start_over_seconds():
    ax = plot_resident(
        [memory("streaming", 0, 5, 5), memory("in memory", 0, 30, 40, 40, start=900)]
    )
    assert [line.get_ydata().tolist() for line in ax.lines] == [[0, 5, 5], [0, 30, 40, 40]]
    assert [list(line.get_xdata()) for line in ax.lines] == [[0, 1, 2], [0, 1, 2, 3]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (s)", "memory above the start (MB)")
    assert {"streaming\npeak 5 MB", "in memory\npeak 40 MB"} <= {
        text.get_text() for text in ax.texts
    } and ax.get_legend() is None
    assert len({line.get_linestyle() for line in ax.lines}) == 2


@pytest.mark.parametrize(
    "records, title",
    [
        (
            [memory("streaming", 0, 5), memory("in memory", 0, 40)],
            "Streaming needs 8.0 times less memory than in memory",
        ),
        (
            [memory("in memory", 0, 40), memory("streaming", 0, 0.1)],
            "Streaming needs hardly any memory, in memory 40 MB",
        ),
        ([memory("a", 0, 40), memory("b", 0, 40)], "No difference: none holds more than 40 MB"),
        ([memory("a", 0, 0), memory("b", 0, 0.2)], "No difference: none holds more than 200 kB"),
        ([memory("", 0, 3, 2)], "The process grows by 3 MB while it loads"),
    ],
)
def test_the_title_of_memory_over_time_is_what_the_peaks_say(records, title):
    assert plot_resident(records).get_title("left") == title


def test_the_whole_dataset_is_a_line_at_its_height():
    ax = plot_resident([memory("streaming", 0, 5)], dataset_bytes=295_000_000)
    assert 295.0 in [line.get_ydata()[0] for line in ax.lines] and ax.get_ylim()[1] > 295
    assert "whole dataset: 295 MB" in {text.get_text() for text in ax.texts}


@pytest.mark.parametrize(
    "records",
    [
        [memory("streaming", 0, 5, 5), memory("in memory", 0, 30, 40)],
        [memory("one", 0)],
        [memory("same", 0, 5), memory("end", 0, 5), memory("thrice", 0, 5)],
        [memory(LONG, 0, 1), memory("shrinks", 0, -30)],
        [memory("huge", 0, 2e6)],
        [memory("nothing", 0, 0), memory("at all", 0, 0)],
        [memory("streaming", *[0] * 20), memory("in memory", 0, 25, 25)],
    ],
    ids=["usual", "a point", "same end", "long and falling", "huge", "nothing", "ends early"],
)
@pytest.mark.parametrize("dataset_bytes", [None, 25_200_000])
def test_no_word_of_memory_over_time_is_cut_or_meets_another(records, dataset_bytes):
    ax = plt.subplots(figsize=(NARROW, 3.6), layout="constrained")[1]
    assert plot_resident(records, ax, dataset_bytes=dataset_bytes) is ax
    assert_readable(ax.figure)


def test_memory_over_time_needs_points():
    with pytest.raises(ValueError, match="at least one record"):
        plot_resident([])
    with pytest.raises(ValueError, match=r"needs resident.*\[\] in yours"):
        plot_resident([{"label": "yours", "resident": []}])


SIZES = tuple(2**n for n in range(11))


def sweep(best, label=""):
    return [
        {
            "batch_size": size,
            "samples_per_second": best * size / (size + 16),
            "peak_bytes": 1e5 + 3e3 * size,
            "label": label,
        }
        for size in SIZES
    ]


@pytest.mark.parametrize(
    "plot, records, options",
    [
        (plot_throughput, sweep(9e4), {"copy_bytes_per_second": 13.2e9, "bytes_per_sample": 3072}),
        (
            plot_throughput,
            sweep(2.4e6),
            {"copy_bytes_per_second": 13.2e9, "bytes_per_sample": 3072},
        ),
        (
            plot_throughput,
            sweep(9e4, LONG) + sweep(2.4e6, "one gather"),
            {"copy_bytes_per_second": 13.2e9, "bytes_per_sample": 3072},
        ),
        (
            plot_memory,
            sweep(1, "one") + sweep(1, "two") + sweep(1, "three"),
            {"dataset_bytes": 40_000_000},
        ),
        (
            plot_stages,
            [
                {
                    "label": LONG,
                    "shares": {"fetch": 0.2, "transform": 0.05, "collate": 0.7, "other": 0.05},
                }
            ],
            {},
        ),
    ],
    ids=["slow", "fast", "long name", "same memory", "stages"],
)
def test_no_word_of_the_other_plots_is_cut_or_meets_another(plot, records, options):
    ax = plt.subplots(figsize=(NARROW, 3.4), layout="constrained")[1]
    assert_readable(plot(records, ax, **options).figure)
