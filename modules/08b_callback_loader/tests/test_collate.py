"""Promises of fa_collate, fa_convert and collate_error. `tt` is your exported
package.
"""

import re

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import expect, expect_raises


def plain(batch):
    """Tensors as lists, everything else as it is."""
    if isinstance(batch, dict):
        return {key: plain(value) for key, value in batch.items()}
    if isinstance(batch, (tuple, list)):
        return type(batch)(map(plain, batch))
    return batch.data.tolist() if isinstance(batch, Tensor) else batch


# 1a fa_collate


@pytest.mark.contract("test_fa_collate")
def test_the_two_samples_of_fastais_page(tt):
    for samples, want in (
        ([(1, (2, 3)), (1, (2, 3))], ([1, 1], ([2, 2], [3, 3]))),
        ([(1, (2, (3, 4))), (1, (2, (3, 4)))], ([1, 1], ([2, 2], ([3, 3], [4, 4])))),
    ):
        got = plain(tt.fa_collate(samples))
        expect(
            got == want,
            "Sequences become one of that type, ranges a list; the values at each"
            " position are collated.",
            call=f"fa_collate({samples})",
            got=got,
            want=want,
            look="each column through fa_collate; rebuild(first, a list of them)",
        )


@pytest.mark.contract("test_fa_collate")
def test_a_list_stays_a_list(tt):
    got = plain(tt.fa_collate([[1, 2], [3, 4], [5, 6]]))
    expect(
        got == [[1, 3, 5], [2, 4, 6]],
        "Sequences become one of that type, ranges a list; the values at each position"
        " are collated.",
        call="fa_collate([[1, 2], [3, 4], [5, 6]])",
        got=got,
        want=[[1, 3, 5], [2, 4, 6]],
        look="each column through fa_collate; rebuild(first, a list of them)",
    )


@pytest.mark.contract("test_fa_collate")
def test_strings_and_dicts_inside_samples(tt):
    samples = [
        {"name": "a.png", "pixels": np.array([1, 2], np.uint8), "label": 3},
        {"name": "b.png", "pixels": np.array([4, 5], np.uint8), "label": 6},
    ]
    batch = tt.fa_collate(samples)
    expect(
        batch["name"] == ["a.png", "b.png"],
        "Strings and bytes become a list.",
        call="fa_collate(two dicts)['name']",
        got=batch["name"],
        want=["a.png", "b.png"],
        look="ask for strings and bytes before sequences",
    )
    expect(
        isinstance(batch["pixels"], Tensor)
        and batch["pixels"].data.tolist() == [[1, 2], [4, 5]]
        and batch["pixels"].dtype == np.uint8,
        "Numbers and arrays become one Tensor that keeps their dtype.",
        call="fa_collate(two dicts)['pixels']",
        got=f"{batch['pixels']!r}",
        want="[[1 2] [4 5]], uint8",
        look="stack(samples) keeps the dtype: what else is done to the numbers?",
    )
    expect(
        plain(batch["label"]) == [3, 6],
        "Numbers and arrays become one Tensor that keeps their dtype.",
        call="fa_collate(two dicts)['label']",
        got=batch["label"],
        want=[3, 6],
        look="stack(samples) keeps the dtype: what else is done to the numbers?",
    )


@pytest.mark.contract("test_fa_collate")
def test_samples_of_unequal_length_are_refused(tt):
    got = plain(tt.fa_collate([(1, 2), (3, 4)]))
    expect(
        got == ([1, 3], [2, 4]),
        "Sequences become one of that type, ranges a list; the values at each position"
        " are collated.",
        call="fa_collate([(1, 2), (3, 4)])",
        got=got,
        want=([1, 3], [2, 4]),
        look="each column through fa_collate; rebuild(first, a list of them)",
    )
    for samples in (
        [(1, 2), (3,)],
        [(3,), (1, 2)],
        [[1], [2], []],
        [(1, 2), (3, 4, 5), (6, 7)],
    ):
        expect_raises(
            ValueError,
            lambda: tt.fa_collate(samples),
            "Sequences of unequal length raise ValueError.",
            call=f"fa_collate({samples})",
            look="compare the lengths of all samples, and raise ValueError",
        )


