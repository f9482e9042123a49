"""What several laws of this lab need: streams that fail, and cases about seeds."""

from tinytorch.law_tools import raised_by
from tinytorch.laws import Case

# a seed and an epoch that are put together to one number meet at one of these
NUMBERS = (2, 10, 31, 32, 100, 128, 256, 1000, 1024, 10_000, 65_536, 10**6)
SAME = "seeds that give the same as another one"
AS_IT_IS = "give the seed to np.random.default_rng as it is, once"
OWN = (
    "np.random.default_rng(seed) is a generator of your own; np.random.seed and"
    " random.random use those that everybody shares"
)
# `run` makes an order, a list, of a seed; `call` shows it, with {} for the seed.


def seeds_decide(run, call, size, draw):
    """Cases: the same seed gives the same order, and different seeds different ones."""
    drawn = int(draw.integers(3, 10**5))
    for seed in (7, [3, 1], drawn):
        yield f"len({call.format(seed)})", lambda seed=seed: len(run(seed)), size
        first = run(seed)
        yield f"{call.format(seed)}, again", lambda seed=seed: run(seed), first
    orders = [run(seed) for seed in range(8)]
    alike = [seed for seed in range(8) if orders.count(orders[seed]) > 1]
    yield f"{call.format('seed')}, seeds 0 to 7: {SAME}", alike, []
    # np.random.seed refuses large seeds: who uses it breaks a later promise
    large = [7 + 2**bits for bits in (16, 31, 32, 53, 63, 64)]
    first = raised_by(lambda: run(7))
    alike = [seed for seed in large if raised_by(lambda s=seed: run(s)) == first]
    yield f"{call.format('seed')}, seeds of {large} that give what 7 gives", alike, []
    few = [[0, 0], [0, 1], [1, 0]]
    few_orders = [run(pair) for pair in few]
    for other in (*NUMBERS, drawn):
        pairs = [*few, [0, other], [other, 0], [1, other], [other, 1]]
        orders = [*few_orders, *(run(pair) for pair in pairs[3:])]
        alike = [pairs[i] for i in range(7) if orders.count(orders[i]) > 1]
        text = f"{call.format('seed')}, each number of seed 0, 1 or {other}"
        yield f"{text}: {SAME}", alike, []


def process_does_not(run, call, stand_in):
    """A case: the order is the same where hash("text") is another number."""
    first = run([3, 1])
    stand_in(hash=lambda value: hash(value) + isinstance(value, str))
    look = "the number of hash(text) is another one in each process"
    text = f"{call.format([3, 1])} in another process"
    yield Case(text, lambda: run([3, 1]), first, look=look)


def zero_is_a_seed(run, call, size):
    """Cases: seed 0 gives one order, None gives new ones."""
    look = "None means no seed: default_rng(None) is another one each time"
    first = run(0)
    yield f"len({call.format(0)})", len(first), size
    yield f"{call.format(0)}, again", run(0), first
    text = f"{call.format(None)}, three times: different orders"
    yield Case(text, lambda: len({str(run(None)) for _ in "123"}), 3, look=look)


def generators_stay(run, call, size, draw, global_random_state):
    """A case: how many rows came, and whether the shared generators are as before."""
    before, drawn = global_random_state(), int(draw.integers(3, 10**5))
    got = (
        [len(run(seed)) for seed in (drawn, None, [3, 1])],
        global_random_state() == before,
    )
    text = f"{call.format('seed')}, seeds {drawn}, None and [3, 1]: rows, and are"
    yield f"{text} np.random and random as before?", got, ([size] * 3, True)
