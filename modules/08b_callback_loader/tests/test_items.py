"""Promises of create_item and do_item. `tt` is your exported package."""

import pytest

from tinytorch.testing import ReadLog, expect, expect_raises


class Failing:
    """Code of somebody else that fails: counts its calls and raises `error`."""

    def __init__(self, error):
        self.error, self.calls = error, 0

    def hook(self, *_):
        self.calls += 1
        raise self.error


def what_came(call, failing):
    """What `call()` made of the error of `failing`, in words."""
    try:
        came = f"no error, but {call()!r}"
    except NotImplementedError:  # a stub
        raise
    except Exception as problem:  # noqa: BLE001 - the test shows it
        came = f"{type(problem).__name__}: {problem}"
    return f"{came} (calls: {failing.calls})"


def unchanged(failing):
    return f"{type(failing.error).__name__}: {failing.error} (calls: 1)"


# 3b create_item and do_item


@pytest.mark.contract("test_loader_do_item")
def test_an_item_is_read_by_its_index(tt):
    log = ReadLog("abc")
    got = tt.DataLoader(log).create_item(2)
    expect(
        got == "c" and log.reads == [2],
        "create_item(s) of an indexed dataset reads its item s, once.",
        call="DataLoader('abc').create_item(2)",
        got=f"{got!r}, items read: {log.reads}",
        want="'c', items read: [2]",
        look="self.read(s) reads item s: how often does your code read?",
    )
    got = tt.DataLoader("abc").create_item(None)
    expect(
        got == "a",
        "create_item(None) of an indexed dataset reads its item 0.",
        call="DataLoader('abc').create_item(None)",
        got=got,
        want="a",
        look="s may be None with an indexed dataset too: then read item 0",
    )


@pytest.mark.contract("test_loader_do_item")
def test_an_index_of_a_stream_is_refused(tt):
    loader = tt.DataLoader("abc", indexed=False)
    for s in (1, 0):
        expect_raises(
            IndexError,
            lambda s=s: loader.create_item(s),
            "create_item raises an IndexError for an index of a stream, even for 0.",
            call=f"DataLoader('abc', indexed=False).create_item({s})",
            look="raise IndexError for each s that is not None; 0 is false, and an"
            " index",
        )


@pytest.mark.contract("test_loader_do_item")
def test_a_stream_gives_one_item_after_the_other(tt):
    loader = tt.DataLoader("abc", indexed=False)
    got = [loader.create_item(None) for _ in range(3)]
    expect(
        got == ["a", "b", "c"],
        "create_item(None) of a stream is the next item of self.it.",
        call="create_item(None), three times, of DataLoader('abc', indexed=False)",
        got=got,
        want=["a", "b", "c"],
        look="next(self.it); iter(self.dataset) would begin again each time",
    )


@pytest.mark.contract("test_loader_do_item")
def test_an_item_passes_through_its_two_hooks(tt):
    log = []
    loader = tt.DataLoader(
        [1, 2, 3],
        create_item=lambda s: log.append("create_item") or 10 * s,
        after_item=lambda item: log.append("after_item") or item + 1,
    )
    for s in (4, 0):
        log.clear()
        got = loader.do_item(s)
        expect(
            got == 10 * s + 1 and log == ["create_item", "after_item"],
            "do_item(s) passes the result of create_item(s) to after_item and returns"
            " its result.",
            call=f"do_item({s}), create_item gives 10 s, after_item adds 1",
            got=f"{got}, hooks called: {log}",
            want=f"{10 * s + 1}, hooks called: {['create_item', 'after_item']}",
            look="each hook once, with what the one before returned",
        )


def with_random_numbers(tt):
    class Lent(tt.DataLoader):
        item_rng = "the item's Generator"  # whatever item_generator gives

    class Noisy:
        def __getitem__(self, index):
            return index, "no random numbers"

        def sample_with(self, index, rng):
            return index, rng

    return {
        "a dataset with sample_with": Lent(Noisy(), n=3).do_item(1),
        "create_item(s, rng)": Lent("abc", create_item=lambda s, rng: (s, rng)).do_item(
            1
        ),
        "after_item(item, rng)": Lent(
            [0, 1, 2], after_item=lambda item, rng: (item, rng)
        ).do_item(1),
    }


@pytest.mark.contract("test_loader_do_item")
def test_who_takes_rng_gets_it(inside):
    for what, got in inside(with_random_numbers).items():
        expect(
            got == (1, "the item's Generator"),
            "Hooks that take rng, and datasets with sample_with, get the item's"
            " Generator.",
            call=f"do_item(1), {what} returns (1, rng)",
            got=got,
            want=(1, "the item's Generator"),
            look="self.read(s) and self.call(name, value)",
        )


@pytest.mark.contract("test_loader_do_item")
def test_stop_passes_through_do_item(tt):
    def end(value):
        raise StopIteration

    for name in ("create_item", "after_item"):
        loader = tt.DataLoader([1], **{name: end})
        try:
            got = loader.do_item(0)
        except StopIteration:
            got = "StopIteration"
        expect(
            got == "StopIteration",
            "A StopIteration of either hook reaches the caller: stop() raises it.",
            call=f"do_item(0), {name} calls stop()",
            got=f"{got}, without an error",
            want="StopIteration",
            look="stop() raises StopIteration: is it caught on its way?",
        )


@pytest.mark.contract("test_loader_do_item")
def test_a_skipped_item_is_none(tt):
    for name in ("create_item", "after_item"):
        loader = tt.DataLoader(
            [0, 1, 2, 3], **{name: tt.skip_where(lambda item: item == 2)}
        )
        got = [loader.do_item(s) for s in range(4)]
        expect(
            got == [0, 1, None, 3],
            "If either hook raises SkipItemException, do_item returns None.",
            call=f"do_item(0), ... do_item(3); {name} skips item 2",
            got=got,
            want=[0, 1, None, 3],
            look="which calls stand inside the try?",
        )


@pytest.mark.contract("test_loader_do_item")
def test_an_error_of_a_hook_passes(tt):
    for error in (KeyError("file 1"), IndexError("row 7"), OSError("disk 2")):
        for name in ("create_item", "after_item"):
            failing = Failing(error)
            loader = tt.DataLoader([1], **{name: failing.hook})
            came = what_came(lambda loader=loader: loader.do_item(0), failing)
            expect(
                came == unchanged(failing),
                "Any other error of the dataset or a hook reaches the caller unchanged,"
                " without a retry.",
                call=f"do_item(0), {name} raises {error!r}",
                got=came,
                want=unchanged(failing),
                look="which errors does your code catch? Only SkipItemException is"
                " yours",
            )


class Damaged:
    """A dataset, and a stream, that cannot be read."""

    def __init__(self, failing):
        self.failing = failing

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self.failing.hook(index)

    def __iter__(self):
        return self

    def __next__(self):
        return self.failing.hook()


@pytest.mark.contract("test_loader_do_item")
def test_an_error_of_the_dataset_passes(tt):
    for error in (KeyError("file 1"), IndexError("row 7"), TypeError("mode")):
        for s, indexed in ((1, True), (None, False)):
            failing = Failing(error)
            loader = tt.DataLoader(Damaged(failing), indexed=indexed)
            came = what_came(lambda s=s, one=loader: one.create_item(s), failing)
            expect(
                came == unchanged(failing),
                "Any other error of the dataset or a hook reaches the caller unchanged,"
                " without a retry.",
                call=f"create_item({s}), indexed={indexed}, dataset raises {error!r}",
                got=came,
                want=unchanged(failing),
                look="does a try of yours catch it? The error is for the caller",
            )
