"""Facts about the figures: labels, units, data, and a title that is computed from the data."""

import numpy as np
import pytest

from tinytorch.profiler import StageShares, Throughput
from tinytorch.profiler.pictures.plots import THEMES, plot_memory, plot_stages, plot_throughput

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is in the extra [notebook]")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402

RATES = {1: 100.0, 2: 180.0, 4: 300.0, 8: 380.0, 16: 400.0}
SPEED = [{"batch_size": size, "samples_per_second": rate} for size, rate in RATES.items()]
MEMORY = [{"batch_size": size, "peak_bytes": 1_000_000 + 3072 * size} for size in (16, 64, 256)]
STAGES = [
    {"label": "yours", "shares": {"fetch": 0.25, "transform": 0.6, "collate": 0.1, "other": 0.05}}
]


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def named(records, label):
    return [{**record, "label": label} for record in records]


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize(
    "plot, records, xlabel, ylabel",
    [
        (plot_throughput, SPEED, "batch size (samples)", "throughput (samples/s)"),
        (plot_memory, MEMORY, "batch size (samples)", "peak memory (MB)"),
        (plot_stages, STAGES, "share of loading time (%)", ""),
    ],
)
def test_axes_carry_their_units(plot, records, xlabel, ylabel):
    ax = plot(records)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (xlabel, ylabel)


def test_throughput_shows_every_record_over_log2_batch_size_from_zero():
    ax = plot_throughput(reversed(SPEED))
    x, y = ax.lines[0].get_data()
    assert list(x) == list(RATES) and list(y) == list(RATES.values())
    assert ax.get_xscale() == "log" and ax.xaxis.get_transform().base == 2
    assert ax.get_ylim()[0] == 0 and ax.get_ylim()[1] > 400
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "4", "8", "16"]


def test_memory_is_drawn_in_megabytes():
    y = plot_memory(MEMORY).lines[0].get_ydata()
    assert list(y) == [record["peak_bytes"] / 1e6 for record in MEMORY]


def test_the_titles_are_found_in_the_data():
    assert (
        plot_throughput(SPEED).get_title("left")
        == "Throughput reaches 90% of its best at batch size 8"
    )
    assert plot_throughput(SPEED[:3]).get_title("left") == "Throughput still grows at batch size 4"
    half = [{**record, "samples_per_second": record["samples_per_second"] / 2} for record in SPEED]
    assert (
        plot_throughput(named(half, "loop") + named(SPEED, "one gather")).get_title("left")
        == "One gather is 2.0 times as fast as loop"
    )
    assert (
        plot_throughput(SPEED, copy_bytes_per_second=8000, bytes_per_sample=10).get_title("left")
        == "Your loader reaches 50% of the memory-copy limit"
    )
    assert (
        plot_memory(MEMORY).get_title("left")
        == "Each sample of a batch costs 3.07 kB of peak memory"
    )
    big = [{**record, "peak_bytes": 4 * record["peak_bytes"]} for record in MEMORY]
    assert (
        plot_memory(named(big, "in memory") + named(MEMORY, "streaming")).get_title("left")
        == "Streaming needs 4.0 times less memory than in memory"
    )
    assert plot_stages(STAGES).get_title("left") == "Transform takes 60% of the loading time"


def test_the_copy_limit_is_a_line_at_its_height_with_its_unit():
    ax = plot_throughput(SPEED, copy_bytes_per_second=8e9, bytes_per_sample=1e7)
    assert 800.0 in [line.get_ydata()[0] for line in ax.lines[1:]] and ax.get_ylim()[1] > 800
    assert any("8.0 GB/s = 800 samples/s" in text for text in texts(ax))
    with pytest.raises(ValueError, match="needs both"):
        plot_throughput(SPEED, copy_bytes_per_second=8e9)


