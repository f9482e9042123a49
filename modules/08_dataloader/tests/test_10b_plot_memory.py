"""Laws of exercise 10b, plot_memory."""

import numpy as np
from stand_ins_08 import all_visible, by_batch_size, drawn_and_returned, labeled, seen

from tinytorch.laws import law

NAME = "plot_memory"


@law(1, "Axes it is given", look="ax = new_axes(ax); draw on this ax, and return it")
def test_the_line_is_on_the_axes_that_are_returned(tt, inside, draw):
    yield from drawn_and_returned(tt, inside, NAME, by_batch_size(draw))


@law(2, "its unit", look="ax.set(xlabel=..., ylabel=...), as the Contract says")
def test_the_labels_say_what_and_in_which_unit(tt, inside, draw):
    labels = "batch size (samples)", "peak memory (MB)"
    yield from labeled(tt, inside, NAME, by_batch_size(draw), *labels)


@law(3, "drawn in MB", look="one line; how many MB are the bytes, with their fraction?")
def test_the_peaks_are_drawn_in_mb(tt, inside, draw):
    records, facts = seen(tt, inside, NAME, by_batch_size(draw))
    got = [sorted(round(y, 6) for _, y in line) for line in facts["lines"]]
    want = [sorted(round(held * 1e-6, 6) for _, held in records)]
    call = f"{NAME}({records}, ax): y of each line"
    holds = np.shape(got) == np.shape(want) and np.allclose(got, want)
    yield call, got, want, holds and all(facts["joined"])


@law(4, "over its batch size", look="ax.plot takes x and y: which x has a peak?")
def test_a_peak_stands_over_its_batch_size(tt, inside, draw):
    records, facts = seen(tt, inside, NAME, by_batch_size(draw))
    # the points in the order of their peaks, so that another unit breaks nothing here
    got = [[x for x, _ in sorted(line, key=lambda p: p[1])] for line in facts["lines"]]
    want = [[float(size) for size, _ in sorted(records, key=lambda p: p[1])]]
    yield f"{NAME}({records}, ax): x, from the lowest to the highest point", got, want


@law(5, "Every point", look="are limits numbers of yours, or set before the line?")
def test_every_peak_is_visible(tt, inside, draw):
    yield from all_visible(tt, inside, NAME, by_batch_size(draw))
