"""Laws of exercise 10a, plot_throughput."""

from stand_ins_08 import all_visible, by_batch_size, drawn_and_returned, labeled, seen

from tinytorch.laws import law

NAME = "plot_throughput"


@law(1, "Axes it is given", look="ax = new_axes(ax); draw on this ax, and return it")
def test_the_line_is_on_the_axes_that_are_returned(tt, inside, draw):
    yield from drawn_and_returned(tt, inside, NAME, by_batch_size(draw))


@law(2, "its unit", look="ax.set(xlabel=..., ylabel=...), as the Contract says")
def test_the_labels_say_what_and_in_which_unit(tt, inside, draw):
    labels = "batch size (samples)", "throughput (samples/s)"
    yield from labeled(tt, inside, NAME, by_batch_size(draw), *labels)


@law(3, "batch size across", look="one line; which of the two numbers is x?")
def test_the_line_goes_through_the_records(tt, inside, draw):
    records, facts = seen(tt, inside, NAME, by_batch_size(draw))
    call = f"{NAME}({records}, ax)"
    got = [sorted(line) for line in facts["lines"]]
    yield f"{call}: the points of each line", got, [records]
    yield f"{call}: are they joined?", facts["joined"], [True]


@law(4, "of base 2", look='ax.set_xscale("log", base=2)')
def test_batch_sizes_stand_on_a_logarithmic_axis(tt, inside, draw):
    scale = seen(tt, inside, NAME, by_batch_size(draw))[1]["scale"]
    yield f"{NAME}(records, ax): scale of x, and its base", scale, ("log", 2)


@law(5, "begins at 0", look="ax.set_ylim(bottom=0)")
def test_the_rates_begin_at_0(tt, inside, draw):
    records, facts = seen(tt, inside, NAME, by_batch_size(draw))
    call = f"{NAME}({records}, ax): where the y axis begins"
    bottom = facts["limits"][1][0]
    yield call, bottom, 0.0, bottom == 0 and facts["count"] > 0


@law(
    6,
    "Every point",
    look="are limits numbers of yours, or set before the line is drawn?",
)
def test_every_rate_is_visible(tt, inside, draw):
    yield from all_visible(tt, inside, NAME, by_batch_size(draw))
