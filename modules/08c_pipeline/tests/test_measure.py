"""Promises of the measurement and its picture. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises, near


@pytest.mark.contract("test_shuffle_quality")
def test_the_old_order_is_not_random(tt):
    got = [tt.shuffle_quality(list(range(count))) for count in (2, 5, 100)]
    expect(
        got == [0, 0, 0] and all(isinstance(one, float) for one in got),
        "The old order has quality 0, a full shuffle about 1, whatever its length.",
        call="shuffle_quality(list(range(N))) for N = 2, 5 and 100",
        got=got,
        want=[0.0, 0.0, 0.0],
        look="nothing moved: every distance is 0, and so is their mean, a float",
    )
    got = tt.shuffle_quality([1, 0])
    expect(
        got > 0,
        "Quality is the mean of |order[k] - k|, divided by (N**2 - 1) / (3 N).",
        call="shuffle_quality([1, 0])",
        got=got,
        want="more than 0",
        look="each row moved by one place: 1 divided by 3/6",
    )


@pytest.mark.contract("test_shuffle_quality")
def test_quality_is_relative_to_a_full_shuffle(tt):
    got = tt.shuffle_quality(np.array([3, 2, 1, 0]))
    expect(
        isinstance(got, float) and near(got, 1.6, within=1e-6),
        "Quality is the mean of |order[k] - k|, divided by (N**2 - 1) / (3 N).",
        call="shuffle_quality([3, 2, 1, 0])",
        got=got,
        want=1.6,
        look="2 divided by 15/12",
    )


@pytest.mark.contract("test_shuffle_quality")
def test_fewer_than_two_rows_have_no_quality(tt):
    got = tt.shuffle_quality([1, 0])
    expect(
        near(got, 2, within=1e-6),
        "Quality is the mean of |order[k] - k|, divided by (N**2 - 1) / (3 N).",
        call="shuffle_quality([1, 0])",
        got=got,
        want=2.0,
        look="1 divided by 3/6",
    )
    for order in ([], [0]):
        expect_raises(
            ValueError,
            lambda: tt.shuffle_quality(order),
            "Fewer than 2 rows raise `ValueError` with the number.",
            says=str(len(order)),
            call=f"shuffle_quality({order})",
            look="compare len(order) with 2 before you divide; a ValueError that says"
            f" {len(order)}",
        )


@pytest.mark.contract("test_shuffle_quality")
def test_a_full_shuffle_has_about_1(tt):
    # A relative deviation of about 0.56 / N**0.5, here 0.0177 and 0.009: 0.12 is six.
    for count, seed in ((1000, 1), (4000, 2)):
        got = tt.shuffle_quality(np.random.default_rng(seed).permutation(count))
        expect(
            abs(got - 1) < 0.12,
            "The old order has quality 0, a full shuffle about 1, whatever its length.",
            call=f"shuffle_quality(np.random.default_rng({seed}).permutation({count}))",
            got=round(got, 3),
            want="about 1",
            look=f"what becomes of numbers up to {count - 1}, in which dtype? N is"
            f" {count}, in the mean and in the divisor",
        )


@pytest.mark.contract("test_shuffle_quality")
def test_a_small_quality_is_not_rounded(tt):
    for count in (500, 2000):
        got = tt.shuffle_quality([1, 0, *range(2, count)])
        want = 2 / count / ((count**2 - 1) / (3 * count))
        expect(
            near(got, want, within=1e-6),
            "Quality is the mean of |order[k] - k|, divided by (N**2 - 1) / (3 N).",
            call=f"shuffle_quality([1, 0, 2, 3, ..., {count - 1}])",
            got=got,
            want=want,
            look="two rows moved by one place; the result is not rounded",
        )


def order_afterwards(tt, order):
    import numpy as np

    order = np.array(order, dtype=np.int64)
    quality = tt.shuffle_quality(order)
    return order.tolist(), float(quality)


@pytest.mark.contract("test_shuffle_quality")
def test_an_order_stays_as_it_was(inside):
    got, quality = inside(order_afterwards, [3, 2, 1, 0])
    expect(
        got == [3, 2, 1, 0] and near(quality, 1.6, within=1e-6),
        "`order` is not changed.",
        call="shuffle_quality(order) of an int64 array [3, 2, 1, 0]",
        got=f"quality {quality}; order, afterwards: {got}",
        want="quality 1.6; order, afterwards: [3, 2, 1, 0]",
        look="`order -= ...` writes into the caller's array",
    )


def records_afterwards(tt, records):
    """The records after they were drawn, and how many lines those of a tuple have."""
    from matplotlib.figure import Figure

    tt.plot_randomness(records, Figure().subplots())
    ax = Figure().subplots()
    try:
        tt.plot_randomness(tuple(map(tuple, records)), ax)
    except AttributeError as problem:
        return [list(record) for record in records], f"AttributeError: {problem}"
    return [list(record) for record in records], len(ax.get_lines()) > 0


@pytest.mark.contract("test_plot_randomness")
def test_records_stay_as_they_were(inside):
    records = [[3_000_000, 0.5], [1_000_000, 0.75], [2_000_000, 0.25]]
    got, drawn = inside(records_afterwards, records)
    expect(
        got == records and drawn is True,
        "`records` is a list or a tuple of pairs, and is not changed.",
        call=f"plot_randomness({records}, ax), then with a tuple of pairs",
        got=f"records, afterwards: {got}; a tuple is drawn: {drawn}",
        want=f"records, afterwards: {records}; a tuple is drawn: True",
        look="what is done to `records` itself? sorted(records) is a new list,"
        " records.sort() changes the caller's, and a tuple has none",
    )


def picture(tt, records):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    returned = tt.plot_randomness(records, ax)
    lines = [
        [list(map(float, xs)), list(map(float, ys))]
        for xs, ys in (line.get_data() for line in ax.get_lines())
    ]
    return {
        "returned": type(returned).__name__,
        "same": returned is ax,
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "lines": lines,
        "markers": [str(line.get_marker()) for line in ax.get_lines()],
        "x": [float(end) for end in ax.get_xlim()],
        "y": [float(end) for end in ax.get_ylim()],
    }


@pytest.mark.contract("test_plot_randomness")
def test_a_plot_shows_percent_over_megabytes(inside, draw):
    rooms = sorted(draw.permutation(np.arange(1, 90))[:4].tolist())
    # Neither rising nor falling, so that a plot that sorts both columns is always seen.
    low, second, third, high = sorted(draw.permutation(np.arange(1, 90))[:4].tolist())
    shares = [second, high, low, third]
    records = [
        (room * 1_000_000, share / 100)
        for room, share in zip(rooms, shares, strict=True)
    ]
    got = inside(picture, records)
    expect(
        got["same"],
        "A plot draws on the Axes it is given and returns it.",
        call=f"plot_randomness({records}, ax)",
        got=got["returned"],
        want="the same Axes",
        look="return ax",
    )
    lines = got["lines"]
    expect(
        len(lines) > 0 and len(lines[0][0]) == 4,
        "One line has a point, with a marker, for each pair.",
        call=f"plot_randomness({records}, ax)",
        got=f"{len(lines)} lines, with {[len(xs) for xs, _ in lines]} points",
        want="a line with 4 points",
        look="ax.plot(xs, ys) on the Axes that are given, once for all pairs",
    )
    expect(
        got["markers"][0] not in ("", " ", "None", "none"),
        "One line has a point, with a marker, for each pair.",
        call=f"plot_randomness({records}, ax)",
        got=f"markers {got['markers']}",
        want="a marker, such as 'o'",
        look='ax.plot(..., marker="o")',
    )
    expect(
        np.allclose(lines[0][0], rooms),
        "The x axis shows MB: bytes divided by 10**6.",
        call=f"plot_randomness({records}, ax)",
        got=f"x is {lines[0][0]}",
        want=f"x is {rooms}",
        look="the first number of each pair, bytes / 1e6",
    )
    expect(
        np.allclose(lines[0][1], shares),
        "The y axis shows the quality in percent.",
        call=f"plot_randomness({records}, ax)",
        got=f"y is {lines[0][1]}",
        want=f"y is {shares}",
        look="the second number of each pair, 100 * quality",
    )


@pytest.mark.contract("test_plot_randomness")
def test_a_plot_says_what_it_shows(inside, draw):
    room = int(draw.integers(1, 90))
    got = inside(picture, [(room * 1_000_000, 0.2), (2 * room * 1_000_000, 0.4)])
    for label, unit in zip(got["labels"], ("MB", "%"), strict=True):
        expect(
            unit in label,
            "Each axis has a label with its unit: MB along x, % along y.",
            call="plot_randomness(records, ax), then ax.get_xlabel(), ax.get_ylabel()",
            got=f"the label along {'x' if unit == 'MB' else 'y'} is {label!r}",
            want=f"a label with {unit!r}",
            look="ax.set(xlabel=..., ylabel=...)",
        )


@pytest.mark.contract("test_plot_randomness")
def test_every_point_of_a_plot_can_be_seen(inside, draw):
    room, share = int(draw.integers(30, 9000)), int(draw.integers(110, 190))
    for records in (
        [(0, 0.0), (room * 1_000_000, share / 100)],
        [(room * 1_000_000, 0.8), (2 * room * 1_000_000, 0.9)],
    ):
        got = inside(picture, records)
        (left, right), (bottom, top) = got["x"], got["y"]
        most = max(quality for _, quality in records) * 100
        first, last = records[0][0] / 1e6, records[-1][0] / 1e6
        expect(
            bottom == 0 and top >= most and left <= first and right >= last,
            "The y axis begins at 0, and every point lies inside the axes.",
            call=f"plot_randomness({records}, ax)",
            got=f"x from {left:.3g} to {right:.3g}, y from {bottom:.3g} to {top:.3g}",
            want=f"y from 0 to {most:.3g} or more; x holds {first:.3g} and {last:.3g}",
            look="ax.set_ylim(bottom=0), after the line is drawn",
        )
