"""Laws of exercise 1b, Subset."""

import numpy as np

from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import Case, law
from tinytorch.testing import ReadLog

LETTERS = "abcdefghij"


def choices(draw):
    """Indices of LETTERS: in order or not, repeated, an array, one, none."""
    yield from ([4, 1], [4, 1, 4], [9, 9, 9], [0, 1, 2], [3], [], np.array([2, 0]))
    yield draw.integers(0, 10, int(draw.integers(11, 30))).tolist()


@law(1, "number of indices", look="len of what? A repeated index counts each time")
def test_the_length_counts_the_indices(tt, draw):
    for indices in choices(draw):
        call = f"len(Subset({LETTERS!r}, {indices}))"
        yield call, lambda x=indices: len(tt.Subset(LETTERS, x)), len(indices)


class Drawing:
    """Samples that may be asked for with a Generator, too."""

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return "a sample without a Generator"

    def sample_with(self, index, rng):
        return int(index), rng


@law(2, "any order", look="which of the two do you index first, and is it returned?")
def test_a_sample_is_that_of_its_index(tt, draw):
    def listed(subset, size):
        return [subset[i] for i in range(size)]

    for indices in choices(draw):
        call = f"[s[i] for i in range({len(indices)})], s = Subset(samples, {indices})"
        got = lambda x=indices: listed(tt.Subset(LETTERS, x), len(x))  # noqa: E731
        yield f"samples = {LETTERS!r}; {call}", got, [LETTERS[k] for k in indices]
    odd = [None, 0, [], -1, (), {"x": 1}]
    got = lambda: listed(tt.Subset(odd, [5, 4, 3, 2, 1, 0]), 6)  # noqa: E731
    yield f"s[0] to s[5], s = Subset({odd}, [5, 4, 3, 2, 1, 0])", got, odd[::-1]
    numbers = draw.permutation(50).tolist()
    outer, inner = draw.integers(0, 50, 8).tolist(), draw.permutation(8)[:5].tolist()
    got = lambda: listed(tt.Subset(tt.Subset(numbers, outer), inner), 5)  # noqa: E731
    call = f"s[0] to s[4], s = Subset(Subset({numbers}, {outer}), {inner})"
    yield call, got, [numbers[outer[k]] for k in inner]
    plain, place = "a sample without a Generator", int(draw.integers(10))
    got = lambda: listed(tt.Subset(Drawing(), [place, 1]), 2)  # noqa: E731
    call = f"s[0], s[1], s = Subset(samples, [{place}, 1]), samples[i] is {plain!r} and"
    yield f"{call} samples.sample_with(i, rng) is (i, rng)", got, [plain] * 2


@law(3, "reads no sample", look="who asks the dataset, how often? Is a sample kept?")
def test_a_sample_is_read_when_it_is_asked_for(tt, draw):
    drawn = draw.integers(0, 10, 6).tolist()
    for indices in ([4, 1, 4], [3], drawn):
        log, size = ReadLog(LETTERS), len(indices)
        subset, call = tt.Subset(log, indices), f"s = Subset(samples, {indices})"
        got = len(subset), log.reads
        yield f"{call}; len(s), and the samples that were read", got, (size, [])
        for times, again in ((1, ""), (2, ", then all once more")):
            text = f"{call}; s[0] to s[{size - 1}]{again}"
            got = [subset[i] for i in range(size)]
            yield f"{text}: what came", got, [LETTERS[k] for k in indices]
            yield f"{text}: the samples that were read", log.reads, indices * times


@law(
    4,
    "Index i out of range",
    look="check i before you use it: is len wrong? is -1? Whose size is in the"
    " message?",
)
def test_an_index_outside_is_refused(tt, draw):
    n = int(draw.integers(11, 40))
    for indices in ([4, 1], [3], [], draw.integers(0, 10, n).tolist()):
        size, call = len(indices), f"Subset({LETTERS!r}, {indices})"
        subset = tt.Subset(LETTERS, indices)
        for i in (size, -1, size + 1, size + 9, -size, -size - 1):
            says = f"Index {i} out of range for dataset of size {size}"
            got = lambda s=subset, i=i: s[i]  # noqa: E731
            yield Case(f"{call}[{i}]", got, says, raises=IndexError)
        if indices:
            last = LETTERS[indices[-1]]
            yield f"{call}[{size - 1}]", lambda s=subset, i=size - 1: s[i], last


class Broken:
    """Numbers 0, 10, 20, ..., of which one raises; it notes what it is asked."""

    def __init__(self, place, error):
        self.place, self.error, self.asked = place, error, []

    def __len__(self):
        return 10**6

    def __getitem__(self, index):
        self.asked.append(int(index))
        if index == self.place:
            raise self.error
        return 10 * int(index)


@law(5, "reaches the caller unchanged", look="no `try`: the error goes on its way")
def test_an_error_of_the_dataset_passes_through(tt, draw):
    good, bad = draw.choice(10**6, 2, replace=False).tolist()
    for error in ERRORS:
        dataset = Broken(bad, error)
        subset = tt.Subset(dataset, [good, bad, 1])
        call = f"s = Subset(samples, {[good, bad, 1]}), sample {bad} raises"
        call = f"{call} {shown(error)}; s["
        yield f"{call}0]", lambda s=subset: s[0], 10 * good
        got = (raised_by(lambda s=subset: s[1]), dataset.asked[1:])
        want = (shown(error), [bad])
        yield f"{call}1]: the error, and the samples asked for", got, want
