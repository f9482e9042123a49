"""Hidden: laws of the loader against the plain loop, on sizes and chains of hooks that are drawn
anew each run (`draw`).
"""

import itertools

import numpy as np
import pytest

from tinytorch.testing import ReadLog, expect, expect_raises

pytestmark = pytest.mark.contract("contract_hooks")


def numbers(loader):
    return [batch.data.tolist() for batch in loader]


def test_any_chain_of_hooks_is_the_plain_loop(tt, draw):
    for _ in range(6):
        count, bs = int(draw.integers(0, 30)), int(draw.integers(1, 8))
        add, times, drop_last = (
            int(draw.integers(1, 9)),
            int(draw.integers(2, 5)),
            bool(draw.integers(2)),
        )
        got = numbers(
            tt.DataLoader(
                range(count),
                bs=bs,
                drop_last=drop_last,
                after_item=lambda item: item + add,
                before_batch=lambda items: [times * item for item in items],
                after_batch=lambda batch: batch - 1,
            )
        )
        values = [times * (i + add) - 1 for i in range(count)]
        want = [values[start : start + bs] for start in range(0, count, bs)]
        want = [batch for batch in want if len(batch) == bs or not drop_last]
        expect(
            got == want,
            "Hooks on items, lists and batches give what a plain loop gives.",
            call=(
                f"range({count}), bs={bs}, drop_last={drop_last}, item + {add},"
                f" times {times}, batch - 1"
            ),
            got=got,
            want=want,
        )


def test_the_length_is_the_number_of_batches(tt, draw):
    for _ in range(6):
        count, bs = int(draw.integers(0, 40)), int(draw.integers(1, 9))
        for shuffle, drop_last in itertools.product((False, True), repeat=2):
            loader = tt.DataLoader(list(range(count)), bs=bs, shuffle=shuffle, drop_last=drop_last)
            batches = numbers(loader)
            expect(
                len(loader) == len(batches),
                "len(loader) is the number of batches that come.",
                call=f"{count} items, bs={bs}, shuffle={shuffle}, drop_last={drop_last}",
                got=f"len {len(loader)}, {len(batches)} batches",
                want="equal",
            )
            flat = sum(batches, [])
            expect(
                len(flat) == len(set(flat)) and (drop_last or len(flat) == count),
                "Every item comes once.",
                call=f"{count} items, bs={bs}, shuffle={shuffle}",
                got=sorted(flat),
                want=f"0..{count - 1}, each once",
            )


def test_every_order_is_possible(tt, draw):
    # 6 orders of 3, each missed by 120 epochs with probability (5/6)^120: false alarm 2e-9 in all.
    loader = tt.DataLoader([0, 1, 2], shuffle=True, seed=int(draw.integers(1000)))
    seen = {tuple(loader) for _ in range(120)}
    expect(
        len(seen) == 6,
        "Every order of an epoch is possible.",
        call="120 epochs of DataLoader([0, 1, 2], shuffle=True)",
        got=f"{len(seen)} orders",
        want="all 6",
        look="a rotation or a reversal is no shuffle",
    )


def test_a_seed_repeats_all_epochs(tt, draw):
    seed, bs = int(draw.integers(1000)), int(draw.integers(2, 6))
    first, again, other = (
        tt.DataLoader(list(range(30)), bs=bs, shuffle=True, seed=s) for s in (seed, seed, seed + 1)
    )
    epochs = [numbers(first) for _ in range(3)]
    expect(
        all(sorted(sum(epoch, [])) == list(range(30)) for epoch in epochs),
        "Each epoch has every item once.",
        call=f"three epochs of 30 items, bs={bs}, seed={seed}",
        got=[len(sum(epoch, [])) for epoch in epochs],
        want=[30, 30, 30],
    )
    expect(
        len({str(epoch) for epoch in epochs}) == 3,
        "Each epoch has an order of its own.",
        call=f"three epochs, seed={seed}",
        got="equal orders",
        want="three orders",
    )
    expect(
        [numbers(again) for _ in range(3)] == epochs,
        "The same seed gives the same epochs.",
        call=f"another loader with seed={seed}",
        got="other orders",
        want="the same",
    )
    expect(
        numbers(other) != epochs[0],
        "Another seed gives another order.",
        call=f"seed={seed + 1}",
        got="the same order",
        want="another",
    )


def test_nobody_elses_random_numbers_change(tt, draw, global_random_state):
    before = global_random_state()
    batches = list(
        tt.DataLoader(
            list(range(9)), bs=2, shuffle=True, after_item=lambda item, rng: item + rng.random()
        )
    )
    drawn = {
        "items of 9": sum(len(batch.data) for batch in batches),
        "of 9 for one of 2 ranks": len(
            list(tt.DistributedSampler(range(9), num_replicas=2, rank=1))
        ),
        "draws of 5": len(list(tt.WeightedRandomSampler([1, 2, 3], 5))),
        "a number from 0 to 1": 0 <= tt.item_generator(1, 2, 3).random() < 1,
    }
    expect(
        list(drawn.values()) == [9, 5, 5, True],
        "Every item and every draw comes.",
        call="a shuffled epoch, two samplers, an item's generator",
        got=drawn,
        want=[9, 5, 5, True],
    )
    expect(
        global_random_state() == before,
        "Nobody else's random numbers change.",
        call="a shuffled epoch, two samplers, an item's generator",
        got="np.random or random changed",
        want="unchanged",
        look="self.rng, self.next_rng(), item_generator",
    )


