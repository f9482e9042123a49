"""Laws of exercise 3b, create_item and do_item."""

from stand_ins_08b import Failing

from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import Case, law
from tinytorch.testing import ReadLog

ODD = [0, "", False, [], (), [None], {"a": 1}, "text"]
HOOKS = "create_item", "after_item"


class Stream:
    """Items one after the other; it counts how many were read."""

    def __init__(self, items):
        self.items, self.count = list(items), 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.count == len(self.items):
            raise StopIteration
        self.count += 1
        return self.items[self.count - 1]


class Noisy:
    """A dataset with random transforms of its own."""

    def __len__(self):
        return 12

    def __getitem__(self, index):
        return index, "no random numbers"

    def sample_with(self, index, rng):
        return index, rng


def each(loader, samples):
    """do_item of each sample; an error in words."""
    made = []
    for s in samples:
        try:
            made.append(loader.do_item(s))
        except NotImplementedError:  # the exercise is still to be written
            raise
        except Exception as error:  # noqa: BLE001 - the red block shows it
            made.append(shown(error).removesuffix(": "))
    return made


@law(1, "its item s", look="self.read(s) reads item s: how often do you read?")
def test_an_item_is_read_by_its_index(tt, draw):
    count = int(draw.integers(5, 15))
    names = [f"item {k}" for k in range(count)]
    for items, order in (
        ("abc", [2, 0, 1, -1, 2]),
        ([None, *ODD], range(len(ODD) + 1)),
        (names, draw.permutation(count)),
    ):
        log, order = ReadLog(items), list(order)
        loader = tt.DataLoader(log)
        got = lambda one=loader, log=log, order=order: (  # noqa: E731
            [one.create_item(s) for s in order],
            log.reads,
        )
        call = f"DataLoader({items!r}).create_item(s), s in {list(map(int, order))}:"
        yield f"{call} items, indices read", got, ([items[s] for s in order], order)


@law(
    2,
    "reads its item 0",
    look="s may be None with an indexed dataset too: then read item 0",
)
def test_none_of_a_dataset_is_item_0(tt, draw):
    for items in ("abc", ["", "b"], [None], [int(draw.integers(10**6)), "b"]):
        log = ReadLog(items)
        loader = tt.DataLoader(log)
        got = lambda one=loader: [one.create_item(None) for _ in "12"]  # noqa: E731
        call = f"DataLoader({items!r}).create_item(None), twice"
        yield call, got, [items[0]] * 2
        yield f"{call}: indices read", log.reads, [0, 0]


@law(
    3,
    "next item of",
    look="is next(self.it) reached, once, whatever the dataset is? indexed=False says"
    " that it is a stream; iter(self.dataset) would begin again each time",
)
def test_a_stream_gives_one_item_after_the_other(tt, draw):
    call = "create_item(None), three times, of DataLoader('abc', indexed=False)"
    loader = tt.DataLoader("abc", indexed=False)
    yield call, lambda: [loader.create_item(None) for _ in "123"], ["a", "b", "c"]
    for items in ([None, *ODD, 5], draw.integers(0, 99, 12).tolist()):
        stream, count = Stream(items), len(items) - 2
        loader = tt.DataLoader(stream)
        got = lambda one=loader, stream=stream, count=count: (  # noqa: E731
            [one.create_item(None) for _ in range(count)],
            stream.count,
        )
        call = f"create_item(None), {count} times, a stream of {items}"
        yield f"{call}: items, and how many were read", got, (items[:count], count)


@law(4, "for an index of a stream", look="each s that is not None, 0 too; read nothing")
def test_an_index_of_a_stream_is_refused(tt, draw):
    for s in (1, 0, -1, int(draw.integers(2, 99))):
        stream = Stream("abc")
        loader = tt.DataLoader(stream)
        call = f"DataLoader(iter('abc')).create_item({s})"
        yield Case(call, lambda s=s, one=loader: one.create_item(s), raises=IndexError)
        got = lambda one=loader: one.create_item(None)  # noqa: E731
        yield f"{call}, then create_item(None)", got, "a"


@law(
    5,
    "passes the result of",
    look="each hook once and anew for each call, with what the one before returned,"
    " whatever it is",
)
def test_an_item_passes_through_its_two_hooks(tt, draw):
    log, times = [], int(draw.integers(2, 9))
    loader = tt.DataLoader(
        "abc",
        create_item=lambda s: log.append(f"create_item({s})") or times * s,
        after_item=lambda item: log.append(f"after_item({item})") or item + 1,
    )
    for s in (4, 0, 4, int(draw.integers(10, 99))):
        log.clear()
        got = lambda s=s: (loader.do_item(s), log)  # noqa: E731
        calls = [f"create_item({s})", f"after_item({times * s})"]
        call = f"do_item({s}), create_item gives {times} s, after_item adds 1: item,"
        yield f"{call} hooks called", got, (times * s + 1, calls)
    for item in ODD:
        made = tt.DataLoader("abc", create_item=lambda s, x=item: x, after_item=repr)
        got = lambda made=made: made.do_item(1)  # noqa: E731
        call = f"do_item(1), create_item gives {item!r}, after_item=repr"
        yield call, got, repr(item)
        made = tt.DataLoader("abc", create_item=str, after_item=lambda _, x=item: x)
        got = lambda made=made: repr(made.do_item(1))  # noqa: E731
        yield f"repr(do_item(1)), after_item gives {item!r}", got, repr(item)


