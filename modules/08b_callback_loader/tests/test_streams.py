"""Promises of chunked. `tt` is your exported package."""

import pytest

from tinytorch.testing import expect

pytestmark = pytest.mark.contract("test_chunked")


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


def test_chunks_of_a_stream(tt):
    for text, size, drop_last, want in (
        ("abcdefg", 3, False, [["a", "b", "c"], ["d", "e", "f"], ["g"]]),
        ("abcdefg", 3, True, [["a", "b", "c"], ["d", "e", "f"]]),
        ("abcdef", 3, True, [["a", "b", "c"], ["d", "e", "f"]]),
        ("", 3, False, []),
    ):
        got = list(tt.chunked(list(text), size, drop_last))
        expect(
            all(isinstance(chunk, list) for chunk in got),
            "Lists of size items come in the order of the stream.",
            call=f"list(chunked({text!r}, {size}, drop_last={drop_last}))",
            got=got,
            want=want,
        )
        expect(
            got == want,
            "A shorter rest comes last; with drop_last it is left out.",
            call=f"list(chunked({text!r}, {size}, drop_last={drop_last}))",
            got=got,
            want=want,
        )


def test_chunks_of_an_endless_stream(tt):
    stream = Endless()
    chunks = iter(tt.chunked(stream, 4))
    got = [next(chunks), next(chunks)]
    expect(
        got == [[0, 1, 2, 3], [4, 5, 6, 7]],
        "A list comes as soon as it is full: nothing is read that does not belong to"
        " it.",
        call="two chunks of chunked(an endless stream, 4)",
        got=got,
        want=[[0, 1, 2, 3], [4, 5, 6, 7]],
    )
    after = next(stream)
    expect(
        after == 8,
        "A list comes as soon as it is full: nothing is read that does not belong to"
        " it.",
        call="the next number of the stream",
        got=after,
        want=8,
    )


def test_nothing_is_read_before_a_chunk_is_asked_for(tt):
    stream = Endless()
    chunks = iter(tt.chunked(stream, 3))
    before = stream.count
    expect(
        before == 0,
        "Nothing is read before a list is asked for.",
        call="chunked(stream, 3)",
        got=f"{before} items read",
        want="0 items read",
        look="a generator: yield",
    )
    got = next(chunks)
    expect(
        got == [0, 1, 2],
        "Lists of size items come in the order of the stream.",
        call="next(chunked(stream, 3))",
        got=got,
        want=[0, 1, 2],
    )