@pytest.mark.contract("test_fa_collate")
def test_mappings_with_different_keys_are_refused(tt):
    got = plain(tt.fa_collate([{"a": 1}, {"a": 2}]))
    expect(
        got == {"a": [1, 2]},
        "Mappings become a mapping of that type; each key's values are collated.",
        call='fa_collate([{"a": 1}, {"a": 2}])',
        got=got,
        want={"a": [1, 2]},
        look="the values by key, and rebuild(first, ...) for the type",
    )
    for samples in (
        [{"a": 1}, {"b": 1}],
        [{"a": 1}, {"a": 1, "b": 2}],
        [{"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": 2}],
    ):
        expect_raises(
            ValueError,
            lambda: tt.fa_collate(samples),
            "Mappings with different keys raise ValueError.",
            call=f"fa_collate({samples})",
            look="compare the keys of all samples, and raise ValueError",
        )


@pytest.mark.contract("test_fa_collate")
def test_a_batch_needs_a_sample(tt):
    got = plain(tt.fa_collate([(5,)]))
    expect(
        got == ([5],),
        "Sequences become one of that type, ranges a list; the values at each position"
        " are collated.",
        call="fa_collate([(5,)])",
        got=got,
        want=([5],),
        look="each column through fa_collate; rebuild(first, a list of them)",
    )
    expect_raises(
        ValueError,
        lambda: tt.fa_collate([]),
        "An empty list of samples raises ValueError.",
        call="fa_collate([])",
        look="ask for an empty list before samples[0]",
    )


@pytest.mark.contract("test_fa_collate")
def test_numbers_of_any_dtype(tt):
    for kind in (np.int32, np.float32, np.uint8):
        got = tt.fa_collate([kind(1), kind(2), kind(4)])
        expect(
            isinstance(got, Tensor)
            and got.data.tolist() == [1, 2, 4]
            and got.dtype == kind,
            "Numbers and arrays become one Tensor that keeps their dtype.",
            call=f"fa_collate([1, 2, 4], each a {kind.__name__})",
            got=f"{got}, {getattr(got, 'dtype', 'no dtype')}",
            want=f"Tensor [1 2 4], {kind.__name__}",
            look="stack(samples) keeps the dtype: what else is done to the numbers?",
        )


def types_of_batches(tt):
    from collections import OrderedDict, UserList
    from types import MappingProxyType

    rows = tt.fa_collate([UserList([1, "a"]), UserList([2, "b"])])
    found = {
        "UserList": [type(rows).__name__, rows[0].data.tolist(), rows[1]],
        "range": type(tt.fa_collate([range(2), range(2)])).__name__,
        "mixed": type(tt.fa_collate([[1, 2], (3, 4)])).__name__,
        "empty": [tt.fa_collate([(), ()]), tt.fa_collate([{}, {}])],
    }
    for kind in (OrderedDict, MappingProxyType):
        batch = tt.fa_collate(
            [kind(x=1), kind(x=2)]
            if kind is OrderedDict
            else [kind({"x": 1}), kind({"x": 2})]
        )
        found[kind.__name__] = [type(batch).__name__, batch["x"].data.tolist()]
    return found


@pytest.mark.contract("test_fa_collate")
def test_sequences_and_mappings_of_any_type(inside):
    found = inside(types_of_batches)
    for samples, got, want in (
        ("two UserLists", found["UserList"], ["UserList", [1, 2], ["a", "b"]]),
        ("[range(2), range(2)]", found["range"], "list"),
        ("[[1, 2], (3, 4)]", found["mixed"], "list"),
        ("[(), ()]", found["empty"][0], ()),
    ):
        expect(
            got == want,
            "Sequences become one of that type, ranges a list; the values at each"
            " position are collated.",
            call=f"fa_collate({samples}), type and values",
            got=got,
            want=want,
            look="isinstance(first, Sequence), and rebuild(first, a list of parts)",
        )
    for kind in ("OrderedDict", "mappingproxy"):
        expect(
            found[kind] == [kind, [1, 2]],
            "Mappings become a mapping of that type; each key's values are collated.",
            call=f"fa_collate(two of {kind})",
            got=found[kind],
            want=[kind, [1, 2]],
            look="isinstance(first, Mapping), and rebuild(first, parts)",
        )
    expect(
        found["empty"][1] == {},
        "Mappings become a mapping of that type; each key's values are collated.",
        call="fa_collate([{}, {}])",
        got=found["empty"][1],
        want={},
        look="the values by key, and rebuild(first, ...) for the type",
    )


