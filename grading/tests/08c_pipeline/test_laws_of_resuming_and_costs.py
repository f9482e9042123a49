"""Hidden: laws of bookmarks, measurements and costs on drawn inputs (`draw`)."""

import numpy as np
import pytest

from tinytorch.testing import expect, near


@pytest.mark.contract("test_follow")
def test_a_bookmark_may_be_followed_epoch_after_epoch(tt, draw):
    length, start = int(draw.integers(3, 9)), int(draw.integers(0, 3))
    mark, seen = tt.Bookmark(7, start), []
    for _ in range(3):
        seen.append([*mark.follow(iter(range(length)), lambda plans: iter(list(plans)))])
        seen.append((mark.epoch, mark.batches))
    want = [
        list(range(start, length)),
        (8, 0),
        list(range(length)),
        (9, 0),
        list(range(length)),
        (10, 0),
    ]
    expect(
        seen == want,
        "After the last batch the bookmark is at the next epoch: `epoch + 1`, 0 batches.",
        call=f"mark = Bookmark(7, {start}); list(mark.follow(iter(range({length})), load)), then"
        " (mark.epoch, mark.batches), three times",
        got=seen,
        want=want,
        look="what do the lines below the loop do with epoch and batches?",
    )


@pytest.mark.contract("test_shuffle_quality")
def test_quality_by_its_definition(tt, draw):
    order = draw.permutation(int(draw.integers(5, 200)))
    count = len(order)
    want = (
        sum(abs(int(place) - k) for k, place in enumerate(order))
        / count
        / ((count**2 - 1) / (3 * count))
    )
    got = tt.shuffle_quality(order.astype(np.uint8) if count < 200 else order)
    expect(
        near(got, want, within=1e-6),
        "Quality is the mean of |order[k] - k|, divided by (N**2 - 1) / (3 N).",
        call=f"shuffle_quality(uint8 array {order[:4].tolist()} ..., a permutation of {count})",
        got=got,
        want=want,
        look="distances in int64: uint8 has no negative numbers; the mean over N, and the divisor"
        " of the Contract",
    )


@pytest.mark.contract("test_shuffle_quality")
def test_a_full_shuffle_has_quality_1(tt, draw):
    # The mean distance of a permutation of N has a relative deviation of about 0.56 / N**0.5, here
    # at most 0.0145: 0.09 is six of them.
    count = int(draw.integers(1500, 2500))
    got = tt.shuffle_quality(draw.permutation(count))
    expect(
        isinstance(got, float) and abs(got - 1) < 0.09,
        "The old order has quality 0, a full shuffle about 1, whatever its length.",
        call=f"shuffle_quality(a permutation of {count})",
        got=got,
        want="about 1",
        look="N is the number of rows, in the mean and in the divisor; the result is a float",
    )
    backwards_too = tt.shuffle_quality(list(range(count))[::-1])
    expect(
        abs(backwards_too - 1.5) < 0.01,
        "Quality is the mean of |order[k] - k|, divided by (N**2 - 1) / (3 N).",
        call=f"shuffle_quality([{count - 1}, ..., 1, 0])",
        got=backwards_too,
        want="about 1.5",
        look="backwards, the mean distance is about N / 2, and a third of N is a full shuffle",
    )


@pytest.mark.contract("test_follow")
def test_a_stop_at_any_batch_gives_the_rest(tt, draw):
    length = int(draw.integers(4, 9))
    names = [f"plan {number}" for number in draw.permutation(100)[:length].tolist()]
    for stop in range(length):
        first = tt.Bookmark(3, 0)
        batches = first.follow(iter(names), iter)
        got = [next(batches) for _ in range(stop)]
        second = tt.Bookmark(first.epoch, first.batches)
        got += list(second.follow(iter(names), iter))
        expect(
            got == names,
            "The batches of the plan that are still to come are handed out, in order.",
            call=f"first = Bookmark(3, 0), left after {stop} of {length} batches; then"
            " Bookmark(first.epoch, first.batches).follow(plan, iter)",
            got=got,
            want=names,
            look="does the bookmark count each batch when it is handed out, and is that many plans"
            " skipped?",
        )


