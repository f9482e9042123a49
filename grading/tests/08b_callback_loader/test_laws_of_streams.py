"""Hidden: laws of chunked, drawn anew each run (`draw`)."""

import pytest

from tinytorch.testing import expect

pytestmark = pytest.mark.contract("test_chunked")


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
            "The last list may be shorter; with drop_last a shorter one is left out.",
            call=f"list(chunked(iter(range({count})), {size}, {drop_last}))",
            got=got,
            want=cut(list(range(count)), size, drop_last),
            look="a last list shorter than size: kept without drop_last, left out with it",
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
            "A list comes as soon as it is full: the next item is not read before.",
            call=f"chunk {k} of chunked(endless stream, {size})",
            got=f"the stream stands at {read}",
            want=f"{size * (k + 1) + k}",
            look="when is a list handed on: at its last item, or later?",
        )


def test_false_items_are_items(tt):
    got = list(tt.chunked(iter([0, None, "", False, 0]), 2))
    expect(
        got == [[0, None], ["", False], [0]],
        "Any value may be an item, even None, 0 and False.",
        call="list(chunked([0, None, '', False, 0], 2))",
        got=got,
        want=[[0, None], ["", False], [0]],
        look="is an item tested for truth, or None taken for the end?",
    )


def test_each_chunk_is_a_list_of_its_own(tt, draw):
    size = int(draw.integers(2, 6))
    chunks = iter(tt.chunked(Endless(), size))
    got = [next(chunks) for _ in range(4)]
    want = [list(range(k * size, (k + 1) * size)) for k in range(4)]
    expect(
        got == want and all(isinstance(chunk, list) for chunk in got),
        "Each list is a new one: making a later list changes no earlier one.",
        call=f"four chunks of chunked(endless stream, {size})",
        got=got,
        want=want,
        look="a list that is cleared and used again",
    )
