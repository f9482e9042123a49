"""Laws of exercise 6a, WeightedRandomSampler."""

import numpy as np

from tinytorch.law_tools import ERRORS, shown
from tinytorch.laws import law

SHARES = "how do the weights reach rng.choice? p = weights / their sum"
ONLY = "which Generator draws? The one of self.next_rng(), asked once in each __iter__"


def sampler_of(tt, weights, count, replacement=True, seed=0):
    """A sampler, and how it is made."""
    name = f"WeightedRandomSampler({weights}, {count}, {replacement}, {seed})"
    return tt.WeightedRandomSampler(weights, count, replacement, seed), name


def drawn_by(sampler):
    return list(iter(sampler))


@law(
    1,
    "Python integers from 0",
    look="size=self.num_samples; python_integers(array) makes Python's integers",
)
def test_so_many_python_integers(tt, draw):
    drawn = draw.integers(1, 9, 9).tolist(), int(draw.integers(2, 9))
    for weights, count, replacement in (
        ([1, 3, 0], 1, True),
        ([1, 3, 0], 40, True),
        ([1, 3, 0], 2, False),
        ([5], 3, True),
        (*drawn, True),
        (*drawn, False),
    ):
        sampler, name = sampler_of(tt, weights, count, replacement, 1)
        got = drawn_by(sampler)
        inside = all(0 <= index < len(weights) for index in got)
        what = len(got), {type(index).__name__ for index in got}, inside
        call = f"list({name}): how many, their types, and are they indices?"
        yield call, what, (count, {"int"}, True)


@law(2, "with probability", look=SHARES)
def test_weights_decide_how_often(tt, draw):
    # 1500 draws; the share of each is off by so much with probability below 1e-13,
    # 8 times the standard deviation (the sum of binomial probabilities)
    far = {0: 1, 1: 80, 2: 105, 4: 140, 8: 160}
    for unit in (1, float(draw.uniform(0.001, 0.1)), 1e6):
        shares = draw.permutation([1, 2, 4, 8]).tolist()
        shares.insert(int(draw.integers(4)), 0)
        weights = [share * unit for share in shares]
        seed = int(draw.integers(10**6))
        sampler, name = sampler_of(tt, weights, 1500, True, seed)
        got = drawn_by(sampler)
        counts = [got.count(index) for index in range(5)]
        want = [100 * share for share in shares]
        near = [abs(counts[k] - want[k]) < far[shares[k]] for k in range(5)]
        yield f"list({name}): how often each index comes", counts, want, all(near)


@law(
    3,
    "independent of the others",
    look="does a draw depend on those before it (an order, a grid, a repetition)?",
)
def test_a_draw_does_not_know_the_others(tt, draw):
    weight, seed = float(draw.uniform(0.5, 9)), int(draw.integers(10**6))
    sampler, name = sampler_of(tt, [weight, weight], 1200, True, seed)
    got = np.array(drawn_by(sampler))
    yield f"len(list({name}))", len(got), 1200
    apart = range(1, 601)
    equal = [int((got[:-lag] == got[lag:]).sum()) for lag in apart]
    # equality at one distance is a fair coin, thrown m times: by Hoeffding 4 sqrt(m)
    # off with probability 2 exp(-32), and 600 distances are off with 2e-11
    off = [
        abs(equal[lag - 1] * 2 - (1200 - lag)) / (1200 - lag) ** 0.5 for lag in apart
    ]
    worst = 1 + int(np.argmax(off))
    call = f"list({name}): how many of {1200 - worst} draws are equal to the one"
    call = f"{call} {worst} places later"
    yield call, equal[worst - 1], f"about {(1200 - worst) // 2}", max(off) < 8


@law(
    3,
    "independent of the others",
    look="is each index drawn as often as its share says? By chance it comes more or"
    " less often",
)
def test_a_draw_balances_nothing(tt, draw):
    first, rows = int(draw.integers(10**6)), []
    for seed in range(first, first + 30):
        sampler, name = sampler_of(tt, [1, 1], 40, True, seed)
        rows.append(drawn_by(sampler))
        yield f"len(list({name}))", len(rows[-1]), 40
    if len({tuple(row) for row in rows}) == 1:
        return  # promise 6 says so
    # one list has 19, 20 or 21 zeros with probability 0.364, so 28 of 30 with 1e-10
    zeros = [row.count(0) for row in rows]
    balanced = sum(abs(count - 20) <= 1 for count in zeros)
    call = f"WeightedRandomSampler([1, 1], 40, True, seed), 30 seeds from {first} on:"
    yield f"{call} how often index 0 comes", zeros, "other numbers", balanced < 28


@law(
    4,
    "larger weights tend",
    look="does rng.choice get replace=self.replacement, and p? The order that it gives"
    " is right",
)
def test_without_replacement(tt, draw):
    seed = int(draw.integers(10**6))
    drawn = draw.uniform(0.1, 9, 12).tolist(), int(draw.integers(6, 12))
    for weights, count in (([1, 2, 3, 4], 4), ([5, 1, 1, 0], 3), ([1] * 30, 30), drawn):
        sampler, name = sampler_of(tt, weights, count, False, seed)
        got = drawn_by(sampler)
        yield f"list({name}): different indices", len({*got}), count
    for heavy, count in ((0, 1), (1, 2), (2, 3), (1, 3)):
        weights = [1] * 3
        weights[heavy] = 1000
        first = [
            drawn_by(sampler_of(tt, weights, count, False, seed + k)[0])[:1]
            for k in range(20)
        ]
        # another one is first with probability 0.002, and in 6 of 20 lists with 3e-12
        call = f"list(WeightedRandomSampler({weights}, {count}, False, seed))[0], seeds"
        call = f"{call} from {seed} on, 20 lists: how often it is {heavy}"
        yield call, first.count([heavy]), "about 20", first.count([heavy]) >= 15