@pytest.mark.contract("test_follow")
def test_a_load_is_called_once_with_the_rest_of_the_plan(tt, draw):
    length, start = int(draw.integers(5, 12)), int(draw.integers(1, 4))
    calls, states, ahead = [], [], int(draw.integers(1, 4))
    mark = tt.Bookmark(0, start)

    def load(plans):
        calls.append([])
        waiting = []
        for plan in plans:
            calls[-1].append(plan)
            waiting.append(-plan)
            if len(waiting) > ahead:
                yield waiting.pop(0)
        yield from waiting

    got = []
    for batch in mark.follow(iter(range(length)), load):
        got.append(batch)
        states.append((mark.epoch, mark.batches))
    expect(
        calls == [list(range(start, length))],
        "`load` is called once, and plans are taken only when it asks for them.",
        call=f"Bookmark(0, {start}).follow(plan of {length}, load)",
        got=f"load was called with {calls}",
        want=f"load was called with {[list(range(start, length))]}",
        look="load is called once, with all plans that are left; plans are skipped, not batches",
    )
    expect(
        got == [-plan for plan in range(start, length)]
        and states == [(0, number) for number in range(start + 1, length + 1)],
        "Batches that were handed out count, not those that were loaded ahead.",
        call=f"Bookmark(0, {start}).follow(iter(range({length})), load): batches, and (epoch,"
        f" batches) while each is used; load takes {ahead} plans ahead",
        got=f"{got}, {states}",
        want=f"{[-plan for plan in range(start, length)]},"
        f" {[(0, number) for number in range(start + 1, length + 1)]}",
        look="what is counted, and where? count batches, where you yield them",
    )


def expect_right(tt_answer, want, promise, call, look):
    """A number within 1% of `want`: kB in place of KiB is 2.4% away."""
    expect(
        isinstance(tt_answer, (int, float)) and near(tt_answer, want, within=0.01),
        promise,
        call=call,
        got=tt_answer,
        want=f"{want:.5g}",
        look=look,
    )


@pytest.mark.contract("test_fill_time")
def test_the_time_to_fill_any_buffer(tt, draw):
    for _ in range(4):
        size, speed = int(draw.integers(200, 5000)), int(draw.integers(30, 900))
        expect_right(
            tt.fill_time(size, speed * 1e6),
            size / speed,
            "The time is the bytes of the buffer divided by the bytes per second.",
            f"fill_time({size}, {speed}e6)",
            f"{size:,} x 10**6 bytes / ({speed} x 10**6 bytes/s) = {size / speed:.4g} s",
        )


@pytest.mark.contract("test_share_held")
def test_the_share_of_any_dataset(tt, draw):
    for _ in range(4):
        size, kilobytes = int(draw.integers(500, 5000)), int(draw.integers(20, 300))
        fit = size * 1000 / kilobytes
        files = int(fit * draw.uniform(2, 50))
        expect_right(
            tt.share_held(size, kilobytes * 1000, files),
            fit / files,
            "The share is the files that fit, divided by all files.",
            f"share_held({size}, {kilobytes * 1000}, {files})",
            f"{size:,} x 10**6 bytes / {kilobytes:,},000 bytes = {fit:,.0f} files;"
            f" {fit:,.0f} / {files:,} = {fit / files:.4g}",
        )


@pytest.mark.contract("test_share_held")
def test_a_small_dataset_is_held_whole(tt, draw):
    size, kilobytes = int(draw.integers(500, 5000)), int(draw.integers(20, 300))
    fit = size * 1000 / kilobytes
    files = int(fit * draw.uniform(0.1, 0.8))
    expect_right(
        tt.share_held(size, kilobytes * 1000, files),
        1,
        "A buffer holds at most the whole dataset, so the share is at most 1.",
        f"share_held({size}, {kilobytes * 1000}, {files})",
        f"{fit:,.0f} files would fit, and there are {files:,}",
    )


def restart(draw):
    """(batches, batch_size, kB of a file, MB/s, us of a row)"""
    return [
        int(draw.integers(least, end))
        for least, end in ((50, 5000), (8, 512), (20, 300), (30, 900), (2, 40))
    ]


@pytest.mark.contract("test_find_the_place")
def test_reading_again_on_any_disk(tt, draw):
    for _ in range(4):
        batches, size, kilobytes, speed, micro = restart(draw)
        rows = batches * size
        want = rows * kilobytes * 1e3 / (speed * 1e6)
        expect_right(
            tt.find_the_place(batches, size, kilobytes * 1e3, speed * 1e6, micro)["read"],
            want,
            "Reading again takes the bytes of these files divided by the bytes per second.",
            f'find_the_place({batches}, {size}, {kilobytes}e3, {speed}e6, {micro})["read"]',
            f"{batches:,} x {size} = {rows:,} files; {rows:,} x {kilobytes},000 bytes /"
            f" ({speed} x 10**6 bytes/s) = {want:.4g} s",
        )


@pytest.mark.contract("test_find_the_place")
def test_planning_again_on_any_machine(tt, draw):
    for _ in range(4):
        batches, size, kilobytes, speed, micro = restart(draw)
        rows = batches * size
        want = rows * micro / 1e6
        expect_right(
            tt.find_the_place(batches, size, kilobytes * 1e3, speed * 1e6, micro)["plan"],
            want,
            "Planning again takes microseconds_per_row for each of these rows.",
            f'find_the_place({batches}, {size}, {kilobytes}e3, {speed}e6, {micro})["plan"]',
            f"{batches:,} x {size} = {rows:,} rows; {rows:,} x {micro} us = {want:.4g} s",
        )
