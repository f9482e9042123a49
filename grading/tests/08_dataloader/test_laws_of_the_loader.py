"""Hidden: laws of epoch_order, collation and DataLoader on inputs that are drawn anew each run
(`draw`).
"""

import itertools

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor
from tinytorch.testing import ReadLog, expect, expect_raises

pytestmark = pytest.mark.contract("contract_loader")


class Counting:
    """A dataset with `len` and `[]` and nothing else: sample i is 3 i, and it never ends the
    loop by itself.
    """

    def __init__(self, num_samples):
        self.num_samples, self.reads = num_samples, []

    def __len__(self):
        return self.num_samples

    def __getitem__(self, index):
        self.reads.append(int(index))
        return 3 * int(index)


def sizes_of(draw, count):
    return [
        (int(n), int(b))
        for n, b in zip(draw.integers(1, 40, count), draw.integers(1, 12, count), strict=True)
    ]


def test_an_order_is_a_permutation_for_every_length(tt, draw):
    for n in (0, 1, *draw.integers(2, 300, 6).tolist()):
        order = tt.epoch_order(
            n, shuffle=True, seed=int(draw.integers(1000)), epoch=int(draw.integers(50))
        )
        expect(
            order.shape == (n,)
            and order.dtype == np.int64
            and sorted(order.tolist()) == list(range(n)),
            "An epoch's order holds 0..N-1 once each, as int64.",
            call=f"epoch_order({n}, shuffle=True, ...)",
            got=f"{order.dtype} {order.shape}, {len(set(order.tolist()))} different",
            want=f"int64 ({n},), {n} different",
        )


def test_every_order_is_possible(tt, draw):
    # 6 orders of 3, each missed by 120 epochs with probability (5/6)^120: false alarm 2e-9 in all.
    seed = int(draw.integers(10_000))
    seen = {
        tuple(tt.epoch_order(3, shuffle=True, seed=seed, epoch=epoch).tolist())
        for epoch in range(120)
    }
    expect(
        seen == set(itertools.permutations(range(3))),
        "Every order of an epoch is possible.",
        call=f"epoch_order(3, shuffle=True, seed={seed}, epoch=0..119)",
        got=f"{len(seen)} orders",
        want="all 6",
        look="a rotation or a reversal is not a shuffle",
    )


