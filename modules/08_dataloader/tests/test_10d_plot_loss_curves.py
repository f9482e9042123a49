"""Laws of exercise 10d, plot_loss_curves."""

from stand_ins_08 import all_visible, drawn_and_returned, labeled, picture, seen

from tinytorch.laws import law

NAME = "plot_loss_curves"


def runs(draw):
    """Losses of three runs. The second has the most and the largest losses, the last
    the fewest; their names are not sorted.
    """
    names = sorted(f"run {number}" for number in draw.permutation(range(10, 99))[:3])
    count, low = int(draw.integers(4, 8)), draw.permutation(range(1, 41)) / 8
    most = draw.permutation(range(1, 41))[: draw.integers(20, 30)]
    high = 6 + int(draw.integers(1, 90)) * most / 8
    runs = zip((1, 2, 0), (low[:count], high, low[-2:]), strict=True)
    return {names[position]: losses.tolist() for position, losses in runs}


@law(1, "Axes it is given", look="ax = new_axes(ax); draw on this ax, and return it")
def test_the_lines_are_on_the_axes_that_are_returned(tt, inside, draw):
    yield from drawn_and_returned(tt, inside, NAME, runs(draw))


@law(2, "its unit", look="ax.set(xlabel=..., ylabel=...), as the Contract says")
def test_the_labels_say_what_is_drawn(tt, inside, draw):
    yield from labeled(tt, inside, NAME, runs(draw), "step", "loss")


@law(3, "all its losses", look="one ax.plot for each run, with the whole list as y")
def test_a_line_has_all_losses_of_its_run(tt, inside, draw):
    records, facts = seen(tt, inside, NAME, runs(draw))
    got = sorted([y for _, y in sorted(line)] for line in facts["lines"])
    want = sorted(records.values())
    counts = sorted(map(len, got)), sorted(map(len, want))
    yield f"{NAME}(records, ax): how many losses each line has", *counts
    yield f"{NAME}({records}, ax): y of each line", got, want
    yield f"{NAME}(records, ax): is each line joined?", facts["joined"], [True] * 3


@law(4, "counted from 0", look="which step is the first one, in each run anew?")
def test_the_steps_of_each_line_begin_at_0(tt, inside, draw):
    lines = seen(tt, inside, NAME, runs(draw))[1]["lines"]
    for got in [sorted(x for x, _ in line) for line in lines] or [[]]:
        call = f"{NAME}(records, ax): x of a line of {len(got)} losses"
        want = [float(step) for step in range(len(got))]
        yield call, got, want, got == want != []


@law(5, "has its name", look="label=name in the ax.plot of each run, then ax.legend()")
def test_the_legend_shows_each_line_by_its_name(tt, inside, draw):
    records, facts = seen(tt, inside, NAME, runs(draw))
    names = [name for name, _ in facts["legend"]]
    yield f"{NAME}(records, ax): the legend", sorted(names), sorted(records)
    one = {"run": [2.5, 1.0]}
    got = [name for name, _ in inside(picture, NAME, one)["legend"]]
    yield f"{NAME}({one}, ax): the legend", got, [*one]
    begins = {tuple(losses[:2]): name for name, losses in records.items()}
    for name, numbers in facts["legend"]:
        lines = [sorted(facts["lines"][number])[:2] for number in numbers]
        got = [begins.get(tuple(y for _, y in line), "no run") for line in lines]
        call = f"{NAME}(records, ax): the line that the legend calls {name!r}"
        yield call, f"the line of {' or '.join(got)}", f"that of {name}", name in got


@law(
    6,
    "Every point",
    look="are limits numbers of yours, or taken from one run, or set before the lines?",
)
def test_every_loss_is_visible(tt, inside, draw):
    yield from all_visible(tt, inside, NAME, runs(draw))
