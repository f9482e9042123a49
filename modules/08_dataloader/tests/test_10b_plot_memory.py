"""Laws of exercise 10b, plot_memory."""

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


@law(4, "over its batch size", look="ax.plot takes x and y: which x has a peak?")
def test_a_peak_stands_over_its_batch_size(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    # the points in the order of their peaks, so that another unit breaks nothing here
    got = [[x for x, _ in sorted(line, key=lambda p: p[1])] for line in seen.lines]
    want = [[float(size) for size, _ in sorted(seen.points, key=lambda p: p[1])]]
    yield f"{seen.call}: x, from the lowest to the highest point", got, want


@law(5, "Every point", look="are limits numbers of yours, or set before the line?")
def test_every_peak_is_visible(tt, inside, draw):
    yield from PLOT.seen(tt, inside, draw).all_visible()
