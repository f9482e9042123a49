"""Promises of plot_workers and of the three functions that calculate. `tt` is your
exported package.
"""

import pytest

from tinytorch.testing import expect, near

# 7a plot_workers


def records():
    return {
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
        "records": records,
        "limits": [*map(float, ax.get_xlim()), *map(float, ax.get_ylim())],
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
    }


@pytest.mark.contract("test_plot_workers")
def test_a_line_for_each_name_with_a_legend(inside):
    got = inside(picture, records())
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
        "Each name is one line with a label in a legend.",
        call=CALL,
        got=f"lines {sorted(got['lines'])}, legend {got['legend']}",
        want=["cheap", "expensive"],
        look="label=name and ax.legend()",
    )


@pytest.mark.contract("test_plot_workers")
def test_a_point_is_a_speed_up(inside):
    got = inside(picture, records())["lines"]
    want = {"cheap": [(0, 1), (1, 0.25), (2, 0.5)], "expensive": [(0, 1), (2, 2)]}
    for name, points in want.items():
        expect(
            got.get(name) == points,
            "A point is the rate divided by the rate of the same line with 0 workers.",
            call=CALL,
            got=got.get(name),
            want=points,
            look="x: the number of workers; y: the rate / that with 0 workers;"
            " sorted(rows)",
        )


@pytest.mark.contract("test_plot_workers")
def test_the_axes_say_what_they_show(inside):
    got = inside(picture, records())
    expect(
        got["labels"] == ["worker processes", "speed-up over 0 workers (x)"],
        'The labels are "worker processes" (x) and "speed-up over 0 workers (x)" (y).',
        call=CALL,
        got=got["labels"],
        want=["worker processes", "speed-up over 0 workers (x)"],
        look="ax.set(xlabel=..., ylabel=...), word for word",
    )
    left, right, low, high = got["limits"]
    expect(
        low == 0 and high >= 2 and left <= 0 and right >= 2,
        "The y axis begins at 0, and all points are inside the axes.",
        call=CALL,
        got=f"x from {left:.2f} to {right:.2f}, y from {low:.2f} to {high:.2f}",
        want="x at least from 0 to 2, y from 0.00 to at least 2",
        look="ax.set_ylim(bottom=0), after the lines: it fixes the other end too",
    )


@pytest.mark.contract("test_plot_workers")
def test_a_line_goes_to_the_right(inside):
    got = inside(picture, records())
    for name, rows in records().items():
        points = got["lines"].get(name, [])
        expect(
            len(points) == len(rows) and points == sorted(points),
            "A line goes from the fewest workers to the most.",
            call=f"{CALL}, the line {name!r}",
            got=points,
            want=f"{len(rows)} points, from the left to the right",
            look="the points by the number of workers: sorted(rows)",
        )
    expect(
        [tuple(row) for row in got["records"]["cheap"]] == records()["cheap"],
        "The records are not changed.",
        call=CALL,
        got=got["records"]["cheap"],
        want=records()["cheap"],
        look="sorted makes a new list; sort changes the caller's",
    )


# 8a to 8c


@pytest.mark.contract("test_bytes_on_their_way")
def test_bytes_by_hand(tt):
    for shape, dtype, want, look in (
        ((1,), "uint8", 60, "1 number x 1 byte"),
        ((3, 10, 10), "uint8", 18_000, "300 numbers x 1 byte"),
        ((20,), "float64", 9_600, "20 numbers x 8 bytes"),
    ):
        got = tt.bytes_on_their_way(2, 3, 10, shape, dtype)
        if shape == (1,):
            expect(
                near(got, want, within=0.01),
                "num_workers x prefetch batches are prepared ahead, each of batch_size"
                " images.",
                call='bytes_on_their_way(2, 3, 10, (1,), "uint8")',
                got=got,
                want=want,
                look=f"6 batches x 10 images x {look} = {want:,} bytes",
            )
        expect(
            near(got, want, within=0.01),
            "An image has as many numbers as the product of image_shape, each as large"
            " as dtype says.",
            call=f'bytes_on_their_way(2, 3, 10, {shape}, "{dtype}")',
            got=got,
            want=want,
            look=f"6 batches x 10 images x {look} = {want:,} bytes",
        )


@pytest.mark.contract("test_overlap_speed_up")
def test_overlap_by_hand(tt):
    got = tt.overlap_speed_up(0.01, 10, 0.0001, 2)
    expect(
        near(got, 2, within=0.01),
        "Without workers, a batch takes the seconds of all its items and of the step.",
        call="overlap_speed_up(0.01, 10, 0.0001, 2)",
        got=got,
        want=2,
        look="before: 10 x 10 + 0.1 = 100.1 ms; after: 100 / 2 = 50 ms; before / after",
    )
    for step, workers, want, look in (
        (
            0.05,
            4,
            3,
            "100 + 50 ms before; after, the larger of 100 / 4 and 50: 150 / 50",
        ),
        (
            0.02,
            2,
            2.4,
            "100 + 20 ms before; after, the larger of 100 / 2 and 20: 120 / 50",
        ),
    ):
        got = tt.overlap_speed_up(0.01, 10, step, workers)
        expect(
            near(got, want, within=0.01),
            "With workers, loading is shared equally, and the slower of loading and"
            " step sets the pace.",
            call=f"overlap_speed_up(0.01, 10, {step}, {workers})",
            got=got,
            want=want,
            look=look,
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
