"""Laws of exercise 6b, DistributedSampler."""

import itertools

from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import law

# a seed and an epoch that are put together to one number meet at one of these
NUMBERS = (2, 3, 4, 10, 11, 16, 31, 32, 64, 100, 128, 256, 997, 1000, 1009, 1024)
NUMBERS += (4096, 10_000, 65_535, 65_536, 10**5, 10**6, 2**20, 2**24, 2**31)
ALONE = (
    "what is the order drawn from? [self.seed, self.epoch] in each iter, nothing else;"
    " self.next_rng() counts on"
)


def samplers_of(tt, count, ranks, epoch=0, **options):
    """The samplers of all ranks in an epoch."""
    made = [
        tt.DistributedSampler(range(count), ranks, rank, **options)
        for rank in range(ranks)
    ]
    for sampler in made:
        sampler.set_epoch(epoch)
    return made


def shares_of(tt, count, ranks, epoch=0, **options):
    return [
        list(iter(sampler))
        for sampler in samplers_of(tt, count, ranks, epoch, **options)
    ]


def in_turn(shares):
    """The order of which the shares are parts: each rank's first index, and so on."""
    return [index for row in zip(*shares, strict=False) for index in row]


def sizes(draw, ranks=2):
    return int(draw.integers(20, 60)), int(draw.integers(ranks, 7))


def options_of(**options):
    return ", ".join(f"{name}={value}" for name, value in options.items())


@law(
    1,
    "rounded up, or rounded down",
    look="// divides integers and rounds down; how does it round up? / makes floats,"
    " which are not exact for large numbers",
)
def test_the_length_of_a_share(tt, draw):
    for count, ranks, drop_last, want in (
        (6, 2, False, 3),
        (6, 2, True, 3),
        (5, 2, False, 3),
        (5, 2, True, 2),
        (2, 5, False, 1),
        (2, 5, True, 0),
        (0, 2, False, 0),
        (0, 2, True, 0),
        (2**53 + 1, 1, False, 2**53 + 1),
        (2**53 + 1, 1, True, 2**53 + 1),
    ):
        call = f"len(sampler) of each rank, N = {count}, R = {ranks}, {drop_last=}"
        made = samplers_of(tt, count, ranks, drop_last=drop_last)
        yield call, lambda made=made: [*map(len, made)], [want] * ranks
    for _ in "123":
        count, ranks = sizes(draw)
        for drop_last, word in ((False, "added"), (True, "left out")):
            (sampler, *_) = samplers_of(tt, count, ranks, drop_last=drop_last)
            more = ranks * len(sampler) - count
            right = 0 <= (-more if drop_last else more) < ranks
            call = f"{ranks} * len(sampler) - {count}, N = {count}, R = {ranks},"
            want = f"fewer than {ranks} indices {word}"
            yield f"{call} {drop_last=}", more, want, right


@law(2, "Not shuffled", look="what is the order if self.shuffle is False?")
def test_the_order_that_is_not_shuffled(tt, draw):
    for count in (4, 1, 20, int(draw.integers(30, 60))):
        for epoch, drop_last in ((0, False), (3, True)):
            options = {"shuffle": False, "drop_last": drop_last}
            call = f"list(sampler), N = {count}, R = 1, {options_of(**options)}, epoch"
            got = lambda n=count, e=epoch, o=options: shares_of(tt, n, 1, e, **o)[0]  # noqa: E731
            yield f"{call} {epoch}", got, list(range(count))


@law(
    3,
    "a permutation",
    look="do all ranks draw the same permutation, in which each index comes once?",
)
def test_each_index_is_on_one_rank(tt, draw):
    each, drawn = int(draw.integers(6, 12)), int(draw.integers(2, 6))
    seed = int(draw.integers(10**6))
    for count, ranks in ((12, 1), (24, 4), (each * drawn, drawn)):
        for epoch in (0, 1, 5):
            for drop_last in (False, True):
                options = {"seed": seed, "drop_last": drop_last}
                got = sorted(sum(shares_of(tt, count, ranks, epoch, **options), []))
                call = f"sorted(list(sampler) of all {ranks} ranks), N = {count}, epoch"
                call = f"{call} {epoch}, {options_of(**options)}"
                yield call, got, list(range(count))


@law(
    3,
    "a permutation",
    look="which orders can come? All of them, by rng.permutation(N)",
)
def test_each_permutation_can_come(tt, draw):
    first = int(draw.integers(1000))
    runs = [shares_of(tt, 3, 1, epoch, seed=first + epoch)[0] for epoch in range(140)]
    orders = [list(order) for order in itertools.permutations(range(3))]
    counts = [runs.count(order) for order in orders]
    # one of six is missing with probability 5e-11, or comes 60 times with 2e-11
    call = f"list(sampler), N = 3, R = 1, epochs 0 to 139 and seeds from {first} on:"
    right = 0 < min(counts) and max(counts) < 60 and sum(counts) == 140
    yield f"{call} how often each of {orders}", counts, "about 23 each", right


