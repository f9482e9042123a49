"""Hidden: laws of chunks, skipped items and streams that stop, drawn anew each run (`draw`)."""

import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("contract_streams")


class Endless:
    """0, 1, 2, ... without an end; whoever tries to have it all is stopped before the memory is
    full.
    """

    def __init__(self):
        self.count = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.count > 500:
            raise RuntimeError("more than 500 items of an endless stream were read for a few")
        self.count += 1
        return self.count - 1


def numbers(loader):
    return [batch.data.tolist() for batch in loader]


def cut(values, size, drop_last):
    pieces = [values[start : start + size] for start in range(0, len(values), size)]
    return [piece for piece in pieces if len(piece) == size or not drop_last]


def test_chunks_are_slices(tt, draw):
    for _ in range(10):
        count, size, drop_last = (
            int(draw.integers(0, 25)),
            int(draw.integers(1, 7)),
            bool(draw.integers(2)),
        )
        got = [list(chunk) for chunk in tt.chunked(iter(list(range(count))), size, drop_last)]
        expect(
            got == cut(list(range(count)), size, drop_last),
            "Chunks of a stream are the slices of its list.",
            call=f"chunked(iter(range({count})), {size}, {drop_last})",
            got=got,
            want=cut(list(range(count)), size, drop_last),
        )


def test_a_chunk_reads_what_it_holds(tt, draw):
    size = int(draw.integers(1, 6))
    stream = Endless()
    chunks = iter(tt.chunked(stream, size))
    for k in range(3):
        next(chunks)
        read = next(stream)
        expect(
            read == size * (k + 1) + k,
            "A chunk is handed over as soon as it is full.",
            call=f"chunk {k} of chunked(endless stream, {size})",
            got=f"the stream stands at {read}",
            want=f"{size * (k + 1) + k}",
        )


def test_false_items_are_items(tt):
    got = list(tt.chunked(iter([0, None, "", False, 0]), 2))
    expect(
        got == [[0, None], ["", False], [0]],
        "Whatever comes from a stream is an item, 0 and None too.",
        call="chunked([0, None, '', False, 0], 2)",
        got=got,
        want=[[0, None], ["", False], [0]],
    )


def test_skipping_is_filtering(tt, draw):
    for indexed in (True, False):
        count, bs, of = (
            int(draw.integers(5, 40)),
            int(draw.integers(1, 6)),
            int(draw.integers(2, 5)),
        )
        loader = tt.DataLoader(
            list(range(count)),
            bs=bs,
            indexed=indexed,
            after_item=tt.skip_where(lambda item: item % of == 0),
        )
        got = numbers(loader)
        want = cut([i for i in range(count) if i % of], bs, False)
        expect(
            got == want,
            "Skipped items leave no holes and no short batches.",
            call=f"{count} items, bs={bs}, every {of}th skipped, indexed={indexed}",
            got=got,
            want=want,
        )


def test_everything_skipped_gives_nothing(tt):
    got = numbers(tt.DataLoader(range(3), bs=2, after_item=tt.skip_where(lambda item: item == 1)))
    expect(
        got == [[0, 2]],
        "What is not skipped comes.",
        call="DataLoader(range(3), bs=2), item 1 skipped",
        got=got,
        want=[[0, 2]],
    )
    got = list(tt.DataLoader(range(9), bs=2, after_item=tt.skip_where(lambda item: True)))
    expect(
        got == [],
        "If every item is skipped, no batch comes.",
        call="DataLoader(range(9), bs=2), all skipped",
        got=got,
        want=[],
    )


def test_stop_ends_the_epoch_for_good(tt, draw):
    for indexed in (True, False):
        count, bs = int(draw.integers(12, 30)), int(draw.integers(2, 6))
        last = int(draw.integers(1, count - 1))

        def after_item(item, last=last):
            if item == last:
                raise StopIteration
            return item

        for drop_last in (False, True):
            loader = tt.DataLoader(
                list(range(count)),
                bs=bs,
                indexed=indexed,
                drop_last=drop_last,
                after_item=after_item,
            )
            got = numbers(loader)
            expect(
                got == cut(list(range(last)), bs, drop_last),
                "Nothing comes after stop(), and what was gathered is still a batch.",
                call=f"{count} items, bs={bs}, stop() at {last}, drop_last={drop_last}",
                got=got,
                want=cut(list(range(last)), bs, drop_last),
            )


def test_a_stream_is_read_item_by_item(tt, draw):
    bs = int(draw.integers(1, 6))
    stream = Endless()
    batches = iter(tt.DataLoader(stream, bs=bs))
    for k in range(3):
        got = next(batches).data.tolist()
        expect(
            got == list(range(k * bs, (k + 1) * bs)),
            "An endless stream gives batch after batch.",
            call=f"batch {k} of DataLoader(endless stream, bs={bs})",
            got=got,
            want=list(range(k * bs, (k + 1) * bs)),
        )
    expect(
        next(stream) == 3 * bs,
        "And no item is read ahead.",
        call="the stream after three batches",
        want=3 * bs,
    )


def test_without_bs_a_stream_gives_its_batches(tt):
    got = [list(batch) for batch in tt.DataLoader(iter([["a", "b"], ["c"]]))]
    expect(
        got == [["a", "b"], ["c"]],
        "Without bs each item of a stream is a batch.",
        call="list(DataLoader(iter([['a', 'b'], ['c']])))",
        got=got,
        want=[["a", "b"], ["c"]],
    )


def test_a_stream_has_no_numbers(tt):
    loader = tt.DataLoader(iter("abc"), bs=1)
    expect_raises(
        IndexError,
        lambda: loader.create_item(2),
        "A stream has no item number 2.",
        call="DataLoader(iter('abc')).create_item(2)",
    )
    expect_raises(
        TypeError,
        lambda: len(loader),
        "A stream of unknown length has no len.",
        call="len(DataLoader(iter('abc')))",
    )
