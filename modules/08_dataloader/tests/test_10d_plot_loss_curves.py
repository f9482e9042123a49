"""Laws of exercise 10d, plot_loss_curves."""

from tinytorch.figure_laws import Plot
from tinytorch.laws import law


def runs(draw):
    """Losses of three runs, and their points. The second has the most and the largest
    losses, the last the fewest; their names are not sorted.
    """
    names = sorted(f"run {number}" for number in draw.permutation(range(10, 99))[:3])
    count, low = int(draw.integers(4, 8)), draw.permutation(range(1, 41)) / 8
    most = draw.permutation(range(1, 41))[: draw.integers(20, 30)]
    high = 6 + int(draw.integers(1, 90)) * most / 8
    runs = zip((1, 2, 0), (low[:count], high, low[-2:]), strict=True)
    records = {names[position]: losses.tolist() for position, losses in runs}
    return records, {name: [*enumerate(losses)] for name, losses in records.items()}


PLOT = Plot("plot_loss_curves", runs)


@law(1, "Axes it is given", look="ax = new_axes(ax); draw on this ax, and return it")
def test_the_lines_are_on_the_axes_that_are_returned(tt, inside, draw):
    yield from PLOT.drawn_and_returned(tt, inside, draw)


@law(2, "its unit", look="ax.set(xlabel=..., ylabel=...), as the Contract says")
def test_the_labels_say_what_is_drawn(tt, inside, draw):
    yield from PLOT.seen(tt, inside, draw).labeled("step", "loss")


@law(3, "all its losses", look="one ax.plot for each run, with the whole list as y")
def test_a_line_has_all_losses_of_its_run(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    got = sorted([y for _, y in sorted(line)] for line in seen.lines)
    want = sorted(seen.records.values())
    counts = sorted(map(len, got)), sorted(map(len, want))
    yield f"{seen.call}: how many losses each line has", *counts
    yield f"plot_loss_curves({seen.records}, ax): y of each line", got, want
    yield from seen.joined()


@law(4, "counted from 0", look="which step is the first one, in each run anew?")
def test_the_steps_of_each_line_begin_at_0(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    for got in [sorted(x for x, _ in line) for line in seen.lines] or [[]]:
        call = f"{seen.call}: x of a line of {len(got)} losses"
        want = [float(step) for step in range(len(got))]
        yield call, got, want, got == want != []


@law(5, "has its name", look="label=name in the ax.plot of each run, then ax.legend()")
def test_the_legend_shows_each_line_by_its_name(tt, inside, draw):
    yield from PLOT.named(tt, inside, draw, {"run": [2.5, 1.0]})


@law(
    6,
    "Every point",
    look="are limits numbers of yours, or taken from one run, or set before the lines?",
)
def test_every_loss_is_visible(tt, inside, draw):
    yield from PLOT.seen(tt, inside, draw).all_visible()
