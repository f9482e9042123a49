"""Promises of plot_workers and of the three functions that calculate. `tt` is your
exported package.
"""

import pytest

from tinytorch.testing import expect, near

# 7a plot_workers

RECORDS = {
    "cheap": [(2, 500.0), (0, 1000.0), (1, 250.0)],
    "expensive": [(0, 4.0), (2, 8.0)],
}
CALL = "plot_workers({cheap: 1000, 250, 500 samples/s with 0, 1, 2 workers, ...})"


def picture(tt, records):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    returned = tt.plot_workers(records, ax)
    legend = ax.get_legend()
    return {
        "same Axes": returned is ax,
        "lines": {
            line.get_label(): [
                (float(x), float(y))
                for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
            ]
            for line in ax.get_lines()
        },
        "legend": legend and [text.get_text() for text in legend.get_texts()],
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "lowest": float(ax.get_ylim()[0]),
    }


@pytest.mark.contract("test_plot_workers")
def test_a_line_for_each_name_with_a_legend(inside):
    got = inside(picture, RECORDS)
    expect(
        got["same Axes"],
        "It draws on the given Axes, or on those of a new figure, and returns them.",
        call="plot_workers(records, ax)",
        got="something else",
        want="the same Axes",
        look="return ax",
    )
    expect(
        sorted(got["lines"]) == sorted(got["legend"] or []) == ["cheap", "expensive"],
        "Each name is one line, labelled, with a legend.",
        call=CALL,
        got=f"lines {sorted(got['lines'])}, legend {got['legend']}",
        want=["cheap", "expensive"],
        look="label=name and ax.legend()",
    )


@pytest.mark.contract("test_plot_workers")
def test_a_point_is_a_speed_up(inside):
    got = inside(picture, RECORDS)["lines"]
    want = {"cheap": [(0, 1), (1, 0.25), (2, 0.5)], "expensive": [(0, 1), (2, 2)]}
    for name, points in want.items():
        expect(
            got.get(name) == points,
            "A point is the rate over the rate of the same name with 0 workers.",
            call=CALL,
            got=got.get(name),
            want=points,
            look="divide by the rate of 0 workers; sorted(rows)",
        )


@pytest.mark.contract("test_plot_workers")
def test_the_axes_say_what_they_show(inside):
    got = inside(picture, RECORDS)
    expect(
        "worker" in got["labels"][0] and "speed-up" in got["labels"][1],
        'The labels are "worker processes" (x) and "speed-up over 0 workers (x)" (y).',
        call=CALL,
        got=got["labels"],
        want=["worker processes", "speed-up over 0 workers (x)"],
    )
    expect(
        got["lowest"] == 0,
        "The y axis begins at 0, and all points are inside the axes.",
        call=CALL,
        got=f"from {got['lowest']:.2f}",
        want="from 0",
        look="ax.set_ylim(bottom=0)",
    )


# 8a to 8c


@pytest.mark.contract("test_bytes_on_their_way")
def test_bytes_by_hand(tt):
    got = tt.bytes_on_their_way(2, 3, 10, (3, 10, 10), "uint8")
    expect(
        near(got, 18_000, within=0.01),
        "num_workers x prefetch batches are on their way, each of batch_size images.",
        call='bytes_on_their_way(2, 3, 10, (3, 10, 10), "uint8")',
        got=got,
        want=18_000,
        look="6 batches x 10 images x 300 numbers x 1 byte = 18,000 bytes",
    )


@pytest.mark.contract("test_overlap_speed_up")
def test_overlap_by_hand(tt):
    got = tt.overlap_speed_up(0.01, 10, 0.05, 4)
    expect(
        near(got, 3, within=0.01),
        "With workers, loading is shared equally, and the slower of loading and step"
        " sets the pace.",
        call="overlap_speed_up(0.01, 10, 0.05, 4)",
        got=got,
        want=3,
        look="(100 + 50) ms / the larger of 100 / 4 and 50 ms = 3",
    )


@pytest.mark.contract("test_rare_share")
def test_a_share_by_hand(tt):
    got = tt.rare_share(0.2, 4)
    expect(
        near(got, 0.5, within=0.01),
        "The answer is the weight of the rare samples over the weight of all.",
        call="rare_share(0.2, 4)",
        got=got,
        want=0.5,
        look="4 of the rare one / (4 + 4 of the four others) = 0.5",
    )