def samples_after_writing(tt, count):
    import numpy as np

    samples = [np.zeros(3) for _ in range(count)]
    tt.fa_collate(samples).data[...] = 7
    return [sample.tolist() for sample in samples]


@pytest.mark.contract("test_fa_collate")
def test_writing_into_a_batch_changes_no_sample(inside):
    for count in (1, 3):
        got = inside(samples_after_writing, count)
        expect(
            got == [[0, 0, 0]] * count,
            "The batch is new memory: writing into it changes no sample.",
            call=f"fa_collate({count} arrays of zeros).data[...] = 7",
            got=got,
            want=[[0, 0, 0]] * count,
            look="stack copies every sample: is it left out for one alone?",
        )


def reading_fails(tt, name, before, word):
    from collections.abc import Sequence

    reads = []

    class Rows(Sequence):
        """Two parts that cannot be read."""

        def __len__(self):
            return 2

        def __getitem__(self, index):
            reads.append(index)
            raise OSError(word)

    try:
        getattr(tt, name)([before, Rows()])
    except OSError as problem:
        return [str(problem), len(reads)]
    return ["no error", len(reads)]


@pytest.mark.contract("test_fa_collate")
def test_an_error_of_a_sample_passes(inside, tt):
    got = inside(reading_fails, "fa_collate", (1, 2), "file 7 is gone")
    expect(
        got == ["file 7 is gone", 1],
        "An error of a sample or of stack reaches the caller unchanged, without a"
        " retry.",
        call="fa_collate([(1, 2), a sample that raises OSError('file 7 is gone')])",
        got=f"OSError: {got[0]} (reads: {got[1]})",
        want="OSError: file 7 is gone (reads: 1)",
        look="does a try of yours catch it? What a sample raises is for the caller",
    )
    expect_raises(
        ValueError,
        lambda: tt.fa_collate([np.zeros(2), np.zeros(3)]),
        "An error of a sample or of stack reaches the caller unchanged, without a"
        " retry.",
        call="fa_collate([an array of 2 zeros, an array of 3 zeros])",
        look="stack raises ValueError: does a try of yours catch it?",
    )


# 1b fa_convert


@pytest.mark.contract("test_fa_convert")
def test_a_ready_batch_is_converted_not_stacked(tt):
    got = tt.fa_convert((np.array([1, 2]), (np.array([3]), "x"), 4))
    expect(
        isinstance(got[0], Tensor) and isinstance(got[1][0], Tensor),
        "An array becomes a Tensor that keeps its dtype.",
        call='fa_convert((array([1, 2]), (array([3]), "x"), 4))',
        got=got,
        want="Tensors in place of the arrays",
        look="Tensor(batch) keeps the dtype: what else is done to the array?",
    )
    expect(
        plain(got) == ([1, 2], ([3], "x"), 4) and type(got[2]) is int,
        "Everything else (Tensors of any kind, strings, bytes, numbers, None) is"
        " returned as the same object.",
        call='fa_convert((array([1, 2]), (array([3]), "x"), 4))',
        got=got,
        want="the same structure, with 'x' and 4",
        look="only an np.ndarray becomes a Tensor: the rest is handed back as it is",
    )


@pytest.mark.contract("test_fa_convert")
def test_dicts_and_lists_of_a_ready_batch(tt):
    got = tt.fa_convert({"images": [np.array([1.5]), None], "names": ["a", "b"]})
    expect(
        isinstance(got, dict) and list(got) == ["images", "names"],
        "Mappings keep their type, and their parts are converted.",
        call='fa_convert({"images": [array, None], "names": ["a", "b"]})',
        got=got,
        want="a dict of images and names",
        look="each value through fa_convert, then rebuild(batch, ...)",
    )
    expect(
        type(got["images"]) is list
        and isinstance(got["images"][0], Tensor)
        and plain(got) == {"images": [[1.5], None], "names": ["a", "b"]},
        "Mappings keep their type, and their parts are converted.",
        call='fa_convert({"images": [array, None], "names": ["a", "b"]})',
        got=got,
        want="a Tensor in place of the array",
        look="each value through fa_convert, then rebuild(batch, ...)",
    )


