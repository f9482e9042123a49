"""Hidden: orders and counts of drawn sizes, the facts of drawn pictures, and the estimates."""

import contextlib

import numpy as np
import pytest

from tinytorch.testing import expect, near


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
def test_within_files_every_record_once(tt, draw):
    sizes = [(0, 5), (1, 1), (60, 7), (60, 100)]
    sizes += [(int(draw.integers(20, 60)), int(draw.integers(2, 15))) for _round in range(4)]
    for n, length in sizes:
        seed = int(draw.integers(1000))
        order = tt.within_files_order(n, length, seed)
        files = (order // length).tolist()
        expect(
            order.dtype == np.int64
            and sorted(order.tolist()) == list(range(n))
            and files == sorted(files),
            "All records of one file come before those of the next; the last file may be short.",
            call=f"within_files_order({n}, {length}, {seed})",
            got=order.tolist()[:12],
            look="the files come in the order 0, 1, 2, ...; only the records inside each "
            "file's part are shuffled",
        )


@pytest.mark.contract("test_within_files_order")
def test_every_file_epoch_and_seed_has_its_own_shuffle(tt, draw):
    length, seed = int(draw.integers(40, 60)), int(draw.integers(1000))
    orders = [
        tt.within_files_order(3 * length, length, chosen, epoch)
        for chosen, epoch in ((seed, 0), (seed, 1), (seed + 1, 0))
    ]
    # Nine random orders of 40 records or more: two are equal once in 10^46.
    parts = {
        tuple(order[file * length : (file + 1) * length] - file * length)
        for order in orders
        for file in range(3)
    }
    expect(
        len(parts) == 9 and tuple(range(length)) not in parts,
        "Another seed or epoch gives another order: seed 0, epoch 1 is not seed 1, epoch 0.",
        call=f"within_files_order({3 * length}, {length}, ...): the orders in three files",
        got=f"{len(parts)} different orders of nine",
        want="9 different orders, none of them sorted",
        look="draw anew for each file",
    )


@pytest.mark.contract("test_count_file_loads")
def test_counts_agree_with_a_plain_model(tt, plain, draw):
    for batch_size, slots in ((1, 1), (4, 1), (4, 2), (7, 3), (11, 2), (100, 1)):
        n, length = int(draw.integers(60, 80)), int(draw.integers(3, 12))
        order, held, loads = draw.permutation(n), [], 0
        for start in range(0, n, batch_size):
            for file in sorted(set((order[start : start + batch_size] // length).tolist())):
                if file in held:
                    held.remove(file)
                else:
                    loads += 1
                held = [*held, file][-slots:]
        got = tt.count_file_loads(order, length, batch_size, slots)
        expect(
            got == loads,
            "One LRU cache of cache_size files, empty at first, serves the whole epoch.",
            call=f"count_file_loads(permutation of {n}, {length}, {batch_size}, {slots})",
            got=got,
            want=loads,
            look="how many caches are there, and with how many slots? One for all batches "
            "of a call, made in the call",
        )


@pytest.mark.contract("test_hit_rate")
def test_the_hit_rate_of_drawn_counts(tt, draw):
    for n in draw.integers(10, 100_000, 5).tolist():
        loads = int(draw.integers(1, n // 2))
        got = tt.hit_rate(loads, n)
        expect(
            np.isclose(got, (n - loads) / n),
            "The hit rate is the fraction of records that needed no load.",
            call=f"hit_rate({loads}, {n})",
            got=got,
            want=(n - loads) / n,
            look="loads / records is the miss rate",
        )


def bars(tt, records):
    """What plot_file_loads draws."""
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    same = tt.plot_file_loads(records, ax) is ax
    heights = [float(bar.get_height()) for bar in sorted(ax.patches, key=lambda bar: bar.get_x())]
    names = [tick.get_text() for tick in ax.get_xticklabels()]
    return {
        "same": same,
        "bars": list(zip(names, heights, strict=False)),
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
        "lines": {
            line.get_label(): [
                (float(x), round(float(y), 6))
                for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
            ]
            for line in ax.get_lines()
        },
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "limits": [float(end) for end in ax.get_ylim()],
        "xlimits": [float(end) for end in ax.get_xlim()],
        "legend": [text.get_text() for text in ax.get_legend().get_texts()]
        if ax.get_legend()
        else [],
    }


@pytest.mark.contract("test_plot_file_loads")
def test_bars_of_drawn_loads(tt, inside, draw):
    names = [f"pattern {number}" for number in draw.permutation(100)[:3].tolist()]
    records = dict(zip(names, draw.integers(1, 50_000, 3).tolist(), strict=True))
    drawn = inside(bars, records)
    expect(
        drawn["bars"] == list(records.items()),
        "Each pattern has one bar, as high as its loads, over its name.",
        call=f"plot_file_loads({records})",
        got=drawn["bars"],
        want=list(records.items()),
        look="ax.bar(names, heights): both from `records`, in the same order",
    )
    expect(
        drawn["same"],
        "The picture is drawn on ax, and ax is returned.",
        call="plot_file_loads(records, ax)",
        got="another value",
        want="ax",
        look="return ax",
    )
    low, high = drawn["limits"]
    most = max(records.values())
    expect(
        drawn["scale"] == "log" and low < min(records.values()) and high >= most,
        "The y axis has a log scale, and every bar ends inside it.",
        call=f"plot_file_loads({records}, ax)",
        got=f"{drawn['scale']} scale from {low:.4g} to {high:.4g}",
        want=f"log scale, to {most} or more",
        look='ax.set_yscale("log"); and do fixed limits cut a bar?',
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
def test_lines_of_drawn_rates(tt, inside, draw):
    records = {
        f"pattern {number}": [
            (slots, float(rate)) for slots, rate in enumerate(draw.random(4), start=1)
        ]
        for number in draw.permutation(100)[:3].tolist()
    }
    drawn = inside(lines, records)
    want = {
        name: [(slots, round(100 * rate, 6)) for slots, rate in points]
        for name, points in records.items()
    }
    same = drawn["lines"].keys() == want.keys() and all(
        np.allclose(drawn["lines"][name], want[name]) for name in want
    )
    expect(
        same,
        "Each pattern is a line of percentages over cache sizes.",
        call="plot_hit_rate(three patterns, four cache sizes)",
        got=drawn["lines"],
        want=want,
        look="100 * rate; label=name",
    )
    expect(
        drawn["same"],
        "The picture is drawn on ax, and ax is returned.",
        call="plot_hit_rate(records, ax)",
        got="another value",
        want="ax",
        look="return ax",
    )
    expect(
        drawn["limits"] == [0, 100] and drawn["xlimits"][0] <= 1 and drawn["xlimits"][1] >= 4,
        "The y axis goes from 0 to 100, and every cache size is visible.",
        call="plot_hit_rate(three patterns, four cache sizes)",
        got=f"y from {drawn['limits']}, x from {drawn['xlimits']}",
        want="y from [0, 100], x from 1 or less to 4 or more",
        look="ax.set_ylim(0, 100), after the lines are drawn; no limits for x",
    )
    expect(
        drawn["legend"] == list(records),
        "A legend has the name of every pattern.",
        call=f"plot_hit_rate of {list(records)}",
        got=drawn["legend"],
        want=list(records),
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


@pytest.mark.contract("test_cache_bytes")
def test_the_memory_of_drawn_caches(tt, draw):
    for channels in (1, 3, 4):
        files, records = int(draw.integers(2, 20)), int(draw.integers(100, 1000))
        shape = (channels, *draw.integers(8, 36, 2).tolist())  # may be made, and measured
        size = int(np.prod(shape))
        want = files * records * size
        got = tt.cache_bytes(files, records, shape)
        expect(
            near(got, want, within=0.01),
            "The result is the memory of all images in these files, in bytes.",
            call=f"cache_bytes({files}, {records}, {shape})",
            got=got,
            want=f"{want}",
            look=f"{files} files x {records:,} records x {size:,} bytes = {want:,} bytes",
        )


@pytest.mark.contract("test_load_seconds")
def test_the_time_of_drawn_epochs(tt, draw):
    for _round in range(4):
        records, files = int(draw.integers(20_000, 90_000)), int(draw.integers(4, 20))
        slots, seconds = int(draw.integers(2, files - 1)), float(draw.uniform(0.01, 2))
        want = records * (files - slots) / files * seconds
        got = tt.load_seconds(records, files, slots, seconds)
        expect(
            near(got, want, within=0.01),
            "A record costs a load if its file is not held.",
            call=f"load_seconds({records}, {files}, {slots}, {seconds:.3f})",
            got=got,
            want=f"{want:.1f}",
            look=f"{records:,} records x {files - slots}/{files} x {seconds:.3f} s = {want:,.1f} s",
        )


@pytest.mark.contract("test_sequential_hit_rate")
def test_the_hit_rate_of_drawn_files(tt, draw):
    for _round in range(4):
        batch_size, batches = int(draw.integers(2, 200)), int(draw.integers(3, 30))
        got = tt.sequential_hit_rate(batch_size * batches, batch_size)
        want = (batches - 1) / batches
        expect(
            near(got, want, within=0.01),
            "All batches of a file but the first are hits.",
            call=f"sequential_hit_rate({batch_size * batches}, {batch_size})",
            got=got,
            want=f"{want:.4f}",
            look=f"{batches} batches a file, {batches - 1} of them are hits: {want:.4f}",
        )


@pytest.mark.contract("test_count_file_loads")
def test_records_of_large_sets_are_counted(tt, plain):
    order = [2**40, 5, 2**40 + 1, 2**31]
    got = tt.count_file_loads(np.array(order), 10, 2, 2)
    expect(
        got == 3,
        "One LRU cache of cache_size files, empty at first, serves the whole epoch.",
        call=f"count_file_loads({order}, 10, 2, 2)",
        got=got,
        want=3,
        look="how many caches are there, and with how many slots? One for all batches "
        "of a call, made in the call",
    )


@pytest.mark.contract("test_count_file_loads")
def test_files_are_told_apart_exactly(tt, plain):
    order = [3 * 10**17 - 1, 3 * 10**17]  # in two files; a float cannot tell them apart
    got = tt.count_file_loads(np.array(order), 3, 1, 1)
    expect(
        got == 2,
        "One LRU cache of cache_size files, empty at first, serves the whole epoch.",
        call=f"count_file_loads({order}, 3, 1, 1)",
        got=got,
        want=2,
        look="// counts exactly; / makes floats",
    )


@pytest.mark.contract("test_load_seconds")
def test_the_time_falls_with_every_slot(tt, draw):
    records, files = int(draw.integers(20_000, 90_000)), int(draw.integers(6, 20))
    for slots in (1, 2, files - 1):
        want = records * (files - slots) / files * 0.5
        got = tt.load_seconds(records, files, slots, 0.5)
        expect(
            near(got, want, within=0.01),
            "With more slots, fewer records cost a load.",
            call=f"load_seconds({records}, {files}, {slots}, 0.5)",
            got=got,
            want=f"{want:.1f}",
            look=f"{records:,} records x {files - slots}/{files} x 0.5 s",
        )
