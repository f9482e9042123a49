"""Laws of exercise 10a, plot_throughput."""

from stand_ins_08 import by_batch_size

from tinytorch.figure_laws import Plot
from tinytorch.laws import law

PLOT = Plot("plot_throughput", lambda draw: (by_batch_size(draw),) * 2)


@law(1, "Axes it is given", look="ax = new_axes(ax); draw on this ax, and return it")
def test_the_line_is_on_the_axes_that_are_returned(tt, inside, draw):
    yield from PLOT.drawn_and_returned(tt, inside, draw)


@law(2, "its unit", look="ax.set(xlabel=..., ylabel=...), as the Contract says")
def test_the_labels_say_what_and_in_which_unit(tt, inside, draw):
    labels = "batch size (samples)", "throughput (samples/s)"
    yield from PLOT.seen(tt, inside, draw).labeled(*labels)


@law(3, "batch size across", look="one line; which of the two numbers is x?")
def test_the_line_goes_through_the_records(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    call = f"plot_throughput({seen.records}, ax): the points of each line"
    yield call, [sorted(line) for line in seen.lines], [sorted(seen.points)]
    yield from seen.joined()


@law(4, "of base 2", look='ax.set_xscale("log", base=2)')
def test_batch_sizes_stand_on_a_logarithmic_axis(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    yield f"{seen.call}: scale of x, and its base", seen.scales[0], ("log", 2)


@law(5, "begins at 0", look="ax.set_ylim(bottom=0)")
def test_the_rates_begin_at_0(tt, inside, draw):
    yield from PLOT.seen(tt, inside, draw).begins_at_0()


@law(
    6,
    "Every point",
    look="are limits numbers of yours, or set before the line is drawn?",
)
def test_every_rate_is_visible(tt, inside, draw):
    yield from PLOT.seen(tt, inside, draw).all_visible()