def test_shuffle_fn_of_the_user_wins(tt, draw):
    count = int(draw.integers(5, 20))
    got = list(
        tt.DataLoader(list(range(count)), shuffle=True, shuffle_fn=lambda idxs: list(idxs)[::-1])
    )
    expect(
        got == list(range(count))[::-1],
        "shuffle_fn decides the order.",
        call=f"DataLoader(range({count}), shuffle=True, shuffle_fn=reversed)",
        got=got,
        want=list(range(count))[::-1],
        look="self.shuffle_fn(idxs) in get_idxs",
    )


def test_n_takes_the_first_items(tt, draw):
    count = int(draw.integers(10, 20))
    n = int(draw.integers(1, count))
    for shuffle in (False, True):
        got = sorted(tt.DataLoader(list(range(count)), n=n, shuffle=shuffle))
        expect(
            got == list(range(n)),
            "n items are an epoch, shuffled or not.",
            call=f"DataLoader(range({count}), n={n}, shuffle={shuffle})",
            got=got,
            want=f"0..{n - 1}",
        )


def test_loops_in_loops(tt, draw):
    count, bs = int(draw.integers(8, 20)), int(draw.integers(2, 5))
    loader = tt.DataLoader(
        list(range(count)),
        bs=bs,
        shuffle=True,
        seed=1,
        after_item=lambda item, rng: item + rng.random(),
    )
    alone = tt.DataLoader(
        list(range(count)),
        bs=bs,
        shuffle=True,
        seed=1,
        after_item=lambda item, rng: item + rng.random(),
    )
    want = numbers(alone)
    expect(
        len(sum(want, [])) == count,
        "A loop of its own reads every item.",
        call=f"an epoch of {count} items, bs={bs}",
        got=len(sum(want, [])),
        want=count,
    )
    got = []
    for batch in loader:
        got.append(batch.data.tolist())
        next(iter(loader))
    expect(
        got == want,
        "A loop inside a loop over the same loader disturbs neither order nor random numbers.",
        call="for batch in loader: next(iter(loader))",
        got=got,
        want=want,
        look="what is kept in self between two batches?",
    )


def test_reading_is_lazy_batch_by_batch(tt, draw):
    count, bs = int(draw.integers(9, 20)), int(draw.integers(2, 5))
    log = ReadLog(range(count))
    for k, _ in enumerate(tt.DataLoader(log, bs=bs, shuffle=True)):
        expect(
            len(log.reads) == min(count, (k + 1) * bs),
            "No item is read before its batch is asked for.",
            call=f"batch {k}, bs={bs}",
            got=f"{len(log.reads)} reads",
            want=f"{min(count, (k + 1) * bs)} reads",
        )
    expect(
        sorted(log.reads) == list(range(count)),
        "An epoch reads every item once.",
        call=f"an epoch of {count} items, bs={bs}",
        got=sorted(log.reads),
        want=f"0..{count - 1}",
    )


def test_items_are_read_once_and_in_order(tt, draw):
    order = draw.permutation(12).tolist()
    log = ReadLog(range(12))
    list(tt.DataLoader(log, bs=5, get_idxs=lambda: order))
    expect(
        log.reads == order,
        "Each index is read once, in the order of get_idxs.",
        call=f"get_idxs gives {order}",
        got=log.reads,
        want=order,
    )


def test_settings_that_contradict_each_other(tt):
    expect(
        numbers(tt.DataLoader([1, 2, 3], bs=2, drop_last=True)) == [[1, 2]],
        "These do not.",
        call="DataLoader([1, 2, 3], bs=2, drop_last=True)",
    )
    for options, word in (
        ({"bs": 0}, "bs"),
        ({"bs": True}, "bs"),
        ({"bs": 2.5}, "bs"),
        ({"drop_last": True}, "drop_last"),
        ({"num_workers": -1}, "num_workers"),
        ({"shuffle": True, "indexed": False}, "shuffle"),
        ({"device": "cuda"}, "device"),
    ):
        expect_raises(
            ValueError,
            lambda: tt.DataLoader([1, 2, 3], **options),
            "Settings that cannot work are refused when the loader is made.",
            says=word,
            call=f"DataLoader([1, 2, 3], **{options})",
        )


def test_before_batch_sees_items_and_retain_both(tt):
    seen = {}
    loader = tt.DataLoader(
        ["a", "b", "c"],
        bs=2,
        before_batch=lambda items: seen.update(before=items) or [*items, "z"],
        retain=lambda batch, items: seen.update(retain=[batch, items]) or batch,
    )
    first = next(iter(loader))
    expect(
        first == ["a", "b", "z"] and seen["before"] == ["a", "b"],
        "before_batch gets the items and decides what is collated.",
        call="bs=2, before_batch adds 'z'",
        got=first,
        want=["a", "b", "z"],
    )
    expect(
        seen["retain"] == [["a", "b", "z"], ["a", "b"]],
        "retain gets the batch and the items as they were.",
        call="retain(batch, items)",
        got=seen["retain"],
        want=[["a", "b", "z"], ["a", "b"]],
    )


def test_a_numpy_integer_is_an_integer(tt):
    got = numbers(tt.DataLoader(range(5), bs=np.int64(2)))
    expect(
        got == [[0, 1], [2, 3], [4]],
        "NumPy's integers are integers.",
        call="DataLoader(range(5), bs=np.int64(2))",
        got=got,
        want=[[0, 1], [2, 3], [4]],
    )
