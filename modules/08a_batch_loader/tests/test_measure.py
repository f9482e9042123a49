"""Promises of the access patterns, what they cost, and the pictures of it. `tt` is your
exported package.
"""

import contextlib

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises


def plain_cache(tt):
    """Put a plain cache in the place of `FileCache`, and return what puts it back."""
    from functools import lru_cache

    class PlainCache:
        def __init__(self, load, slots=1):
            self.get = lru_cache(slots)(load)

        loads = property(lambda self: self.get.cache_info().misses)
        hits = property(lambda self: self.get.cache_info().hits)

    before, tt.FileCache = vars(tt)["FileCache"], PlainCache
    return lambda: vars(tt).update(FileCache=before)


@pytest.fixture
def plain(inside):
    """A bug in `FileCache` costs no points of count_file_loads."""
    put_back = inside(plain_cache)
    yield
    with contextlib.suppress(pytest.fail.Exception):  # the process has ended
        put_back()


@pytest.mark.contract("test_within_files_order")
def test_file_after_file_each_one_shuffled(tt):
    for records, length in ((130, 50), (100, 50), (5, 1), (3, 7), (0, 5)):
        order = tt.within_files_order(records, length, 0)
        call = f"within_files_order({records}, {length}, 0)"
        got = f"{order.dtype} {order.shape}"
        expect(
            got == f"int64 ({records},)"
            and sorted(order.tolist()) == [*range(records)],
            "An order is an int64 array that holds every index 0..N-1 once.",
            call=call,
            got=f"{got}, {len(set(order.tolist()))} different records",
            want=f"int64 ({records},), {records} different records from 0 on",
            look="one int64 array with every record of every file; the last file may be"
            " short, or there may be none",
        )
        files = (order // length).tolist()
        expect(
            files == sorted(files),
            "All records of one file come before those of the next; the last file may"
            " be short.",
            call=call,
            got=f"the files of the records: {files}",
            want=f"the files of the records: {sorted(files)}",
            look="the files come in the order 0, 1, 2, ...; only the records inside"
            " each"
            " file's part are shuffled",
        )
    order = tt.within_files_order(130, 50, 7)
    # Two orders of 50 are equal by chance, or one is sorted, once in 50!.
    first, second = order[:50].tolist(), (order[50:100] - 50).tolist()
    ordered = first == list(range(50))
    expect(
        not ordered and first != second,
        "Within a file every order is possible, and each file has an order of its own.",
        call="within_files_order(130, 50, 7), files 0 and 1",
        got="file 0 is in order: 0, 1, 2, ..."
        if ordered
        else "files 0 and 1 are shuffled in the same way",
        want="two random orders",
        look="is the part of each file shuffled, and is the result used?"
        if ordered
        else "draw from rng anew for each file, inside the loop",
    )


@pytest.mark.contract("test_within_files_order")
def test_seed_and_epoch_decide_the_order(tt):
    def order(*settings):
        return tuple(tt.within_files_order(60, 30, *settings).tolist())

    for settings in ((7,), (0,), (0, 3)):
        expect(
            order(*settings) == order(*settings)
            and sorted(order(*settings)) == [*range(60)],
            "The same seed and epoch give the same order; epoch is 0 if left out.",
            call=f"within_files_order(60, 30, seed and epoch {settings}), twice",
            got="two orders",
            want="one order",
            look="where do the random numbers come from? From rng alone, as given: seed"
            " 0 is a seed, too",
        )
    expect(
        order(7) == order(7, 0),
        "The same seed and epoch give the same order; epoch is 0 if left out.",
        call="within_files_order(60, 30, 7), without epoch and with epoch 0",
        got="two orders",
        want="one order",
        look="the default of `epoch`, and the line that makes rng, stay as given",
    )
    numbers = (0, 1, 2, 11, 100, 1000)
    got = len({order(seed, epoch) for seed in numbers for epoch in numbers})
    # Two random orders of two files are equal once in 30! 30!.
    expect(
        got == 36,
        "Another seed or epoch gives another order: seed 0, epoch 1 is not seed 1,"
        " epoch 0.",
        call=f"within_files_order(60, 30, seed, epoch), each of {numbers}",
        got=f"{got} different orders",
        want="36 different orders",
        look="rng is made from [seed, epoch]: do all random numbers come from it, and"
        " is"
        " that line as given?",
    )
    got = len({order(), order(), order(None, 1), order(None, 1)})
    expect(
        got == 4,
        "Without a seed the order is new each time.",
        call="within_files_order(60, 30), four times",
        got=f"{got} different orders",
        want="4 different orders",
        look="without a seed, rng is new each time: does every random number come from"
        " it?",
    )


@pytest.mark.contract("test_count_file_loads")
def test_loads_depend_on_pattern_batch_and_cache(tt, plain):
    # Records of files 0 1 2 0 1 2.
    order = [0, 10, 20, 1, 11, 21]
    for batch_size, slots, want in (
        (1, 1, 6),
        (1, 2, 6),
        (1, 3, 3),
        (3, 1, 6),
        (6, 1, 3),
        (2, 1, 6),
        (2, 2, 4),
    ):
        for given in (order, np.array(order)):
            got = tt.count_file_loads(given, 10, batch_size, slots)
            expect(
                got == want,
                "One LRU cache of cache_size files, empty at first, serves the whole"
                " epoch.",
                call=f"count_file_loads({order}, 10, {batch_size}, {slots})",
                got=got,
                want=want,
                look="how many caches are there, and with how many slots? One for all"
                " batches of a call, made in the call",
            )
    got = tt.count_file_loads([0, 10, 11, 1], 10)
    expect(
        got == 3,
        "batch_size and cache_size are 1 if left out.",
        call="count_file_loads([0, 10, 11, 1], 10)",
        got=got,
        want=3,
        look="the defaults in the `def` line stay as given: batch_size=1 and"
        " cache_size=1",
    )


@pytest.mark.contract("test_count_file_loads")
def test_the_short_last_batch_and_no_batch_are_counted(tt, plain):
    for order, batch_size, want in (
        ([0, 1, 10, 11, 20], 2, 3),
        ([0, 10], 5, 2),
        ([0, 10, 11, 1, 12], 4, 2),
    ):
        got = tt.count_file_loads(np.array(order), 10, batch_size, 1)
        cut = [order[at : at + batch_size] for at in range(0, len(order), batch_size)]
        expect(
            got == want,
            "The short last batch counts too.",
            call=f"count_file_loads({order}, 10, {batch_size}, 1)",
            got=got,
            want=want,
            look=f"the batches are {cut}: do you cut so, and count the last?",
        )
    got = tt.count_file_loads([], 10, 2, 1)
    expect(
        got == 0,
        "An empty order costs 0 loads.",
        call="count_file_loads([], 10, 2, 1)",
        got=got,
        want=0,
        look="without a record there is no batch, and nothing is asked for",
    )


@pytest.mark.contract("test_hit_rate")
def test_a_hit_rate_is_a_fraction(tt):
    for loads, records, want in ((5, 50, 0.9), (0, 3, 1), (8, 8, 0), (0, 1, 1)):
        got = tt.hit_rate(loads, records)
        expect(
            np.isclose(got, want),
            "The hit rate is the fraction of records that needed no load.",
            call=f"hit_rate({loads}, {records})",
            got=got,
            want=want,
            look="loads / records is the miss rate",
        )
    expect_raises(
        ValueError,
        lambda: tt.hit_rate(0, 0),
        "A rate over no records raises ValueError.",
        call="hit_rate(0, 0)",
        look="ask for num_records < 1 first, and raise ValueError yourself",
    )


def bars(tt, records):
    """What plot_file_loads draws."""
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    same = tt.plot_file_loads(records, ax) is ax
    heights = [
        float(bar.get_height())
        for bar in sorted(ax.patches, key=lambda bar: bar.get_x())
    ]
    middles = [
        float(bar.get_x() + bar.get_width() / 2)
        for bar in sorted(ax.patches, key=lambda bar: bar.get_x())
    ]
    ticks = zip(map(float, ax.get_xticks()), ax.get_xticklabels(), strict=False)
    under = {place: tick.get_text() for place, tick in ticks}
    names = [under.get(middle, f"no name at {middle:g}") for middle in middles]
    return {
        "same": same,
        "count": len(heights),
        "bars": dict(zip(names, heights, strict=False)),
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "scale": ax.get_yscale(),
        "limits": [float(end) for end in ax.get_ylim()],
    }


def lines(tt, records):
    """What plot_hit_rate draws."""
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    same = tt.plot_hit_rate(records, ax) is ax
    return {
        "same": same,
        "lines": [
            [
                (float(x), round(float(y), 6))
                for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
            ]
            for line in ax.get_lines()
        ],
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "limits": [float(end) for end in (*ax.get_xlim(), *ax.get_ylim())],
        "markers": [str(line.get_marker()) for line in ax.get_lines()],
        "legend": [text.get_text() for text in ax.get_legend().get_texts()]
        if ax.get_legend()
        else [],
    }


@pytest.mark.contract("test_plot_file_loads")
def test_the_loads_of_each_pattern_are_a_bar(tt, inside):
    records = {"sequential": 5, "shuffled": 40000, "one": 1}
    drawn = inside(bars, records)
    expect(
        drawn["same"] and drawn["count"] > 0,
        "The picture is drawn on ax, and ax is returned.",
        call="plot_file_loads(records, ax)",
        got=f"{drawn['count']} bars on ax, ax returned: {drawn['same']}",
        want="3 bars on ax, ax returned: True",
        look="draw on the ax that new_axes(ax) returns, not with plt; `return ax` at"
        " the"
        " end",
    )
    expect(
        drawn["bars"] == records and drawn["count"] == 3,
        "Each pattern has one bar, as high as its loads, over its name.",
        call="plot_file_loads({sequential 5, shuffled 40000, one 1})",
        got=drawn["bars"],
        want=records,
        look="ax.bar(names, heights): both from `records`, in the same order",
    )
    low, high = drawn["limits"]
    expect(
        drawn["scale"] == "log" and low < 1 and high >= 40000,
        "The y axis has a log scale, and every bar ends inside it.",
        call="plot_file_loads({sequential 5, shuffled 40000, one 1})",
        got=f"{drawn['scale']} scale from {low:.4g} to {high:.4g}",
        want="log scale, from below 1 to 40000 or more",
        look='ax.set_yscale("log")',
    )
    labels = drawn["labels"]
    expect(
        "access pattern" in labels[0] and "file loads per epoch" in labels[1],
        'The axes are labeled "access pattern" and "file loads per epoch".',
        call="plot_file_loads(records, ax)",
        got=labels,
        want=["access pattern", "file loads per epoch"],
        look="ax.set(xlabel=..., ylabel=...)",
    )


@pytest.mark.contract("test_plot_hit_rate")
def test_the_rates_of_each_pattern_are_a_line(tt, inside):
    records = {"shuffled": [(1, 0.2), (5, 1.0)], "sequential": [(1, 0.99), (5, 0.99)]}
    drawn = inside(lines, records)
    expect(
        drawn["same"] and drawn["lines"],
        "The picture is drawn on ax, and ax is returned.",
        call="plot_hit_rate(records, ax)",
        got=f"{len(drawn['lines'])} lines on ax, ax returned: {drawn['same']}",
        want="2 lines on ax, ax returned: True",
        look="draw on the ax that new_axes(ax) returns, not with plt; `return ax` at"
        " the"
        " end",
    )
    want = [[(1, 20.0), (5, 100.0)], [(1, 99.0), (5, 99.0)]]
    got = sorted([tuple(point) for point in line] for line in drawn["lines"])
    expect(
        got == want,
        "Each pattern is a line of percentages over cache sizes.",
        call="plot_hit_rate({shuffled: ..., sequential: ...}, ax)",
        got=got,
        want=want,
        look="x is the cache size, y is 100 * rate; each pattern has all its points",
    )
    left, right, *limits = drawn["limits"]
    expect(
        limits == [0, 100] and left <= 1 and right >= 5,
        "The y axis goes from 0 to 100, and every cache size is visible.",
        call="plot_hit_rate({shuffled: ..., sequential: ...}, ax)",
        got=f"y from {limits}, x from {left:g} to {right:g}",
        want="y from [0, 100], x from 1 or less to 5 or more",
        look="ax.set_ylim(0, 100), after the lines are drawn; no limits for x",
    )
    expect(
        drawn["legend"] == ["shuffled", "sequential"],
        "A legend has the name of every pattern.",
        call="plot_hit_rate({shuffled: ..., sequential: ...}, ax)",
        got=drawn["legend"],
        want=["shuffled", "sequential"],
        look="label=name, ax.legend()",
    )
    labels = drawn["labels"]
    expect(
        "cache size (files)" in labels[0] and "hit rate (%)" in labels[1],
        'The axes are labeled "cache size (files)" and "hit rate (%)".',
        call="plot_hit_rate(records, ax)",
        got=labels,
        want=["cache size (files)", "hit rate (%)"],
        look="ax.set(xlabel=..., ylabel=...)",
    )
    got = drawn["markers"]
    expect(
        not {"None", "none", "", " "} & set(got),
        "Each point has a marker, so that a single point is visible, too.",
        call="plot_hit_rate({shuffled: ..., sequential: ...}, ax): markers",
        got=got,
        want=["o", "o"],
        look='marker="o"',
    )


@pytest.mark.contract("test_within_files_order")
def test_every_order_of_a_file_can_come(tt):
    orders = [tt.within_files_order(5, 3, seed).tolist() for seed in range(150)]
    got = (
        len({tuple(one[:3]) for one in orders}),
        len({tuple(one[3:]) for one in orders}),
    )
    # One of six orders is missing in 150 draws once in 10^11.
    expect(
        got == (6, 2),
        "Within a file every order is possible, and each file has an order of its own.",
        call="within_files_order(5, 3, seed) for 150 seeds: different orders of the"
        " files of 3 and of 2 records",
        got=got,
        want=(6, 2),
        look="the whole part of each file is shuffled",
    )


@pytest.mark.contract("test_count_file_loads")
def test_a_batch_asks_for_its_files_in_ascending_order(tt, plain):
    for order, batch_size, want in (
        ([20, 0, 1, 21], 2, 4),
        ([80, 10, 90, 80], 2, 3),
        ([0, 30, 20, 10], 4, 4),
        ([0, 11, 1, 12], 4, 2),
        ([10, 0, 11, 1], 2, 4),
    ):
        got = tt.count_file_loads(np.array(order), 10, batch_size, 1)
        expect(
            got == want,
            "A batch asks for each of its files once, in ascending order.",
            call=f"count_file_loads({order}, 10, {batch_size}, 1)",
            got=got,
            want=want,
            look="cut the order into batches; the different files of each go"
            " through the cache in ascending order (np.unique sorts, a set does not)",
        )
