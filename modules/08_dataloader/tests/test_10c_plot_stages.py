"""Laws of exercise 10c, plot_stages."""

import numpy as np

from tinytorch.figure_laws import Plot
from tinytorch.laws import law


def stages(draw):
    """Seconds of four stages, 0.4 together, and their percent: 4 ms are 1%. Neither
    they nor their names are sorted, and one stage takes most of the time.
    """
    names = np.roll(["collate", "fetch", "rotate", "to tensor"], draw.integers(1, 4))
    low, mid, high = sorted(draw.permutation(range(2, 40))[:3] + 0.25)
    parts = np.roll([mid, 400 - low - mid - high, low, high], draw.integers(4))
    return tuple(
        dict(zip(names.tolist(), (parts / unit).tolist(), strict=True))
        for unit in (1_000, 4)
    )


PLOT = Plot("plot_stages", stages)


@law(1, "Axes it is given", look="ax = new_axes(ax); draw on this ax, and return it")
def test_the_bars_are_on_the_axes_that_are_returned(tt, inside, draw):
    yield from PLOT.drawn_and_returned(tt, inside, draw)


@law(2, "its unit", look="ax.set(xlabel=..., ylabel=...), as the Contract says")
def test_the_labels_say_what_and_in_which_unit(tt, inside, draw):
    labels = "stage", "share of the time (%)"
    yield from PLOT.seen(tt, inside, draw).labeled(*labels)


@law(3, "of the sum", look="which seconds are 100%? How many % are those of a stage?")
def test_the_bars_are_shares_of_the_sum(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    call = f"plot_stages({seen.records}, ax): heights of the bars, sorted"
    yield call, sorted(end for _, end in seen.bars), sorted(seen.points.values())


@law(4, "the name of its stage", look="are names and shares in the same order?")
def test_a_bar_stands_over_the_name_of_its_stage(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    # from the lowest to the highest, so that another unit breaks nothing here
    got = [names for names, _ in sorted(seen.bars, key=lambda bar: bar[1])]
    want = [[name] for name in sorted(seen.records, key=seen.records.get)]
    call = f"plot_stages({seen.records}, ax): names, from the lowest to the highest bar"
    yield call, got, want


@law(5, "Every bar", look="are limits numbers of yours, or set before the bars?")
def test_every_bar_is_visible(tt, inside, draw):
    yield from PLOT.seen(tt, inside, draw).all_visible()


@law(6, "changes nothing", look="the dict belongs to the caller: where do shares go?")
def test_the_records_stay_as_they_were(tt, inside, draw):
    seen = PLOT.seen(tt, inside, draw)
    yield f"{seen.call}: how many bars", seen.count, len(seen.records)
    call = f"records = {seen.records}; {seen.call}; records"
    yield call, seen.afterwards, seen.records
