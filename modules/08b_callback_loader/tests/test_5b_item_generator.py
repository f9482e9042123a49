"""Laws of exercise 5b, item_generator."""

from tinytorch.laws import Case, law

GRID = (0, 1, 2, 3, 11, 100)
# three integers that are put together to one number meet at one of these, or are cut
PLACES = (5, 10, 16, 31, 32, 64, 128, 255, 256, 512, 997, 1009, 1024, 4096, 10_000)
PLACES += (32_768, 65_535, 65_536, 10**5, 10**6, 2**20, 2**24, 2**30, 2**31, 2**32 - 1)
NAMES = ("seed", "epoch", "index")
MIXED = (
    "what is made of the three? A sum, a product, or digits in a row can be equal,"
    " and a number of few bits is cut; a list of the three is not"
)
NEW = "a new Generator for each call, made of the three alone? Is a 0 tested for truth?"
OWN = "what of your code uses np.random or random themselves (seed, random ...)?"


def threes_of(draw):
    """Fixed seeds, epochs and indices, then drawn ones."""
    drawn = draw.integers(0, 1000, (3, 3)).tolist()
    fixed = (3, 1, 4), (0, 1, 4), (3, 0, 4), (3, 1, 0), (0, 0, 0), (2**32 - 1, 1, 2)
    return [*fixed, *map(tuple, drawn)]


def numbers(tt, three, count=2):
    return tt.item_generator(*three).random(count).tolist()


@law(
    1,
    "returns an np.random.Generator",
    look="key.generator(index) and np.random.default_rng(...) make Generators",
)
def test_it_is_a_generator(tt, draw):
    for three in (*threes_of(draw), (1, 2**32 - 1, 2), (1, 2, 2**40)):
        kind = type(tt.item_generator(*three)).__name__
        yield f"type(item_generator{three})", kind, "Generator"
        drawn = numbers(tt, three, 3)
        right = len({*drawn}) == 3 and all(0 <= number < 1 for number in drawn)
        yield f"item_generator{three}.random(3)", drawn, "numbers from 0 to 1", right


@law(2, "whatever was drawn", look=NEW)
def test_the_same_item_has_the_same_numbers(tt, draw):
    for three in threes_of(draw):
        first = numbers(tt, three)
        seed, epoch, index = three
        numbers(tt, (seed, epoch, index + 1), 5)
        call = f"item_generator{three}.random(2), again after (..., {index + 1})"
        yield call, numbers(tt, three), first
        one, other = tt.item_generator(*three), tt.item_generator(*three)
        call = f"a = item_generator{three}; b = item_generator{three}; a.random(),"
        got = [one.random(), other.random(), one.random(), other.random()]
        call = f"{call} b.random(), a.random(), b.random()"
        yield call, got, [first[0], first[0], first[1], first[1]]
        yield f"{call}; how many numbers differ", len({*got}), 2


def with_another_number(tt, three):
    """The numbers of an item here, and where the process has another number."""
    import os

    here, getpid = tt.item_generator(*three).random(2).tolist(), os.getpid
    os.getpid = lambda: getpid() + 1
    try:
        return [here, tt.item_generator(*three).random(2).tolist()]
    finally:
        os.getpid = getpid


@law(2, "whatever was drawn", look="does a number of the process reach the Generator?")
def test_any_process_gives_the_same_numbers(tt, draw, inside, stand_in):
    three = tuple(draw.integers(0, 1000, 3).tolist())
    call = f"item_generator{three}.random(2) in a worker with another os.getpid()"
    here, there = inside(with_another_number, three)
    yield call, there, here
    yield f"{call}: how many numbers differ", len({*here, *there}), 2
    stand_in(hash=lambda value: hash(value) + isinstance(value, (str, bytes)))
    yield Case(
        f"item_generator{three}.random(2) in another process",
        lambda: numbers(tt, three),
        here,
        look="the number of hash(text) is another one in each process",
    )


def first_numbers(tt, threes):
    return [float(tt.item_generator(*three).random()) for three in threes]


@law(3, "the numbers differ", look=MIXED)
def test_no_two_items_share_their_numbers(inside, draw):
    drawn = int(draw.integers(5, 10**5))
    threes = [(a, b, c) for a in GRID for b in GRID for c in GRID]
    for place in (*PLACES, drawn):
        threes += [(place, 0, 0), (0, place, 0), (0, 0, place)]
    # the same without the bits above 32, 40, 48
    for large in (2**32 + 7, 2**40 + 9, 2**48 + 13):
        threes += [(3, 2, large), (3, 2, large % 2**32)]
    # an index that takes two words of 32 bits, and the words after it
    threes += [(0, 3, 5 * 2**32 + 9), (3, 0, 5 * 2**32 + 9), (3, 5, 9), (5, 3, 9)]
    threes = list(dict.fromkeys(threes))
    firsts = inside(first_numbers, threes)
    # fewer than 310 numbers of 53 bits: two are equal with probability below 6e-12
    met, pair = {}, None
    for three, first in zip(threes, firsts, strict=True):
        other = met.setdefault(first, three)
        if other != three and pair is None:
            pair = other, three
    one, other = pair or (threes[0], threes[1])
    differs = [name for name, a, b in zip(NAMES, one, other, strict=True) if a != b]
    alone = (
        f"the two differ in the {differs[0]} alone: how does it reach the Generator?"
    )
    got = [firsts[threes.index(one)], firsts[threes.index(other)]]
    yield Case(
        f"item_generator{one}.random(), item_generator{other}.random()",
        got,
        "two different numbers",
        got[0] != got[1],
        look=alone if len(differs) == 1 else MIXED,
    )
    # n = 310 numbers: off by 0.15 with probability below 2 exp(-6 n 0.15**2), 2e-18
    mean = sum(firsts) / len(firsts)
    call = f"the mean of item_generator(...).random() for {len(firsts)} items"
    yield call, mean, "about 0.5", abs(mean - 0.5) < 0.15


@law(4, "does not change", look=OWN)
def test_the_shared_generators_stay(tt, draw, global_random_state):
    before = global_random_state()
    for three in (*threes_of(draw)[-2:], (0, 0, 0)):
        drawn = numbers(tt, three)
        got = len({*drawn}), global_random_state() == before
        call = f"item_generator{three}.random(2): how many numbers, and are np.random"
        yield f"{call} and random as before?", got, (2, True)
