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
    got = list(tt.chunked(list("abcdef"), 3))
    want = [["a", "b", "c"], ["d", "e", "f"]]
    expect(
        got == want and all(isinstance(chunk, list) for chunk in got),
        "Lists of size items come in the order of the stream.",
        call="list(chunked('abcdef', 3))",
        got=got,
        want=want,
        look="each one a list, of size items, in the order in which they came?",
    )
    for text, size, drop_last, want in (
        ("abcdefg", 3, False, [["a", "b", "c"], ["d", "e", "f"], ["g"]]),
        ("abcdefg", 3, True, [["a", "b", "c"], ["d", "e", "f"]]),
        ("abcdef", 3, True, [["a", "b", "c"], ["d", "e", "f"]]),
        ("ab", 3, False, [["a", "b"]]),
        ("ab", 3, True, []),
        ("ab", 1, True, [["a"], ["b"]]),
    ):
        got = list(tt.chunked(list(text), size, drop_last))
        expect(
            got == want,
            "The last list may be shorter; with drop_last a shorter one is left out.",
            call=f"list(chunked({text!r}, {size}, drop_last={drop_last}))",
            got=got,
            want=want,
            look="a last list shorter than size: kept without drop_last, left out"
            " with it",
        )
    for text, want in (("", []), ("abc", [["a", "b", "c"]])):
        got = list(tt.chunked(list(text), 3))
        expect(
            got == want,
            "No list is empty.",
            call=f"list(chunked({text!r}, 3))",
            got=got,
            want=want,
            look="what is handed on when the stream ends and no item is left?",
        )


def test_any_value_is_an_item(tt):
    got = list(tt.chunked(iter([None, 0, "", False, 0]), 2))
    expect(
        got == [[None, 0], ["", False], [0]],
        "Any value may be an item, even None, 0 and False.",
        call="list(chunked([None, 0, '', False, 0], 2))",
        got=got,
        want=[[None, 0], ["", False], [0]],
        look="is an item tested for truth, or None taken for the end?",
    )


def test_chunks_of_an_endless_stream(tt):
    stream = Endless()
    chunks = iter(tt.chunked(stream, 4))
    got = [next(chunks), next(chunks)]
    expect(
        got == [[0, 1, 2, 3], [4, 5, 6, 7]],
        "A list comes as soon as it is full: the next item is not read before.",
        call="two chunks of chunked(an endless stream, 4)",
        got=got,
        want=[[0, 1, 2, 3], [4, 5, 6, 7]],
        look="when is a list handed on: at its last item, or later?",
    )
    after = next(stream)
    expect(
        after == 8,
        "A list comes as soon as it is full: the next item is not read before.",
        call="the next number of the stream",
        got=after,
        want=8,
        look="when is a list handed on: at its last item, or later?",
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
        look="what takes an item before next()? A function with yield begins there",
    )
    got = next(chunks)
    expect(
        got == [0, 1, 2],
        "Lists of size items come in the order of the stream.",
        call="next(chunked(stream, 3))",
        got=got,
        want=[0, 1, 2],
        look="each one a list, of size items, in the order in which they came?",
    )


def test_each_list_is_a_list_of_its_own(tt):
    got = list(tt.chunked(iter("abcd"), 2))
    expect(
        got == [["a", "b"], ["c", "d"]],
        "Each list is a new one: making a later list changes no earlier one.",
        call="list(chunked('abcd', 2))",
        got=got,
        want=[["a", "b"], ["c", "d"]],
        look="is each list a new one?",
    )


class Broken:
    """a, b, c, and then an error."""

    def __init__(self, error):
        self.error, self.items, self.errors = error, list("abc"), 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.items:
            return self.items.pop(0)
        self.errors += 1
        raise self.error


def test_an_error_of_the_stream_passes(tt):
    for error in (OSError("line 4 is lost"), KeyError("line 4"), ValueError("line 4")):
        stream = Broken(error)
        chunks = iter(tt.chunked(stream, 2))
        got = [next(chunks)]
        try:
            got.append(next(chunks))
        except type(error) as problem:
            got.append(f"{type(problem).__name__}: {problem} (calls: {stream.errors})")
        want = [["a", "b"], f"{type(error).__name__}: {error} (calls: 1)"]
        expect(
            got == want,
            "An error of the stream reaches the caller unchanged, without a retry.",
            call=f"two lists of chunked(a stream that raises {error!r} after c, 2)",
            got=got,
            want=want,
            look="does a try of yours catch it? Only StopIteration ends a stream",
        )
