"""Laws of exercise 10a, within_files_order."""

import numpy as np

from tinytorch.laws import law

FROM_RNG = "do all random numbers come from rng, made by the line as given?"
NO_LESS = "the short last file has all its records; no records are int64, too"
# a seed and an epoch that are put together to one number meet at one of these
NUMBERS = (2, 10, 31, 32, 100, 128, 256, 1000, 1024, 10_000, 65_536, 10**6)


def sizes(draw):
    """Records and file length: the special ones, then drawn ones."""
    drawn = [(int(draw.integers(15, 30)), int(draw.integers(2, 12))) for _ in "123"]
    return [(17, 5), (6, 3), (5, 1), (1, 7), (0, 5), *drawn]


def order_of(tt, n, length, *settings):
    """An order as a tuple; two of these can be compared."""
    return tuple(np.asarray(tt.within_files_order(n, length, *settings)).tolist())


def of_file(order, length, file):
    """The records of one file in their order, counted from the file's first one."""
    return tuple(one % length for one in order if one // length == file)


@law(1, "every index", look=NO_LESS)
def test_every_record_comes_once(tt, draw):
    def in_order(n, length):
        order = tt.within_files_order(n, length, seed=4)
        return np.sort(order) if isinstance(order, np.ndarray) else order

    for n, length in sizes(draw):
        call = f"np.sort(within_files_order({n}, {length}, seed=4))"
        want = np.arange(n, dtype=np.int64)
        yield call, lambda n=n, length=length: in_order(n, length), want


@law(2, "before those", look="the files stay in order, only their records are shuffled")
def test_the_files_come_one_after_another(tt, draw):
    def files(n, length):
        return (np.asarray(tt.within_files_order(n, length, seed=4)) // length).tolist()

    for n, length in sizes(draw):
        call = f"within_files_order({n}, {length}, seed=4) // {length}"
        want = [record // length for record in range(n)]
        yield call, lambda n=n, length=length: files(n, length), want


@law(3, "every order is possible", look="does rng shuffle all records of each file?")
def test_every_order_of_a_file_comes(tt, draw):
    def different(first):
        orders = [order_of(tt, 5, 3, first + i, 3 * i) for i in range(150)]
        return tuple(len({of_file(one, 3, file) for one in orders}) for file in (0, 1))

    first = int(draw.integers(1000))
    call = f"within_files_order(5, 3, seed, epoch), 150 seeds from {first} on"
    # one of the six orders is missing in 150 draws once in 10^11
    yield f"{call}: orders of file 0 and of file 1", lambda: different(first), (6, 2)


@law(3, "an order of its own", look="draw from rng anew for each file")
def test_each_file_has_an_order_of_its_own(tt, draw):
    def different(length, seed):
        order = order_of(tt, 3 * length, length, seed)
        return len({of_file(order, length, file) for file in range(3)})

    length, seed = int(draw.integers(25, 40)), int(draw.integers(1000))
    call = f"within_files_order({3 * length}, {length}, seed={seed})"
    yield f"{call}: different orders in 3 files", lambda: different(length, seed), 3


@law(4, "same seed and epoch", look=f"seed 0 is a seed, too; {FROM_RNG}")
def test_the_same_seed_and_epoch_give_the_same_order(tt, draw):
    drawn = tuple(draw.integers(1, 1000, 2).tolist())
    for first, again in (((3,), (3,)), ((0,), (0,)), ((3,), (3, 0)), (drawn, drawn)):
        call = f"within_files_order(20, 10, {', '.join(map(str, first))})"
        yield f"len({call})", lambda s=first: len(order_of(tt, 20, 10, *s)), 20
        order = order_of(tt, 20, 10, *first)
        order_of(tt, 20, 10, 5, 5)
        call = f"within_files_order(20, 10, {', '.join(map(str, again))})"
        yield f"{call}, again", lambda s=again: order_of(tt, 20, 10, *s), order


@law(5, "Another seed or epoch", look=f"rng is made of [seed, epoch]; {FROM_RNG}")
def test_another_seed_or_epoch_gives_another_order(tt, draw):
    def found(other):
        """The pairs whose order is that of seed 0 or 1, or is another pair's."""
        pairs = [(0, 0), (0, 1), (1, 0), (0, other), (other, 0), (1, other), (other, 1)]
        orders = [order_of(tt, 40, 20, *pair) for pair in pairs]
        return [pairs[i] for i in range(len(pairs)) if orders.count(orders[i]) > 1]

    for other in (*NUMBERS, int(draw.integers(3, 10**5))):
        call = f"within_files_order(40, 20, seed, epoch), each 0, 1 or {other}"
        yield f"{call}: the same order", lambda other=other: found(other), []


@law(5, "Another seed or epoch", look=f"an epoch is no file number; {FROM_RNG}")
def test_the_next_epoch_is_not_the_next_file(tt, draw):
    def alike(length, seed):
        now, later = (order_of(tt, 2 * length, length, seed, e) for e in (0, 1))
        return of_file(now, length, 1) == of_file(later, length, 0)

    length, seed = int(draw.integers(25, 40)), int(draw.integers(10**6))
    call = f"within_files_order({2 * length}, {length}, {seed}, epoch), epochs 0 and 1"
    call = f"{call}: is file 1 of one like file 0 of the next?"
    yield call, lambda: alike(length, seed), False


@law(6, "Without a seed", look=f"without a seed rng is new each time; {FROM_RNG}")
def test_without_a_seed_the_order_is_new(tt, draw):
    n, later = 2 * int(draw.integers(30, 300)), int(draw.integers(1, 1000))

    def different():
        bare = [tuple(np.asarray(tt.within_files_order(n, 30)).tolist()) for _ in "ab"]
        epochs = 0, later, later
        orders = [*bare, *(order_of(tt, n, 30, None, epoch) for epoch in epochs)]
        return len({order for order in orders if len(order) == n})

    call = f"within_files_order({n}, 30), five times: different orders"
    yield call, lambda: different(), 5