def test_several_lines_are_named_where_they_end_and_differ_in_shape_too():
    ax = plot_throughput(named(SPEED, "loop") + named(SPEED, "gather"))
    assert {"loop", "gather"} <= set(texts(ax)) and ax.get_legend() is None
    assert len({(line.get_marker(), line.get_linestyle()) for line in ax.lines}) == 2
    ax.figure.canvas.draw()
    first, second = (
        text.get_window_extent() for text in ax.texts if text.get_text() in ("loop", "gather")
    )
    assert not first.overlaps(second)  # the lines end at the same height
    assert all(ax.get_window_extent().contains(*corner) for corner in (first.max, second.max))


def test_shares_fill_the_bar_and_small_ones_are_explained_by_a_legend():
    ax = plot_stages(STAGES)
    assert [round(bar.get_width(), 6) for bar in ax.patches] == [25.0, 60.0, 10.0, 5.0]
    assert {"fetch 25%", "transform 60%"} == set(texts(ax))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "fetch",
        "transform",
        "collate",
        "other",
    ]
    even = [{"shares": {"fetch": 0.5, "transform": 0.5}, "batch_size": 32}]
    assert plot_stages(even).get_legend() is None
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["yours"]


@pytest.mark.parametrize("style", THEMES)
@pytest.mark.parametrize(
    "plot, records", [(plot_throughput, SPEED), (plot_memory, MEMORY), (plot_stages, STAGES)]
)
def test_both_looks_color_face_and_ink_with_readable_contrast(plot, records, style):
    ax = plot(records, style=style)
    theme = THEMES[style]
    assert to_hex(ax.figure.get_facecolor()) == to_hex(ax.get_facecolor()) == theme.face
    ink = {
        to_hex(part.get_color())
        for part in (ax.title, ax._left_title, ax.xaxis.label, *ax.get_xticklabels())
    } - {"#000000"}
    assert ink == {theme.ink}
    # WCAG 2.1: AAA and AA for text
    assert contrast(theme.ink, theme.face) >= 7 and contrast(theme.faint, theme.face) >= 4.5
    # graphics
    assert all(
        contrast(color, theme.face) >= 3
        for color in theme.series[:4]
        if (style, color) != ("light", "#CC79A7")
    )
    # words inside the bars
    assert all(contrast("#000000", color) >= 4.5 for color in theme.stages.values())


def contrast(one, other):
    """WCAG 2.1 contrast ratio, 1 to 21."""

    def luminance(color):
        channels = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        return np.where(
            channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
        ) @ [0.2126, 0.7152, 0.0722]

    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_an_axes_that_is_given_is_drawn_on_and_returned():
    ax = plt.subplots()[1]
    assert plot_throughput(SPEED, ax) is ax and plt.get_fignums() == [ax.figure.number]


def test_measured_results_are_records():
    ax = plot_throughput(
        [Throughput(10.0, 0.0, 1, 4, 4, (0.4,)), Throughput(20.0, 0.0, 1, 8, 8, (0.4,))]
    )
    assert list(ax.lines[0].get_xdata()) == [4, 8]
    shares = StageShares(
        {"fetch": 1.0, "transform": 0.0, "collate": 3.0, "other": 0.0}, 4.0, 0.0, 1, 32
    )
    assert plot_stages([shares]).get_title("left") == "Collate takes 75% of the loading time"


@pytest.mark.parametrize("plot", [plot_throughput, plot_memory, plot_stages])
def test_no_records_and_unknown_styles_are_refused(plot):
    with pytest.raises(ValueError, match="at least one record"):
        plot([])
    with pytest.raises(ValueError, match="light, dark, got 'sepia'"):
        plot(SPEED, style="sepia")


def test_a_record_without_its_value_is_refused_by_name():
    with pytest.raises(ValueError, match="peak_bytes is missing"):
        plot_memory(SPEED)


def test_one_record_alone_makes_a_figure():
    assert plot_throughput(SPEED[:1]).get_title("left") and plot_memory(MEMORY[:1]).get_title(
        "left"
    )
