"""Laws of exercise 10c, plot_stages."""

import numpy as np
from stand_ins_08 import all_visible, drawn_and_returned, labeled, seen

from tinytorch.laws import law

NAME = "plot_stages"


def stages(draw):
    """Seconds of four stages, 0.4 together: 4 ms are 1%. Neither they nor their names
    are sorted, and one stage takes most of the time.
    """
    names = np.roll(["collate", "fetch", "rotate", "to tensor"], draw.integers(1, 4))
    low, mid, high = sorted(draw.permutation(range(2, 40))[:3] + 0.25)
    parts = np.roll([mid, 400 - low - mid - high, low, high], draw.integers(4))
    return dict(zip(names.tolist(), (parts / 1_000).tolist(), strict=True))


@law(1, "Axes it is given", look="ax = new_axes(ax); draw on this ax, and return it")
def test_the_bars_are_on_the_axes_that_are_returned(tt, inside, draw):
    yield from drawn_and_returned(tt, inside, NAME, stages(draw))


@law(2, "its unit", look="ax.set(xlabel=..., ylabel=...), as the Contract says")
def test_the_labels_say_what_and_in_which_unit(tt, inside, draw):
    labels = "stage", "share of the time (%)"
    yield from labeled(tt, inside, NAME, stages(draw), *labels)


@law(3, "of the sum", look="which seconds are 100%? How many % are those of a stage?")
def test_the_bars_are_shares_of_the_sum(tt, inside, draw):
    records, facts = seen(tt, inside, NAME, stages(draw))
    got = sorted(round(end, 6) for _, end in facts["bars"])
    want = sorted(round(seconds / 0.004, 6) for seconds in records.values())
    yield f"{NAME}({records}, ax): heights of the bars, sorted", got, want


@law(4, "the name of its stage", look="are names and shares in the same order?")
def test_a_bar_stands_over_the_name_of_its_stage(tt, inside, draw):
    records, facts = seen(tt, inside, NAME, stages(draw))
    # from the lowest to the highest, so that another unit breaks nothing here
    got = [names for names, _ in sorted(facts["bars"], key=lambda bar: bar[1])]
    want = [[name] for name in sorted(records, key=records.get)]
    call = f"{NAME}({records}, ax): names, from the lowest to the highest bar"
    yield call, got, want


@law(5, "Every bar", look="are limits numbers of yours, or set before the bars?")
def test_every_bar_is_visible(tt, inside, draw):
    yield from all_visible(tt, inside, NAME, stages(draw))


@law(6, "changes nothing", look="the dict belongs to the caller: where do shares go?")
def test_the_records_stay_as_they_were(tt, inside, draw):
    records, facts = seen(tt, inside, NAME, stages(draw))
    yield f"{NAME}(records, ax): how many bars", facts["count"], len(records)
    call = f"records = {records}; {NAME}(records, ax); records"
    yield call, facts["records"], records
