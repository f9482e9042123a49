"""Laws of exercise 13c, Compose."""

from tinytorch.core.rng import EpochKey, at_position
from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import law

ASK = 'accepts(transform, "rng") tells which transform takes one'
COUNT = "enumerate(self.transforms): 0 for the first, one more for each"


def add(x):
    return x + 1


def times(x):
    return x * 10


def zero(x):
    return 0


def plain(x):
    return x


def note(x, *, rng=None):
    """Puts its first random number at the end of a list."""
    return [*x, None if rng is None else round(float(rng.random()), 6)]


class Random:
    """A transform like `note` that is no function."""

    def __call__(self, x, rng=None):
        return note(x, rng=rng)


class Noting:
    """A transform without a parameter rng; it keeps what it was called with."""

    def __init__(self):
        self.calls = []

    def __call__(self, x):
        self.calls.append(x)
        return x + 1


def sample_rng(draw):
    """A function that makes the rng of one sample anew, and one that tells the first
    number of each position.
    """
    key, index = EpochKey.of(int(draw.integers(1000)), 0), int(draw.integers(100))

    def first(position):
        rng = at_position(key.generator(index), position)
        return round(float(rng.random()), 6)

    return lambda: key.generator(index), first


@law(1, "first to last", look="(2 + 1) * 10: each gets what the one before returned")
def test_transforms_run_in_order(tt, draw):
    for names, transforms, want in (
        ("add, times", [add, times], 30),
        ("times, add", [times, add], 21),
        ("add, add, times", [add, add, times], 40),
        ("add, zero, add", [add, zero, add], 1),
    ):
        got = lambda all=transforms: tt.Compose(all)(2)  # noqa: E731
        yield f"Compose([{names}])(2); add 1, times 10, zero gives 0", got, want
    rng, _ = sample_rng(draw)
    calls = []

    def puts(letter):
        def transform(word, rng=None):
            calls.append(letter)
            return word + letter

        return transform

    for word in ("ab", "aab", *("".join(draw.permutation([*"abcde"])) for _ in "123")):
        compose = tt.Compose([puts(letter) for letter in word])
        # one Compose is called twice
        for text, named in (("", {}), (", rng=rng", {"rng": rng()})):
            calls.clear()
            call = f"Compose(functions that add {', '.join(word)})('-'{text})"
            yield call, lambda c=compose, n=named: c("-", **n), f"-{word}"
            yield f"{call}: what was called", "".join(calls), word


@law(2, "empty Compose", look="what is returned when the loop never runs?")
def test_an_empty_compose_changes_nothing(tt, draw):
    image = draw.integers(0, 9, (1, 2, 3))
    rng, _ = sample_rng(draw)
    for text, value in (("'image'", "image"), ("0", 0), ("[3]", [3]), ("image", image)):
        yield f"Compose([])({text})", lambda x=value: tt.Compose([])(x), value
        got = lambda x=value: tt.Compose([])(x, rng=rng())  # noqa: E731
        yield f"Compose([])({text}, rng=rng)", got, value


@law(3, "without a parameter", look=ASK)
def test_who_takes_no_rng_gets_none(tt, draw):
    rng, _ = sample_rng(draw)
    start = int(draw.integers(100))
    for before, after in (([], []), ([add], []), ([], [add]), ([Noting()], [add])):
        noting = Noting()
        transforms = [*before, noting, *after]
        names = ", ".join("f" if one is noting else "add" for one in transforms)
        call = f"Compose([{names}])({start}, rng=rng); f(x) and add(x) add 1"
        got = lambda all=transforms: tt.Compose(all)(start, rng=rng())  # noqa: E731
        yield call, got, start + len(transforms)
        yield f"{call}: what f was called with", noting.calls, [start + len(before)]


@law(4, "gets rng=at_position", look=f"{ASK}; at_position(rng, k), rng as it came in")
def test_each_position_has_its_rng(tt, draw):
    rng, first = sample_rng(draw)
    for count in (2, 1, 4):
        # whoever begins at another position than 0 breaks promise 5
        wants = [[first(start + k) for k in range(count)] for start in range(3)]
        for name, one in (("note", note), ("Random()", Random())):
            for drawn, before in ((0, ""), (5, "rng.random(5); ")):
                given = rng()
                given.random(drawn)
                got = tt.Compose([one] * count)([], rng=given)
                call = f"{before}Compose([{name}] * {count})([], rng=rng); each adds"
                yield f"{call} its first number", got, wants[0], got in wants


@law(5, "count every transform", look=COUNT)
def test_every_transform_counts(tt, draw):
    rng, first = sample_rng(draw)
    drawn = [draw.permutation([note, note, plain, plain]).tolist() for _ in range(3)]
    for transforms in ([note], [note, note], [plain, note], [plain, note] * 2, *drawn):
        want = [first(k) for k, one in enumerate(transforms) if one is note]
        names = ", ".join(one.__name__ for one in transforms)
        call = f"Compose([{names}])([], rng=rng); note adds its first number"
        got = lambda all=transforms: tt.Compose(all)([], rng=rng())  # noqa: E731
        yield call, got, want


@law(6, "do not change those", look="do all transforms share one generator?")
def test_what_one_draws_changes_no_other(tt, draw):
    rng, _ = sample_rng(draw)
    numbers = tt.Compose([note, note])([], rng=rng())
    call = "Compose([note, note])([], rng=rng); each adds its first number"
    yield call, numbers, "two numbers", len({*numbers} - {None}) == 2
    for count in (1, 2, 100):

        def greedy(x, rng=None, count=count):
            rng.random(count)
            return x

        call = f"Compose([greedy, note])([], rng=rng); greedy draws {count} numbers"
        given = rng()
        got = tt.Compose([greedy, note])([], rng=given)
        yield f"{call}, note adds its first", got, numbers[1:]
        got = tt.Compose([note, note])([], rng=given)
        yield f"{call}; then Compose([note, note])([], rng=rng)", got, numbers


@law(7, "Without an rng", look="is there an rng to pass on? If not, the image alone")
def test_without_an_rng_the_image_comes_alone(tt, draw):
    k = int(draw.integers(10**6))

    def told(x, rng="no rng"):
        return [*x, rng]

    for names, transforms in (
        ("told", [told]),
        ("plain, told, told", [plain, told, told]),
    ):
        want = [k] + ["no rng"] * transforms.count(told)
        for text, named in (("", {}), (", rng=None", {"rng": None})):
            call = (
                f'Compose([{names}])([{k}]{text}); def told(x, rng="no rng") adds rng'
            )
            got = lambda all=transforms, n=named: tt.Compose(all)([k], **n)  # noqa: E731
            yield call, got, want


@law(8, "without a retry", look="no `try`: accepts() tells which transform takes rng")
def test_an_error_passes_through(tt, draw):
    rng, _ = sample_rng(draw)
    calls = []

    def before(x):
        calls.append("before")
        return x

    for error in ERRORS:

        def broken(x, error=error):
            calls.append("broken")
            raise error

        def broken_random(x, rng=None, error=error):
            calls.append("broken")
            raise error

        for transform in (broken, broken_random):
            for text, named in (("", {}), (", rng=rng", {"rng": rng()})):
                calls.clear()
                compose = tt.Compose([before, transform, before])
                got = raised_by(lambda c=compose, n=named: c(1, **n))
                call = f"Compose([before, {transform.__name__}, before])(1{text}); the"
                call = f"{call} second raises {shown(error)}: error and calls"
                want = shown(error), ["before", "broken"]
                yield call, (got, list(calls)), want