@law(
    4,
    "is cut, or continued",
    look="the order has R x len(sampler) places: what is left is cut; what is missing"
    " begins again at the first index, as often as needed",
)
def test_the_order_is_cut_or_continued(tt):
    for count, ranks, drop_last, want in (
        (5, 2, False, [0, 0, 1, 2, 3, 4]),
        (5, 2, True, [0, 1, 2, 3]),
        (7, 5, False, [0, 0, 1, 1, 2, 2, 3, 4, 5, 6]),
        (7, 5, True, [0, 1, 2, 3, 4]),
        (2, 5, False, [0, 0, 0, 1, 1]),
        (2, 3, True, []),
        (0, 2, False, []),
        (6, 2, False, [0, 1, 2, 3, 4, 5]),
        (3, 11, False, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2]),
    ):
        options = {"shuffle": False, "drop_last": drop_last}
        call = f"N = {count}, R = {ranks}, {options_of(**options)}"
        shares = shares_of(tt, count, ranks, **options)
        yield (
            f"sorted(list(sampler) of all ranks), {call}",
            sorted(sum(shares, [])),
            want,
        )
        lengths = [len(want) // ranks] * ranks
        yield f"len(list(sampler)) of each rank, {call}", [*map(len, shares)], lengths


@law(
    4,
    "is cut, or continued",
    look="first the whole order, shuffled, the same for all; then cut or continued",
)
def test_a_shuffled_order_is_continued(tt, draw):
    for ranks in (2, 3, int(draw.integers(4, 8))):
        seed, count = int(draw.integers(10**6)), 4 * ranks - 1
        shares = shares_of(tt, count, ranks, 2, seed=seed)
        call = f"list(sampler) of {ranks} ranks, N = {count}, {seed=}, epoch 2"
        yield f"len({call})", [*map(len, shares)], [4] * ranks
        all_of_them = sum(shares, [])
        twice = [index for index in {*all_of_them} if all_of_them.count(index) > 1]
        ends = {share[0] for share in shares} & {share[-1] for share in shares}
        right = len(twice) == 1 and ends == {*twice}
        want = "one, first on a rank and last on another"
        yield f"{call}: the indices that come twice", twice, want, right
        cut = sum(shares_of(tt, count, ranks, 2, seed=seed, drop_last=True), [])
        got = len(cut), len({*cut}), {*cut} <= {*range(count)}
        call = f"{call}, drop_last=True: how many, different ones, are they indices?"
        yield call, got, (3 * ranks, 3 * ranks, True)


@law(5, "takes positions", look="every R-th position, from position self.rank on")
def test_a_rank_takes_each_rth_position(tt, draw):
    for count, ranks, drop_last, want in (
        (6, 2, False, [[0, 2, 4], [1, 3, 5]]),
        (6, 3, True, [[0, 3], [1, 4], [2, 5]]),
        (5, 2, False, [[0, 2, 4], [1, 3, 0]]),
        (5, 2, True, [[0, 2], [1, 3]]),
        (2, 5, False, [[0], [1], [0], [1], [0]]),
    ):
        options = {"shuffle": False, "drop_last": drop_last}
        got = lambda n=count, r=ranks, o=options: shares_of(tt, n, r, **o)  # noqa: E731
        call = f"list(sampler) of each rank, N = {count}, R = {ranks},"
        yield f"{call} {options_of(**options)}", got, want
    for _ in "123":
        ranks = int(draw.integers(2, 7))
        count = ranks * int(draw.integers(3, 9))
        shares = shares_of(tt, count, ranks, shuffle=False)
        call = f"list(sampler) of {ranks} ranks, N = {count}, shuffle=False: the first"
        call = f"{call} of each rank, then the second of each, ..."
        yield call, in_turn(shares), list(range(count))


@law(5, "takes positions", look="python_integers(array) makes Python's integers")
def test_indices_are_python_integers(tt, draw):
    count, ranks = sizes(draw)
    for shuffle in (True, False):
        for share in shares_of(tt, count, ranks, shuffle=shuffle):
            kinds = {type(index).__name__ for index in share}
            call = f"list(sampler), N = {count}, R = {ranks}, {shuffle=}: types of the"
            yield f"{call} indices", kinds, {"int"}


# a probe of `inside`
def numbers_given(tt, pairs):
    """The integers above 1 that np.random.default_rng gets for these (seed, epoch)."""
    import numpy as np

    given, default_rng = [], np.random.default_rng
    np.random.default_rng = lambda *seed: given.extend(seed) or default_rng(*seed)
    try:
        for seed, epoch in pairs:
            sampler = tt.DistributedSampler(range(4), 1, 0, seed=seed)
            sampler.set_epoch(epoch)
            list(iter(sampler))
    finally:
        np.random.default_rng = default_rng
    integers = [one for one in given if isinstance(one, (int, np.integer))]
    return [int(one) for one in integers if one > 1]


@law(
    6,
    "Each (seed, epoch)",
    look="how do self.seed and self.epoch reach the generator? A sum, or digits in a"
    " row, can be equal; a list of the two is not",
)
def test_each_seed_and_epoch_has_its_order(tt, draw, inside):
    pairs = list(itertools.product((0, 1, 2, 3, 11), repeat=2))
    # where one number is made of both, such as seed * K + epoch, two pairs meet at K
    own = inside(numbers_given, [(1, 0), (0, 1)])
    for number in (*NUMBERS, *own, int(draw.integers(5, 10**6))):
        pairs += [(0, number), (number, 0), (1, number), (number, 1)]
    met, alike = {tuple(range(6)): "not shuffled"}, "none"
    for seed, epoch in dict.fromkeys(pairs):
        sampler = tt.DistributedSampler(range(400), 1, 0, seed=seed)
        sampler.set_epoch(epoch)
        # of 130 orders two begin alike with probability 130**2 / 2 / 400**6 = 2e-12
        order = tuple(itertools.islice(iter(sampler), 6))
        other = met.setdefault(order, (seed, epoch))
        if len(order) < 6 or other != (seed, epoch):
            alike = f"{order} ... of {other} and of {seed, epoch}"
            break
    call = "list(sampler), N = 400, R = 1: an order that is that of two (seed, epoch)"
    yield call, alike, "none"


@law(6, "Each (seed, epoch)", look="is the order of one epoch kept for the next?")
def test_one_sampler_has_an_order_for_each_epoch(tt, draw):
    seed = int(draw.integers(10**6))
    for ranks in (1, 2):
        sampler, orders = tt.DistributedSampler(range(40), ranks, 0, seed=seed), []
        for epoch in (0, 1, 2):
            sampler.set_epoch(epoch)
            orders.append(list(iter(sampler)))
        call = f"s.set_epoch(k); list(s), k = 0, 1, 2, N = 40, R = {ranks}, {seed=}:"
        got = [*map(len, orders)], len({*map(tuple, orders)})
        yield f"{call} lengths, different lists", got, ([40 // ranks] * 3, 3)


@law(7, "depends on (seed, epoch)", look=ALONE)
def test_the_order_stays_in_its_epoch(tt, draw):
    for seed in (0, int(draw.integers(10**6))):
        for ranks in (1, 2):
            sampler = tt.DistributedSampler(range(30), ranks, 0, seed=seed)
            first = list(iter(sampler))
            call = f"list(sampler), N = 30, R = {ranks}, {seed=}"
            yield f"len({call})", len(first), 30 // ranks
            yield f"{call}, the second time", lambda s=sampler: list(iter(s)), first
            sampler.set_epoch(1)
            other = list(iter(sampler))
            call = f"{call}, the second time after set_epoch(1)"
            yield call, lambda s=sampler: list(iter(s)), other
            sampler.set_epoch(0)
            yield f"{call} and set_epoch(0)", lambda s=sampler: list(iter(s)), first


@law(7, "depends on (seed, epoch)", look=ALONE)
def test_nothing_else_decides_the_order(tt, draw, global_random_state):
    for epoch in (0, 3):
        seed = int(draw.integers(10**6))
        before = global_random_state()
        (order,) = shares_of(tt, 24, 1, epoch, seed=seed)
        call = f"list(sampler), N = 24, R = 1, {seed=}, epoch {epoch}"
        got = len(order), global_random_state() == before
        yield f"len({call}), and are np.random and random as before?", got, (24, True)
        yield f"{call}, again", shares_of(tt, 24, 1, epoch, seed=seed), [order]
        for ranks in (2, 3, 4):
            shares = shares_of(tt, 24, ranks, epoch, seed=seed, drop_last=ranks == 3)
            text = f"{call}; the first of each of {ranks} ranks, then the second, ..."
            yield text, in_turn(shares), order


class Lost:
    """A dataset that does not tell its length the first time that it is asked."""

    def __init__(self, error, length):
        self.error, self.length, self.asked = error, length, 0

    def __len__(self):
        self.asked += 1
        if self.asked == 1:
            raise self.error
        return self.length


@law(8, "without a retry", look="does a `try` of yours catch it? It is for the caller")
def test_an_error_of_the_dataset_passes_through(tt, draw):
    each = int(draw.integers(3, 99))
    for error in ERRORS:
        for shuffle in (True, False):
            for name in ("len(sampler)", "list(iter(sampler))"):
                dataset = Lost(error, 2 * each)
                sampler = tt.DistributedSampler(dataset, 2, 0, shuffle=shuffle)
                ask = len if name[:3] == "len" else lambda one: list(iter(one))
                raised = raised_by(lambda: ask(sampler))
                got = raised, dataset.asked, len(list(iter(sampler))), len(sampler)
                call = f"{name}, {shuffle=}, len(dataset) raises {error!r}: the error,"
                call = f"{call} calls of it; later len(list(sampler)) and len(sampler)"
                yield call, got, (shown(error), 1, each, each)