@law(5, "weight 0 is never", look=SHARES)
def test_what_has_no_weight_never_comes(tt, draw):
    some = np.where(draw.permutation(8) < 3, draw.uniform(1, 5, 8), 0).tolist()
    for weights in ([0, 1, 4], [1, 3, 0], [0, 0, 7, 0], some):
        right = {index for index, weight in enumerate(weights) if weight}
        for count, replacement in ((60, True), (len(right), False)):
            seed = int(draw.integers(10**6))
            sampler, name = sampler_of(tt, weights, count, replacement, seed)
            got = drawn_by(sampler)
            call = f"list({name}): how many, and those whose weight is 0"
            yield call, (len(got), sorted({*got} - right)), (count, [])


@law(6, "draws anew", look=ONLY)
def test_each_epoch_is_drawn_anew(tt, draw):
    for replacement in (True, False):
        for seed in (0, int(draw.integers(10**6))):
            sampler, name = sampler_of(tt, [2] * 50, 50, replacement, seed)
            again = sampler_of(tt, [2] * 50, 50, replacement, seed)[0]
            name = name.replace(str([2] * 50), "[2] * 50")
            first, second = drawn_by(sampler), drawn_by(sampler)
            # equal by chance with probability 1 / 50!, or 50 ** -50
            call = f"s = {name}; list(s), twice: how many, and are they equal?"
            yield call, (len(first), len(second), first == second), (50, 50, False)
            call = f"another {name}; list of it, twice"
            yield call, [drawn_by(again), drawn_by(again)], [first, second]
            again.set_epoch(1)
            yield f"{call}; the same after set_epoch(1)", drawn_by(again), second
            other = sampler_of(tt, [2] * 50, 50, replacement, seed + 1)[0]
            call = f"list({name}), and with seed {seed + 1}: are they equal?"
            yield call, drawn_by(other) == first, False


def with_one_rng(tt, seeds, replacement):
    """The draws of samplers of several seeds that are given the same random numbers,
    and how often these were asked for.
    """
    import numpy as np

    class Given(tt.WeightedRandomSampler):
        asked = 0

        def next_rng(self):
            self.asked += 1
            return np.random.default_rng(7)

    samplers = [Given([1, 2] * 15, 15, replacement, seed) for seed in seeds]
    return [[[*map(int, iter(sampler))], sampler.asked] for sampler in samplers]


@law(6, "draws anew", look=ONLY)
def test_nothing_else_draws(tt, inside, draw, global_random_state):
    seeds = draw.integers(0, 10**6, 2).tolist()
    for replacement in (True, False):
        one, other = inside(with_one_rng, seeds, replacement)
        call = "list(s), where s.next_rng() is np.random.default_rng(7) in two samplers"
        call = f"{call} of 15 indices, replacement={replacement}: are they equal?"
        got = len(one[0]), one[0] == other[0], one[1], other[1]
        yield f"{call} Calls of both next_rng", got, (15, True, 1, 1)
        sampler, name = sampler_of(tt, [1, 2, 3], 3, replacement)
        before = global_random_state()
        got = len(drawn_by(sampler)), global_random_state() == before
        call = f"list({name}): how many, and are np.random and random as before?"
        yield call, got, (3, True)


def weights_afterwards(tt, weights, replacement):
    """How many indices came in two epochs, and the weights then."""
    import numpy as np

    array = np.array(weights, dtype=np.float64)
    sampler = tt.WeightedRandomSampler(array, 2, replacement)
    return [[len([*iter(sampler)]) for _ in "12"], array.tolist()]


@law(
    7,
    "are not changed",
    look="what changes self.weights in place (/=, or one entry)? It may be the caller's"
    " array: make a new one",
)
def test_the_callers_weights_stay(inside, draw):
    for weights in ([1.0, 3.0], [4.0, 0.0, 4.0], draw.uniform(1, 9, 5).tolist()):
        for replacement in (True, False):
            call = f"w = np.array({weights}); s = WeightedRandomSampler(w, 2,"
            call = f"{call} {replacement}); list(s), twice: how many came, and w"
            got = inside(weights_afterwards, weights, replacement)
            yield call, got, [[2, 2], weights]


def without_random_numbers(tt, kind, text, replacement, weights):
    """What comes of a next_rng that fails at first, how often it is asked for that,
    and how many indices come then.
    """
    import builtins

    error = getattr(builtins, kind)(text)

    class Fails(tt.WeightedRandomSampler):
        asked = 0

        def next_rng(self):
            self.asked += 1
            if self.asked == 1:
                raise error
            return super().next_rng()

    sampler = Fails(weights, 3, replacement)
    try:
        came = f"no error, but {[*iter(sampler)]}"
    except NotImplementedError:  # the exercise is still to be written
        raise
    except Exception as problem:  # noqa: BLE001 - any may be asked for
        came = f"{type(problem).__name__}: {problem}"
        came += "" if problem is error else ", another object"
    return [came, sampler.asked, len([*iter(sampler)])]


@law(8, "without a retry", look="does a `try` of yours catch it? It is for the caller")
def test_an_error_of_next_rng_passes_through(inside, draw):
    weights = draw.integers(1, 10**6, 4).tolist()
    for error in ERRORS:
        for replacement in (True, False):
            call = f"list(s), replacement={replacement}, s.next_rng raises {error!r}:"
            call = f"{call} the error, calls of next_rng; the length of the next list"
            given = type(error).__name__, error.args[0], replacement, weights
            yield call, inside(without_random_numbers, *given), [shown(error), 1, 3]
