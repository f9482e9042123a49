"""Hidden: laws of get_idxs and shuffle_fn, on sizes and orders drawn anew each run (`draw`)."""

import itertools

import pytest

from tinytorch.testing import expect


def first_of(idxs, count):
    return [None if s is None else int(s) for s in itertools.islice(iter(idxs), count)]


# 3a get_idxs and shuffle_fn


class Squares:
    """A dataset without a length."""

    def __getitem__(self, index):
        return index * index


@pytest.mark.contract("test_loader_get_idxs")
def test_n_decides_how_many_are_visited(tt, draw):
    count = int(draw.integers(10, 20))
    n = int(draw.integers(1, count))
    for loader, call, want in (
        (tt.DataLoader(list(range(count))), f"{count} items", list(range(count))),
        (tt.DataLoader(list(range(count)), n=n), f"{count} items, n={n}", list(range(n))),
        (tt.DataLoader(Squares()), "a dataset without len", list(range(30))),
        (tt.DataLoader(iter("abc"), n=n), f"a stream, n={n}", [None] * n),
        (tt.DataLoader(iter("abc")), "a stream", [None] * 30),
    ):
        got = first_of(loader.get_idxs(), 30)
        expect(
            got == want,
            "An indexed dataset (self.indexed) gives self.n indices: 0, 1, 2, ...",
            call=f"first 30 of get_idxs(), {call}",
            got=got,
            want=want,
            look="self.n says how many; 0 is a number, only None is none",
        )


@pytest.mark.contract("test_loader_get_idxs")
def test_only_the_first_n_are_shuffled(tt, draw):
    count = int(draw.integers(10, 20))
    n = int(draw.integers(5, count))
    got = first_of(tt.DataLoader(list(range(count)), n=n, shuffle=True).get_idxs(), 30)
    expect(
        sorted(got) == list(range(n)),
        "shuffle_fn returns each of the given indices once.",
        call=f"DataLoader({count} items, n={n}, shuffle=True).get_idxs()",
        got=got,
        want=f"0..{n - 1} in some order",
        look="each index comes once: a permutation, not a draw with replacement",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_any_sampler_decides(tt, draw):
    order = draw.integers(0, 9, 12).tolist()
    pairs = [order[:2], order[2:7]]
    got = first_of(tt.DataLoader(list(range(9)), bs=4, n=3, sampler=order).get_idxs(), 30)
    expect(
        got == order,
        "A sampler decides: get_idxs returns self.sampler, even an empty one.",
        call=f"DataLoader(9 items, bs=4, n=3, sampler={order}).get_idxs()",
        got=got,
        want=order,
        look="is self.sampler asked for first, and returned as it is?",
    )
    got = list(tt.DataLoader(list(range(9)), batch_sampler=pairs).get_idxs())
    expect(
        got == pairs,
        "A sampler decides: get_idxs returns self.sampler, even an empty one.",
        call=f"DataLoader(9 items, batch_sampler={pairs}).get_idxs()",
        got=got,
        want=pairs,
        look="is self.sampler asked for first, and returned as it is?",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_shuffle_fn_of_the_user_wins(tt, draw):
    count = int(draw.integers(5, 20))
    loader = tt.DataLoader(
        list(range(count)), shuffle=True, shuffle_fn=lambda idxs: [*list(idxs)[::-1], 99]
    )
    got, want = first_of(loader.get_idxs(), 30), [*range(count)[::-1], 99]
    expect(
        got == want,
        "With self.shuffle, get_idxs returns what self.shuffle_fn(idxs) returns, called once.",
        call=f"DataLoader({count} items, shuffle=True, shuffle_fn=reversed).get_idxs()",
        got=got,
        want=want,
        look="self.shuffle_fn(idxs) in get_idxs",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_every_order_is_possible(tt, draw):
    # 6 orders of 3, each missed by 120 shuffles with probability (5/6)^120: false alarm 2e-9.
    loader = tt.DataLoader([0, 1, 2], shuffle=True, seed=int(draw.integers(1000)))
    seen = {tuple(first_of(loader.shuffle_fn([4, 5, 6]), 9)) for _ in range(120)}
    expect(
        seen == set(itertools.permutations([4, 5, 6])),
        "Every order is possible, and each call draws a new one.",
        call="120 times shuffle_fn([4, 5, 6])",
        got=f"{len(seen)} orders, such as {min(seen)}",
        want="the 6 orders of 4, 5, 6",
        look="a rotation or a reversal is no shuffle",
    )


@pytest.mark.contract("test_loader_get_idxs")
def test_a_shuffle_depends_on_the_seed_alone(tt, draw, global_random_state):
    seed = int(draw.integers(1000))
    before = global_random_state()
    one, same, other = (
        first_of(tt.DataLoader(range(40), shuffle=True, seed=s).get_idxs(), 99)
        for s in (seed, seed, seed + 1)
    )
    expect(
        sorted(one) == sorted(other) == list(range(40)),
        "shuffle_fn returns each of the given indices once.",
        call=f"DataLoader(40 items, shuffle=True, seed={seed}).get_idxs()",
        got=[sorted(one), sorted(other)],
        want="0..39",
        look="each index comes once: a permutation, not a draw with replacement",
    )
    expect(
        one == same and one != other,
        "The order is drawn from self.rng (the Generator of this epoch) and from nothing else.",
        call=f"seed={seed} twice, then seed={seed + 1}",
        got=[one[:5], same[:5], other[:5]],
        want="equal, equal, another",
        look="which Generator draws? self.rng, and no other",
    )
    expect(
        global_random_state() == before,
        "The order is drawn from self.rng (the Generator of this epoch) and from nothing else.",
        call="DataLoader(40 items, shuffle=True).get_idxs()",
        got="np.random or random changed",
        want="unchanged",
        look="self.rng",
    )
