"""Promises of streams: chunks, stop(), skipped items, n. `tt` is your exported
package.
"""

import itertools

import pytest

from tinytorch.testing import expect

pytestmark = pytest.mark.contract("contract_streams")


class Numbers:
    """A stream: it can be iterated, and has neither a length nor an index."""

    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return iter(range(self.count))


class Endless:
    """0, 1, 2, ... without an end; whoever tries to have it all is stopped before
    the memory is full.
    """

    def __init__(self):
        self.count = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.count > 500:
            raise RuntimeError(
                "more than 500 items of an endless stream were read for a few"
            )
        self.count += 1
        return self.count - 1


def numbers(loader):
    return [batch.data.tolist() for batch in loader]


def test_chunks_of_a_stream(tt):
    for text, size, drop_last, want in (
        ("abcdefg", 3, False, ["abc", "def", "g"]),
        ("abcdefg", 3, True, ["abc", "def"]),
        ("abcdef", 3, True, ["abc", "def"]),
        ("", 3, False, []),
    ):
        got = ["".join(chunk) for chunk in tt.chunked(list(text), size, drop_last)]
        expect(
            got == want,
            "Full chunks come in order; the short rest comes too, unless drop_last.",
            call=f"chunked({text!r}, {size}, {drop_last})",
            got=got,
            want=want,
        )


def test_chunks_of_an_endless_stream(tt):
    stream = Endless()
    chunks = iter(tt.chunked(stream, 4))
    got = [next(chunks), next(chunks)]
    expect(
        got == [[0, 1, 2, 3], [4, 5, 6, 7]],
        "An endless stream is cut as it comes.",
        call="two chunks of chunked(an endless stream, 4)",
        got=got,
        want=[[0, 1, 2, 3], [4, 5, 6, 7]],
    )
    after = next(stream)
    expect(
        after == 8,
        "Nothing is read that does not belong to a chunk.",
        call="the next number of the stream",
        got=after,
        want=8,
    )


def test_an_iterable_dataset_again_and_again(tt):
    for drop_last, want in (
        (False, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10]]),
        (True, [[0, 1, 2, 3], [4, 5, 6, 7]]),
    ):
        loader = tt.DataLoader(Numbers(11), bs=4, drop_last=drop_last)
        for epoch in (0, 1, 2):
            got = numbers(loader)
            expect(
                got == want,
                "Every epoch iterates the stream from its beginning.",
                call=(
                    f"epoch {epoch} of DataLoader(a stream of 11, bs=4, "
                    f"drop_last={drop_last})"
                ),
                got=got,
                want=want,
            )


def test_stop_ends_a_stream_of_unknown_length(tt):
    for last, drop_last, want in (
        (6, False, [[0, 1, 2, 3], [4, 5]]),
        (6, True, [[0, 1, 2, 3]]),
        (8, False, [[0, 1, 2, 3], [4, 5, 6, 7]]),
    ):
        count = itertools.count()

        def create_item(s, count=count, last=last):
            number = next(count)
            if number == last:
                raise StopIteration
            return number

        got = list(
            itertools.islice(
                iter(tt.DataLoader(bs=4, drop_last=drop_last, create_item=create_item)),
                9,
            )
        )
        got = [batch.data.tolist() for batch in got]
        expect(
            got == want,
            "stop() ends the stream; what was gathered is still a batch.",
            call=f"stop() at item {last}, drop_last={drop_last}",
            got=got,
            want=want,
            look="StopIteration inside a generator becomes RuntimeError",
        )


def test_stop_at_once_gives_nothing(tt):
    got = numbers(tt.DataLoader(range(3), bs=4))
    expect(
        got == [[0, 1, 2]],
        "What does not stop gives its items.",
        call="list(DataLoader(range(3), bs=4))",
        got=got,
        want=[[0, 1, 2]],
    )
    got = list(tt.DataLoader(bs=4, create_item=lambda s: tt.stop()))
    expect(
        got == [],
        "A stream that stops at once has no batches.",
        call="list(DataLoader(bs=4, create_item=lambda s: stop()))",
        got=got,
        want=[],
    )


def test_a_skipped_item_leaves_no_hole(tt):
    loader = tt.DataLoader(
        range(10), bs=3, after_item=tt.skip_where(lambda item: item % 4 == 1)
    )
    got = numbers(loader)
    want = [[0, 2, 3], [4, 6, 7], [8]]
    expect(
        got == want,
        "A batch is filled with the item after the skipped one.",
        call="DataLoader(range(10), bs=3), items 1, 5, 9 skipped",
        got=got,
        want=want,
    )


def test_n_limits_a_stream(tt):
    loader = tt.DataLoader(Numbers(100), bs=3, n=7)
    expect(
        len(loader) == 3 and numbers(loader) == [[0, 1, 2], [3, 4, 5], [6]],
        "n items of a stream are an epoch.",
        call="DataLoader(stream, bs=3, n=7)",
        got=numbers(loader),
        want=[[0, 1, 2], [3, 4, 5], [6]],
    )
