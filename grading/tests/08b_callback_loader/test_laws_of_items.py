"""Hidden: laws of create_item and do_item, on items that are drawn anew each run (`draw`)."""

import pytest

from tinytorch.testing import ReadLog, expect, expect_raises

# 3b create_item and do_item


class Stream:
    """0, 1, 2, ... without an end."""

    def __init__(self):
        self.count = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.count += 1
        return self.count - 1


@pytest.mark.contract("test_loader_do_item")
def test_an_item_is_read_once(tt, draw):
    log = ReadLog([f"item {k}" for k in range(12)])
    order = draw.permutation(12).tolist()
    loader = tt.DataLoader(log)
    got = [loader.do_item(s) for s in order]
    expect(
        got == [f"item {s}" for s in order] and log.reads == order,
        "create_item(s) of an indexed dataset reads its item s, once.",
        call=f"do_item(s) for s in {order}",
        got=f"{got}, reads {log.reads}",
        want=[f"item {s}" for s in order],
        look="self.read(s), once",
    )
    loader = tt.DataLoader(ReadLog(["first", "second"]))
    expect(
        loader.create_item(None) == "first",
        "create_item(None) of an indexed dataset reads its item 0.",
        call="create_item(None)",
        got=loader.create_item(None),
        want="first",
        look="s may be None with an indexed dataset too: then read item 0",
    )


@pytest.mark.contract("test_loader_do_item")
def test_a_stream_is_read_item_by_item(tt, draw):
    stream, count = Stream(), int(draw.integers(3, 9))
    loader = tt.DataLoader(stream)
    got = [loader.do_item(None) for _ in range(count)]
    expect(
        got == list(range(count)) and stream.count == count,
        "create_item(None) of a stream is the next item of self.it.",
        call=f"do_item(None), {count} times",
        got=f"{got}, {stream.count} items read",
        want=f"{list(range(count))}, {count} items read",
        look="next(self.it)",
    )


@pytest.mark.contract("test_loader_do_item")
def test_a_stream_has_no_numbers(tt, draw):
    loader, s = tt.DataLoader(Stream(), bs=1), int(draw.integers(0, 9))
    got = loader.create_item(None)
    expect(
        got == 0,
        "create_item(None) of a stream is the next item of self.it.",
        call="create_item(None)",
        got=got,
        want=0,
        look="next(self.it)",
    )
    expect_raises(
        IndexError,
        lambda: loader.create_item(s),
        "create_item raises an IndexError for an index of a stream, even for 0.",
        call=f"DataLoader(a stream).create_item({s})",
        look="raise IndexError for each s that is not None, 0 too",
    )


@pytest.mark.contract("test_loader_do_item")
def test_two_hooks_of_an_item(tt, draw):
    times, add, of = (int(draw.integers(2, 9)) for _ in range(3))
    made = tt.DataLoader(
        [0], create_item=lambda s: times * s, after_item=lambda item: (item, item + add)
    )
    got = [made.do_item(s) for s in range(9)]
    want = [(times * s, times * s + add) for s in range(9)]
    expect(
        got == want,
        "do_item(s) passes the result of create_item(s) to after_item and returns its result.",
        call=f"do_item(s), create_item gives {times} s, after_item adds {add}",
        got=got,
        want=want,
        look="each hook once, with what the one before returned",
    )
    for name in ("create_item", "after_item"):
        skipping = tt.DataLoader(
            list(range(9)), **{name: tt.skip_where(lambda item: item % of == 0)}
        )
        got = [skipping.do_item(s) for s in range(9)]
        want = [s if s % of else None for s in range(9)]
        expect(
            got == want,
            "If either hook raises SkipItemException, do_item returns None.",
            call=f"do_item(0), ..., {name} skips every {of}th",
            got=got,
            want=want,
            look="do the calls of both hooks stand inside the try?",
        )


@pytest.mark.contract("test_loader_do_item")
def test_stop_passes(tt, draw):
    last = int(draw.integers(1, 6))

    def until_last(item):
        if item == last:
            raise StopIteration
        return item

    for name in ("create_item", "after_item"):
        loader = tt.DataLoader(list(range(9)), **{name: until_last})
        got = [loader.do_item(s) for s in range(last)]
        try:
            got.append(loader.do_item(last))
        except StopIteration:
            got.append("StopIteration")
        expect(
            got == [*range(last), "StopIteration"],
            "A StopIteration of either hook reaches the caller: stop() raises it.",
            call=f"do_item(0), ..., {name} calls stop() at {last}",
            got=got,
            want=[*range(last), "StopIteration"],
            look="stop() raises StopIteration: is it caught on its way?",
        )


@pytest.mark.contract("test_loader_do_item")
def test_every_other_error_passes(tt, draw):
    file = int(draw.integers(1, 9))

    def broken(item):
        if item == file:
            raise OSError(f"file {item} is gone")
        return item

    for name in ("create_item", "after_item"):
        loader = tt.DataLoader(list(range(9)), **{name: broken})
        got = loader.do_item(0)
        expect(
            got == 0,
            "do_item(s) passes the result of create_item(s) to after_item and returns its result.",
            call="do_item(0)",
            got=got,
            want=0,
            look="each hook once, with what the one before returned",
        )
        expect_raises(
            OSError,
            lambda loader=loader: loader.do_item(file),
            "Any other error of the dataset or a hook reaches the caller unchanged,"
            " without a retry.",
            says=f"file {file} is gone",
            call=f"do_item({file}), {name} raises OSError",
            look="except SkipItemException, and nothing wider",
        )