@pytest.mark.contract("test_fa_convert")
def test_an_array_keeps_its_dtype(tt):
    for kind in (np.uint8, np.int32, np.float32):
        got = tt.fa_convert(np.array([1, 2], kind))
        expect(
            isinstance(got, Tensor) and got.dtype == kind,
            "An array becomes a Tensor that keeps its dtype.",
            call=f"fa_convert(array([1, 2], {kind.__name__}))",
            got=f"{type(got).__name__}, {getattr(got, 'dtype', 'no dtype')}",
            want=f"Tensor, {kind.__name__}",
            look="Tensor(batch) keeps the dtype: what else is done to the array?",
        )


def parts_of_a_ready_batch(tt):
    from collections import UserList, namedtuple
    from types import MappingProxyType

    import numpy as np

    from tinytorch.core.tensor import Tensor

    class Sound(Tensor):
        """A kind of Tensor."""

    Point = namedtuple("Point", "x y")
    things = [Sound([1.0]), Tensor([2.0]), "ab", b"ab", 3000, 2.5, None]
    one = np.array([1])
    sequences = {}
    for batch in (UserList([one, 2]), Point(one, 2), range(2)):
        got = tt.fa_convert(batch)
        kinds = [type(part).__name__ for part in got]
        sequences[type(batch).__name__] = [type(got).__name__, *kinds]
    mapping = tt.fa_convert(MappingProxyType({"k": one}))
    return {
        "changed": [repr(one) for one in things if tt.fa_convert(one) is not one],
        "sequences": sequences,
        "mapping": [type(mapping).__name__, type(mapping["k"]).__name__],
    }


@pytest.mark.contract("test_fa_convert")
def test_the_types_of_a_ready_batch(inside):
    found = inside(parts_of_a_ready_batch)
    expect(
        found["changed"] == [],
        "Everything else (Tensors of any kind, strings, bytes, numbers, None) is"
        " returned as the same object.",
        call="fa_convert(a Sound), (a Tensor), ('ab'), (b'ab'), (3000), (2.5), (None)",
        got=f"another object for {found['changed']}",
        want="the very object each time",
        look="only an np.ndarray becomes a Tensor; strings and bytes are Sequences too",
    )
    for name, want in (
        ("UserList", ["UserList", "Tensor", "int"]),
        ("Point", ["Point", "Tensor", "int"]),
        ("range", ["list", "int", "int"]),
    ):
        expect(
            found["sequences"][name] == want,
            "Sequences (tuple, list, namedtuple ...) keep their type, ranges become"
            " lists; their parts are converted.",
            call=f"fa_convert(a {name}), its type and those of its parts",
            got=found["sequences"][name],
            want=want,
            look="isinstance(batch, Sequence), and rebuild(batch, a list of parts)",
        )
    expect(
        found["mapping"] == ["mappingproxy", "Tensor"],
        "Mappings keep their type, and their parts are converted.",
        call="fa_convert(MappingProxyType of an array), its type and that of its part",
        got=found["mapping"],
        want=["mappingproxy", "Tensor"],
        look="isinstance(batch, Mapping), and rebuild(batch, parts)",
    )


@pytest.mark.contract("test_fa_convert")
def test_an_error_of_a_part_passes(inside):
    got = inside(reading_fails, "fa_convert", 1, "file 8 is gone")
    expect(
        got == ["file 8 is gone", 1],
        "An error of reading a part reaches the caller unchanged, without a retry.",
        call="fa_convert([1, a sequence that raises OSError('file 8 is gone')])",
        got=f"OSError: {got[0]} (reads: {got[1]})",
        want="OSError: file 8 is gone (reads: 1)",
        look="does a try of yours catch it? What a part raises is for the caller",
    )


# 1c collate_error


def error_of(tt, items):
    """The kind and the message of what collate_error raises. The first error is a
    SkipItemException, because that class is given.
    """
    first = tt.SkipItemException("the first error")
    try:
        tt.collate_error(first, items)
    except ValueError as problem:
        return "ValueError", str(problem)
    except Exception as problem:
        if isinstance(problem, NotImplementedError):
            raise
        return type(problem).__name__, str(problem)
    return "no error", ""


