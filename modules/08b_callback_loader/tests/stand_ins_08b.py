"""What several laws of this lab need."""


class Failing:
    """Code of somebody else: its `hook` counts its calls and raises `error`."""

    def __init__(self, error):
        self.error, self.calls = error, 0

    def hook(self, *_):
        self.calls += 1
        raise self.error


# a probe of `inside`; what it returns is used by the law
def with_parts(tt, parts):
    """A loader whose methods are replaced by other functions: {"do_item": f, ...}."""
    loader = tt.DataLoader("abcdef", bs=2)
    for name, part in parts.items():
        setattr(loader, name, part)
    return loader


# These two are probes of `inside`, for fa_collate and fa_convert.


def of_type(tt, function, kinds, contents):
    """The type and the parts of what a function makes of samples of types that cannot
    be sent; of the first one where it does not collate.
    """
    from collections import OrderedDict, UserList, defaultdict, namedtuple
    from types import MappingProxyType

    import numpy as np

    from tinytorch.core.tensor import Tensor

    class Sound(Tensor):
        """A kind of Tensor."""

    class Table(np.ndarray):
        """A kind of array."""

    point = namedtuple("Point", "x y")
    make = {
        "dict": dict,
        "OrderedDict": OrderedDict,
        "MappingProxyType": MappingProxyType,
        "defaultdict": lambda parts: defaultdict(list, parts),
        "Point": lambda parts: point(*parts),
        "UserList": UserList,
        "Sound": Sound,
        "Tensor": Tensor,
        "Table": lambda array: array.view(Table),
    }
    pairs = zip(kinds, contents, strict=True)
    samples = [make[kind](parts) for kind, parts in pairs]
    batch = getattr(tt, function)(samples)
    batch = batch if function == "fa_collate" else batch[0]
    name = kinds[0] if type(batch) is type(samples[0]) else type(batch).__name__
    if isinstance(batch, Tensor):
        return name, batch.data
    if hasattr(batch, "keys"):
        return name, {key: batch[key] for key in sorted(batch)}
    return name, list(batch)


def reading_fails(tt, function, kind, place, error, word):
    """What a function makes of a good sample; then what it raises for two samples, one
    of which cannot be read, and how often that one was read.
    """
    import builtins
    from collections.abc import Mapping, Sequence

    reads = []

    class Parts:
        """Has one part, which raises an error when it is read."""

        def __len__(self):
            return 1

        def __getitem__(self, index):
            reads.append(index)
            raise getattr(builtins, error)(f"{word} is damaged")

    class Row(Parts, Sequence):
        """A sequence of one part."""

    class Record(Parts, Mapping):
        """A mapping of one part."""

        def __iter__(self):
            return iter(["k"])

        def __contains__(self, key):  # without reading, unlike a Mapping's own
            return key == "k"

    good, bad = ((word,), Row()) if kind == "sequence" else ({"k": word}, Record())
    call = getattr(tt, function)
    batch = call([good])
    try:
        call([bad, good] if place == 0 else [good, bad])
    except Exception as problem:  # noqa: BLE001 - the law shows it
        return batch, (type(problem).__name__, *problem.args, len(reads))
    return batch, ("no error", len(reads))


def errors_of_samples(inside, function, draw, batches):
    """Cases: an error of a sample passes. `batches` makes of a word what comes of two
    good samples.
    """
    word = f"word {draw.integers(100, 10**6)}"
    good = ("sequence", f"({word!r},)"), ("mapping", f"{{'k': {word!r}}}")
    for (kind, sample), want in zip(good, batches(word), strict=True):
        for place in (0, 1):
            for error in (
                "OSError",
                "ValueError",
                "TypeError",
                "AttributeError",
                "KeyError",
            ):
                given = function, kind, place, error, word
                batch, came = inside(reading_fails, *given)
                yield f"{function}([{sample}])", batch, want
                samples = [sample]
                samples.insert(place, f"a {kind} that raises {error}")
                call = f"{function}([{', '.join(samples)}]): the error, how often read"
                yield call, came, (error, f"{word} is damaged", 1)
