"""Laws of exercise 10b, plot_memory."""

import re
from collections import Counter

from stand_ins_08 import by_batch_size

from tinytorch.figure_laws import Plot
from tinytorch.laws import law

PLOT = Plot("plot_memory", lambda draw: (by_batch_size(draw),) * 2)


@law(1, "Axes it is given", look="ax = new_axes(ax); draw on this ax, and return it")
def test_the_line_is_on_the_axes_that_are_returned(tt, inside, draw):
    yield from PLOT.drawn_and_returned(tt, inside, draw)


@law(2, "its unit", look="ax.set(xlabel=..., ylabel=...), as the Contract says")
def test_the_labels_say_what_and_in_which_unit(tt, inside, draw):
    labels = "batch size (samples)", "peak memory (MB)"
    yield from PLOT.seen(tt, inside, draw).labeled(*labels)


@law(3, "drawn in MB", look="one line; how many MB are the bytes, with their fraction?")
def test_the_peaks_are_drawn_in_mb(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    got = [sorted(y for _, y in line) for line in seen.lines]
    want = [sorted(round(held * 1e-6, 6) for _, held in seen.records)]
    yield f"plot_memory({seen.records}, ax): y of each line", got, want
    yield from seen.joined()


@law(4, "each peak is its", look="ax.plot takes x and y: which x has a peak?")
def test_a_peak_is_at_its_batch_size(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    # the points in the order of their peaks, so that another unit breaks nothing here
    got = [[x for x, _ in sorted(line, key=lambda p: p[1])] for line in seen.lines]
    want = [[float(size) for size, _ in sorted(seen.points, key=lambda p: p[1])]]
    yield f"{seen.call}: x, from the lowest to the highest point", got, want


@law(5, "Every point", look="are limits numbers of yours, or set before the line?")
def test_every_peak_is_visible(tt, inside, draw):
    yield from PLOT.seen(tt, inside, draw).all_visible()


def grown(draw, quarters):
    """Records in no order, whose middle peaks are the ends, and how many times the
    peak of the largest batch is that of the smallest: a whole number and `quarters`.
    """
    whole, least = int(draw.integers(5, 90)), 4_000 * int(draw.integers(100, 900))
    small, large = int(draw.integers(2, 5)), int(draw.integers(4_000, 5_000))
    most = least * (4 * whole + quarters) // 4
    records = [(large - 1_000, 2 * most), (small, least), (640, least // 2)]
    return [records[0], (large, most), *records[1:]], whole + (quarters > 2)


def lacks(title, *numbers):
    """Those of the numbers that the title does not have; 97.3 is another than 97."""
    said = re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", title))
    return sorted((Counter(map(str, numbers)) - Counter(said)).elements())


@law(6, "names the smallest", look="min(records) is the pair of the smallest batch")
def test_the_title_names_the_ends_of_the_batch_sizes(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    sizes = sorted(size for size, _ in seen.records)
    got = seen.title or "no title"
    holds = not lacks(seen.title, sizes[0], sizes[-1])
    call = f"plot_memory({seen.records}, ax): title"
    yield call, got, f"a text with {sizes[0]} and {sizes[-1]}", holds


@law(
    7,
    "how many times",
    look="the peak of the largest batch, divided by that of the smallest one; round()",
)
def test_the_title_says_how_many_times_as_much(tt, inside, draw):
    for quarters in (1, 3):
        records, times = grown(draw, quarters)
        seen = PLOT.picture(inside, records)
        got, holds = seen.title or "no title", not lacks(seen.title, times)
        yield f"{seen.call}: title", got, f"a text with {times}", holds