def test_every_sample_comes_once_and_the_lengths_agree(tt, draw):
    for n, b in sizes_of(draw, 6):
        for shuffle, drop_last in itertools.product((False, True), repeat=2):
            call = (
                f"DataLoader({n} samples, batch_size={b}, shuffle={shuffle}, drop_last={drop_last})"
            )
            loader = tt.DataLoader(
                list(range(n)), batch_size=b, shuffle=shuffle, drop_last=drop_last
            )
            batches = [batch.data.tolist() for batch in loader]
            want = [b] * (n // b) + ([n % b] if n % b and not drop_last else [])
            expect(
                [len(batch) for batch in batches] == want,
                "Every batch is full but the last, which drop_last leaves out.",
                call=call,
                got=[len(x) for x in batches],
                want=want,
            )
            expect(
                len(loader) == len(batches),
                "len(loader) is the number of batches that come.",
                call=call,
                got=f"len {len(loader)}, {len(batches)} batches",
                want="equal",
            )
            flat = sum(batches, [])
            expect(
                len(set(flat)) == len(flat) == sum(want),
                "Every sample comes once.",
                call=call,
                got=f"{len(set(flat))} different of {len(flat)}",
                want=f"{sum(want)} different",
            )


def test_a_batch_holds_the_samples_it_read_and_no_others_are_read(tt, draw):
    ((n, b),) = sizes_of(draw, 1)
    dataset = Counting(n)
    batches = iter(
        tt.DataLoader(dataset, batch_size=b, shuffle=True, seed=int(draw.integers(1000)))
    )
    expect(
        dataset.reads == [],
        "Starting an epoch reads no sample.",
        call="iter(loader)",
        got=f"{len(dataset.reads)} reads",
        want="0 reads",
    )
    for k, batch in enumerate(batches):
        expect(
            len(dataset.reads) == min(n, (k + 1) * b),
            "At most one batch is read ahead of what was asked for.",
            call=f"batch {k} of {n} samples, batch_size={b}",
            got=f"{len(dataset.reads)} reads",
            want=f"{min(n, (k + 1) * b)} reads",
            look="is a list of all samples or all batches built first?",
        )
        want = [3 * i for i in dataset.reads[k * b :]]
        expect(
            batch.data.tolist() == want,
            "A batch holds the samples that were read for it, in that order.",
            call=f"batch {k}",
            got=batch.data.tolist(),
            want=want,
        )
    got = sorted(dataset.reads)
    expect(
        got == list(range(n)),
        "An epoch reads every sample once.",
        call=f"an epoch of {n} samples, batch_size={b}",
        got=got,
        want=f"0..{n - 1}",
    )


def test_two_shuffled_loops_each_see_everything(tt, draw):
    n, b = int(draw.integers(10, 30)), int(draw.integers(2, 5))
    loader = tt.DataLoader(list(range(n)), batch_size=b, shuffle=True)
    seen = []
    for k, batch in enumerate(loader):
        seen += batch.data.tolist()
        if k == 1:
            inner = sorted(sum((x.data.tolist() for x in loader), []))
            expect(
                inner == list(range(n)),
                "A loop inside a loop over the same loader sees every sample once.",
                call="for batch in loader: for other in loader: ...",
                got=inner,
                want=f"0..{n - 1} once each",
                look="what is kept in self between two batches?",
            )
    expect(
        sorted(seen) == list(range(n)),
        "And the outer loop too.",
        call="the outer loop",
        got=sorted(seen),
        want=f"0..{n - 1} once each",
        look="what is kept in self between two batches?",
    )


def test_the_order_depends_on_seed_and_epoch_alone(tt, draw):
    # 20! orders: two of the ten pairs below agree by chance about once in 10^17.
    n, seed = int(draw.integers(20, 40)), int(draw.integers(1000))

    def epochs(seed, batch_size, count=5):
        loader = tt.DataLoader(list(range(n)), batch_size=batch_size, shuffle=True, seed=seed)
        return [sum((batch.data.tolist() for batch in loader), []) for _ in range(count)]

    first = epochs(seed, 4)
    expect(
        all(sorted(order) == list(range(n)) for order in first),
        "Each epoch has every sample once.",
        call=f"5 epochs of {n} samples, seed={seed}",
        got=f"{[len(set(order)) for order in first]} different samples",
        want=f"{n} in each",
    )
    expect(
        len({tuple(order) for order in first}) == 5,
        "Each of five epochs has an order of its own.",
        call=f"5 epochs, seed={seed}",
        got=f"{len(set(map(tuple, first)))} different",
        want="5 different",
    )
    expect(
        epochs(seed, 7) == first,
        "The same seed gives the same orders, whatever the batch size.",
        call=f"batch_size=7 after batch_size=4, seed={seed}",
        got="other orders",
        want="the same orders",
    )
    expect(
        epochs(seed + 1, 4, 1)[0] != first[0],
        "Another seed gives another order.",
        call=f"seed={seed + 1}",
        got="the same order",
        want="another",
    )
    want = [tt.epoch_order(n, shuffle=True, seed=seed, epoch=k).tolist() for k in range(5)]
    expect(
        first == want,
        "The n-th epoch of a loader follows epoch_order(N, shuffle, seed, n).",
        call=f"5 epochs, seed={seed}",
        got="other orders",
        want="epoch_order's",
        look="the epoch that _batches is given",
    )


def test_shuffle_false_keeps_the_order_in_every_epoch(tt, draw):
    ((n, b),) = sizes_of(draw, 1)
    loader = tt.DataLoader(list(range(n)), batch_size=b, seed=int(draw.integers(100)))
    for epoch in range(3):
        got = sum((batch.data.tolist() for batch in loader), [])
        expect(
            got == list(range(n)),
            "Without shuffle every epoch comes in the dataset's order, seed or not.",
            call=f"epoch {epoch} of DataLoader({n} samples, seed=...)",
            got=got,
            want=f"0..{n - 1}",
        )


def test_no_setting_touches_the_global_generators(tt, draw, global_random_state):
    before = global_random_state()
    for shuffle, seed in ((False, None), (True, None), (True, int(draw.integers(100)))):
        loader = tt.DataLoader(list(range(9)), batch_size=2, shuffle=shuffle, seed=seed)
        visited = sum((batch.data.tolist() for batch in loader), [])
        order = tt.epoch_order(9, shuffle=shuffle, seed=seed).tolist()
        expect(
            sorted(visited) == sorted(order) == list(range(9)),
            "An epoch visits every sample once.",
            call=f"an epoch with shuffle={shuffle}, seed={seed}",
            got=[visited, order],
            want="0..8 in both",
        )
        expect(
            global_random_state() == before,
            "Nobody else's random numbers change.",
            call=f"an epoch with shuffle={shuffle}, seed={seed}",
            got="np.random or random changed",
            want="unchanged",
            look="np.random.default_rng",
        )


def test_what_is_no_positive_integer_is_no_batch_size(tt, draw):
    dataset = Counting(5)
    for bad in (
        0,
        -int(draw.integers(1, 99)),
        False,
        True,
        3.0,
        float("nan"),
        float(draw.uniform(0.1, 9)),
        np.float32(2),
    ):
        expect_raises(
            ValueError,
            lambda: tt.DataLoader(dataset, batch_size=bad),
            "What is not an integer of 1 or more is refused, with the value.",
            says=["batch_size", str(bad)],
            call=f"DataLoader(dataset, batch_size={bad!r})",
            look="isinstance(True, int) is True; 3.0 is not an integer",
        )
    expect(
        dataset.reads == [],
        "Making a loader reads nothing.",
        got=f"{len(dataset.reads)} reads",
        want="0 reads",
    )
    for good in (np.int64(2), 10**6):
        got = sum(len(batch.data) for batch in tt.DataLoader(dataset, batch_size=good))
        expect(
            got == 5,
            "NumPy's integers, and sizes over N, are fine.",
            call=f"DataLoader(5 samples, batch_size={good!r})",
            got=f"{got} samples",
            want="5 samples",
        )


def test_empty_datasets_give_nothing_with_every_setting(tt):
    for shuffle, drop_last, prefetch in itertools.product((False, True), (False, True), (0, 1)):
        settings = {"shuffle": shuffle, "drop_last": drop_last, "prefetch": prefetch}
        three = [
            sorted(b.data.tolist()) for b in tt.DataLoader([5, 6, 7], batch_size=3, **settings)
        ]
        expect(
            three == [[5, 6, 7]],
            "Three samples give one batch of three.",
            call=f"DataLoader([5, 6, 7], batch_size=3, **{settings})",
            got=three,
            want=[[5, 6, 7]],
        )
        loader = tt.DataLoader([], batch_size=3, **settings)
        expect(
            len(loader) == 0 and list(loader) == [],
            "An empty dataset gives no batch.",
            call=f"DataLoader([], batch_size=3, **{settings})",
        )


def random_structure(draw, depth):
    """A function from a sample's number to a nested sample, and one that stacks samples as the
    contract says.
    """
    kind = draw.choice(["leaf", "leaf", "tuple", "list", "dict"]) if depth else "leaf"
    if kind == "leaf":
        shape, dtype = (
            tuple(draw.integers(1, 4, int(draw.integers(0, 3)))),
            str(draw.choice(["uint8", "int64", "float32", "float64"])),
        )
        wrap, offset = (Tensor, np.asarray)[int(draw.integers(2))], int(draw.integers(100))
        return (lambda i: wrap(np.full(shape, i + offset, dtype))), (
            lambda ids: np.stack([np.full(shape, i + offset, dtype) for i in ids])
        )
    parts = [random_structure(draw, depth - 1) for _ in range(int(draw.integers(1, 4)))]
    if kind == "dict":
        return (lambda i: {f"k{j}": make(i) for j, (make, _) in enumerate(parts)}), (
            lambda ids: {f"k{j}": stack(ids) for j, (_, stack) in enumerate(parts)}
        )
    build = {"tuple": tuple, "list": list}[str(kind)]
    return (lambda i: build(make(i) for make, _ in parts)), (
        lambda ids: build(stack(ids) for _, stack in parts)
    )


def same(got, want):
    if isinstance(want, dict):
        return (
            isinstance(got, dict)
            and got.keys() == want.keys()
            and all(same(got[key], want[key]) for key in want)
        )
    if isinstance(want, (tuple, list)):
        return type(got) is type(want) and len(got) == len(want) and all(map(same, got, want))
    return (
        isinstance(got, Tensor) and got.data.dtype == want.dtype and np.array_equal(got.data, want)
    )


def test_any_nested_sample_is_collated_leaf_by_leaf(tt, draw):
    for _ in range(12):
        make, stack = random_structure(draw, depth=3)
        n = int(draw.integers(1, 5))
        got, want = tt.collate([make(i) for i in range(n)]), stack(range(n))
        expect(
            same(got, want),
            "A batch has the structure of a sample; every leaf is a Tensor with one more dimension"
            " and the same dtype.",
            call=f"collate({n} samples like {make(0)!r})",
            got=got,
            want=want,
        )


def test_python_numbers_become_numbers_of_their_kind(tt, draw):
    for samples, kind in (
        (draw.integers(-5, 5, 4).tolist(), "i"),
        (draw.uniform(-1, 1, 4).tolist(), "f"),
    ):
        got = tt.collate(samples).data
        expect(
            got.dtype.kind == kind and np.allclose(got, samples),
            "Integers stay integers, floats stay floats.",
            call=f"collate({samples})",
            got=f"{got.dtype} {got.tolist()}",
            want=samples,
        )


def test_the_odd_sample_is_named_wherever_it_stands(tt, draw):
    n = int(draw.integers(3, 9))
    odd, width = int(draw.integers(1, n)), int(draw.integers(4, 30))
    even, samples = (
        [(np.zeros(size if i == odd else 3), i) for i in range(n)] for size in (3, width)
    )
    got = [y.data.tolist() for _, y in tt.DataLoader(even, batch_size=n)]
    expect(
        got == [list(range(n))],
        "Samples of one shape make a batch.",
        call=f"a batch of {n} samples of shape (3,)",
        got=got,
        want=[list(range(n))],
    )
    expect_raises(
        ValueError,
        lambda: list(tt.DataLoader(samples, batch_size=n)),
        "A sample of another shape is named by its position and shape.",
        says=[str(odd), f"({width},)", "(3,)"],
        call=f"a batch of {n}, where sample {odd} has shape ({width},) and the others (3,)",
        look="the position within the batch, and both shapes, in the message",
    )


def test_samples_of_different_structure_are_refused(tt):
    got = [part.data.tolist() for part in tt.collate([(1, 2), (3, 4)])]
    expect(
        got == [[1, 3], [2, 4]],
        "Samples of one structure make a batch.",
        call="collate([(1, 2), (3, 4)])",
        got=got,
        want=[[1, 3], [2, 4]],
    )
    for samples in ([(1, 2), (3,)], [{"a": 1}, {"b": 1}], [{"a": 1}, {"a": 1, "b": 2}]):
        expect_raises(
            ValueError,
            lambda: tt.collate(samples),
            "Samples of one batch need one structure.",
            call=f"collate({samples})",
            look="zip stops at the shortest without a word",
        )


def test_an_error_of_the_dataset_reaches_the_reader(tt):
    class Broken(Counting):
        def __getitem__(self, index):
            if index == 4:
                raise IndexError("file 4 is broken")
            return index

    expect_raises(
        IndexError,
        lambda: list(tt.DataLoader(Broken(6), batch_size=2)),
        "An error of the dataset reaches whoever asked for the batch.",
        says="file 4 is broken",
        call="list(DataLoader(a dataset whose sample 4 is broken))",
        look="is there a try around the read?",
    )


def test_three_tensors_stay_aligned_in_every_batch(tt, draw):
    n, b = int(draw.integers(8, 20)), int(draw.integers(2, 6))
    x = draw.permutation(1000)[:n]
    loader = tt.DataLoader(
        tt.TensorDataset(Tensor(x), Tensor(x * 2.0), Tensor((x % 256).astype(np.uint8))),
        batch_size=b,
        shuffle=True,
        seed=int(draw.integers(99)),
    )
    batches = list(loader)
    got = [len(first.data) for first, _, _ in batches]
    want = [min(b, n - start) for start in range(0, n, b)]
    expect(
        got == want,
        "Every row is in some batch.",
        call=f"rows in each batch of {n}, batch_size={b}",
        got=got,
        want=want,
    )
    for first, second, third in batches:
        fits = (
            np.array_equal(first.data * 2.0, second.data)
            and np.array_equal(first.data % 256, third.data)
            and third.data.dtype == np.uint8
        )
        expect(
            fits,
            "All three tensors follow one order.",
            call="for x, y, weight in loader",
            got=[first.data.tolist(), second.data.tolist(), third.data.tolist()],
            want="row k of each from one sample",
        )


def test_reading_ahead_changes_nothing_but_the_time(tt, draw):
    (n, b), seed = sizes_of(draw, 1)[0], int(draw.integers(100))
    log = ReadLog(range(n))
    plain, ahead = (
        [
            batch.data.tolist()
            for batch in tt.DataLoader(log, batch_size=b, shuffle=True, seed=seed, prefetch=depth)
        ]
        for depth in (0, 2)
    )
    expect(
        sorted(sum(plain, [])) == list(range(n)),
        "Without prefetch every sample comes once.",
        call=f"prefetch=0, {n} samples",
        got=plain,
        want=f"0..{n - 1}",
    )
    expect(
        plain == ahead,
        "With prefetch the same batches come in the same order.",
        call=f"prefetch=2 against prefetch=0, {n} samples",
        got=ahead,
        want=plain,
    )