def named(message):
    return sorted({int(k) for k in re.findall(r"\bitem (\d+)", message)})


@pytest.mark.contract("test_collate_error")
def test_the_odd_item_is_named(tt):
    items = [np.zeros(3)] * 3 + [np.zeros((2, 3))] + [np.zeros(3)] * 4
    kind, got = error_of(tt, items)
    expect(
        kind == "ValueError" and named(got) == [3],
        "Odd items raise a ValueError that names each of them, as item 3, and no other"
        " item.",
        call="collate_error(e, 8 arrays, the fourth of shape (2, 3))",
        got=f"{kind}: {got}",
        want="a ValueError that names item 3, and no other",
        look="positions count from 0",
    )
    want = "item is ndarray of shape (2, 3), usually ndarray of shape (3,)"
    expect(
        want in got,
        "The message has each odd item's difference from the usual description.",
        call="collate_error(e, 8 arrays of shape (3,), the fourth of shape (2, 3))",
        got=f"{kind}: {got}",
        want=f"a message with: {want}",
        look="difference(description, usual), in this order",
    )


@pytest.mark.contract("test_collate_error")
def test_the_first_item_may_be_the_odd_one(tt):
    kind, got = error_of(tt, [np.zeros(9)] + [np.zeros(3)] * 3)
    expect(
        kind == "ValueError" and named(got) == [0],
        "An item is odd if its description is not the one that most items have.",
        call="collate_error(e, shapes (9,), (3,), (3,), (3,))",
        got=f"{kind}: {got}",
        want="a ValueError that names item 0, and no other",
        look="compare with the most common description, not with the first",
    )


@pytest.mark.contract("test_collate_error")
def test_of_equally_frequent_ones_the_first_is_usual(tt):
    for sizes, want in (([3, 9], [1]), ([9, 3], [1]), ([4, 3, 3, 4], [1, 2])):
        kind, got = error_of(tt, [np.zeros(size) for size in sizes])
        expect(
            kind == "ValueError" and named(got) == want,
            "Of descriptions that are equally frequent, the one that came first is the"
            " usual one.",
            call=f"collate_error(e, arrays of sizes {sizes})",
            got=f"{kind}: {got}",
            want=f"a ValueError that names the items {want}",
            look="count in the order of the items: Counter(...).most_common(1)[0][0]",
        )


@pytest.mark.contract("test_collate_error")
def test_every_odd_item_is_named(tt):
    for sizes, want in (([3, 5, 3, 4, 3], [1, 3]), ([3] * 12 + [5], [12])):
        kind, got = error_of(tt, [np.zeros(size) for size in sizes])
        expect(
            kind == "ValueError" and named(got) == want,
            "Odd items raise a ValueError that names each of them, as item 3, and no"
            " other item.",
            call=f"collate_error(e, arrays of sizes {sizes})",
            got=f"{kind}: {got}",
            want=f"a ValueError that names the items {want}, and no other",
            look="positions count from 0; each odd item is named, as `item k`",
        )


@pytest.mark.contract("test_collate_error")
def test_if_no_item_is_odd_the_error_itself_comes(tt):
    for sizes in ([3, 3], [3]):
        got = error_of(tt, [np.zeros(size) for size in sizes])
        expect(
            got == ("SkipItemException", "the first error"),
            "If no item is odd, e itself is raised.",
            call=f"collate_error(e, arrays of sizes {sizes})",
            got=": ".join(got),
            want="e, here SkipItemException: the first error",
            look="raise e",
        )


def cause_of(tt):
    import numpy as np

    first = ValueError("the first error")
    try:
        tt.collate_error(first, [np.zeros(3), np.zeros(3), np.zeros(5)])
    except ValueError as problem:
        return [problem is not first, problem.__cause__ is first]
    return "no error"


@pytest.mark.contract("test_collate_error")
def test_the_first_error_is_the_cause(inside):
    got = inside(cause_of)
    expect(
        got == [True, True],
        "The ValueError comes from e, so that the first error is shown too.",
        call="collate_error(e, shapes (3,), (3,), (5,)), whether __cause__ is e",
        got=got if got == "no error" else f"a new error: {got[0]}, from e: {got[1]}",
        want="a new error: True, from e: True",
        look="raise ... from e",
    )