@law(5, "passes the result of", look="the items of the dataset go through it too")
def test_items_of_a_dataset_pass_through_after_item(tt):
    for call, data, samples in (
        ("do_item(s), s in [1, 0, 2, 1], of 'abc'", "abc", [1, 0, 2, 1]),
        ("do_item(None), three times, of iter('bab')", iter("bab"), [None] * 3),
    ):
        loader = tt.DataLoader(data, after_item=str.upper)
        got = lambda one=loader, all=samples: each(one, all)  # noqa: E731
        want = ["B", "A", "C", "B"] if data == "abc" else ["B", "A", "B"]
        yield f"{call}, after_item=str.upper", got, want


@law(
    6,
    "get the item's Generator",
    look="self.read(s) and self.call(name, value) hand it on; leave self.aim(s)",
)
def test_who_takes_rng_gets_it(tt, draw, stand_in):
    name = f"Generator {draw.integers(10**6)} of item"
    stand_in(item_generator=lambda seed, epoch, index: f"{name} {index}")
    order = [1, 0, *draw.permutation(12).tolist()]
    for what, dataset, hooks in (
        ("a dataset with sample_with", Noisy(), {}),
        ("create_item(s, rng)", range(12), {"create_item": lambda s, rng: (s, rng)}),
        ("after_item(item, rng)", range(12), {"after_item": lambda x, rng: (x, rng)}),
    ):
        loader = tt.DataLoader(dataset, **hooks)
        got = lambda loader=loader: each(loader, order)  # noqa: E731
        want = [(s, f"{name} {s}") for s in order]
        yield f"do_item(s), s in {order}, {what} gives (s, rng)", got, want
    loader = tt.DataLoader(Noisy())
    call = "do_item(None) of a dataset with sample_with that gives (s, rng)"
    yield call, lambda: loader.do_item(None), (0, f"{name} 0")
    loader = tt.DataLoader(iter("abc"), after_item=lambda item, rng: [item, rng])
    want = [[item, f"{name} {k}"] for k, item in enumerate("abc")]
    call = "do_item(None), three times, of iter('abc'), after_item gives [item, rng]"
    yield call, lambda: each(loader, [None] * 3), want


@law(7, "raises SkipItemException", look="which calls are inside the try?")
def test_a_skipped_item_is_none(tt, draw):
    drawn = int(draw.integers(3, 9)), int(draw.integers(1, 10**6))
    for of, low in ((2, 0), (4, 0), (1, 0), drawn):
        want = [low + s if (low + s) % of else None for s in range(9)]
        for name, data, samples in (
            ("create_item", range(9), range(low, low + 9)),
            ("after_item", range(low, low + 9), range(9)),
            ("after_item", iter(range(low, low + 9)), [None] * 9),
        ):
            skip = tt.skip_where(lambda item, of=of: item % of == 0)
            loader = tt.DataLoader(data, **{name: skip})
            got = lambda one=loader, all=samples: each(one, all)  # noqa: E731
            kind = f"{'iter of ' * (samples == [None] * 9)}range({low}, {low + 9})"
            call = f"do_item, nine times, of {kind}; {name} skips multiples of {of}"
            yield call, got, want


@law(
    8,
    "reaches the caller: stop()",
    look="stop() raises StopIteration: is it caught on its way?",
)
def test_stop_passes_through_do_item(tt, draw):
    for last in (0, int(draw.integers(1, 6))):

        def until(item, last=last):
            if item == last:
                raise StopIteration
            return item

        for name in HOOKS:
            loader = tt.DataLoader(range(9), **{name: until})
            got = lambda one=loader, n=last: each(one, range(n + 2))  # noqa: E731
            want = [*range(last), "StopIteration", last + 1]
            yield f"do_item(0), ..., {name} calls stop() at item {last}", got, want
    loader = tt.DataLoader(iter("ab"))
    call = "do_item(None), three times, of iter('ab')"
    yield call, lambda: each(loader, [None] * 3), ["a", "b", "StopIteration"]


class Damaged:
    """A dataset without a length, and a stream, that cannot be read."""

    def __init__(self, failing):
        self.failing = failing

    def __getitem__(self, index):
        return self.failing.hook(index)

    def __iter__(self):
        return self

    def __next__(self):
        return self.failing.hook()


class Sized(Damaged):
    """A dataset that has a length, too."""

    def __len__(self):
        return 3


@law(
    9,
    "without a retry",
    look="only SkipItemException is yours: is anything else caught, or tried again?",
)
def test_any_other_error_passes_through(tt, draw):
    s = int(draw.integers(1, 10**6))
    places = ("create_item", s), ("after_item", 0), ("dataset", s), ("stream", None)
    places += (("dataset without len", s),)
    for error in ERRORS:
        for place, s in places:
            failing = Failing(error)
            hooks = {place: failing.hook} if place in HOOKS else {}
            kind = Sized if place == "dataset" else Damaged
            dataset = "abc" if hooks else kind(failing)
            loader = tt.DataLoader(dataset, indexed=place != "stream", **hooks)
            for method in ("do_item",) if hooks else ("do_item", "create_item"):
                failing.calls = 0
                got = raised_by(lambda m=method, one=loader, s=s: getattr(one, m)(s))
                call = f"{method}({s}), {place} raises {shown(error)}: error, and calls"
                yield f"{call} of it", (got, failing.calls), (shown(error), 1)
