# Functional: itertools and functools instead of loops with counters.
class Batch:
    def __init__(self, inputs, outputs):
        from itertools import chain, starmap

        def side(arrays, name):
            pairs = arrays.items() if isinstance(arrays, Mapping) else [(name, arrays)]
            return {name: np.asarray(array) for name, array in pairs}

        def labeled(title, arrays):
            return ((f"{title}[{name!r}]", array) for name, array in arrays.items())

        self.inputs, self.outputs = side(inputs, "input"), side(outputs, "output")
        everything = chain(labeled("inputs", self.inputs), labeled("outputs", self.outputs))
        sizes = list(starmap(lambda label, a: (label, first_dimension(label, a)), everything))
        match len({size for _, size in sizes}):
            case 0:
                raise ValueError("a Batch needs at least one array, got none at all")
            case 1:
                pass
            case _:
                raise ValueError(
                    "all arrays of a Batch need the same first dimension, got "
                    + ", ".join(starmap("{} {}".format, sizes))
                )

    def __len__(self) -> int:
        from itertools import chain

        return len(next(chain(self.inputs.values(), self.outputs.values())))


def file_ranges(start: int, end: int, file_length: int) -> list[tuple[int, int, int]]:
    from itertools import chain, pairwise

    # the borders between files that lie strictly inside the range
    borders = range((start // file_length + 1) * file_length, end, file_length)
    return [
        (left // file_length, left % file_length, left % file_length + right - left)
        for left, right in pairwise(chain([start], borders, [end]))
        if left < right
    ]


def memo_key(function: Callable, args: tuple = (), kwargs: Mapping[str, Any] | None = None) -> str:
    call = functools.partial(signature(function).bind, *args)
    bound = call(**(kwargs or {}))
    bound.apply_defaults()
    parts = stable_bytes((code_bytes(function), dict(bound.arguments)))
    return hashlib.sha256(parts).hexdigest()


def index_runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    from itertools import groupby

    # inside a run, index minus place is constant
    runs = groupby(enumerate(map(int, indices)), key=lambda pair: pair[1] - pair[0])
    return [(members[0][1], members[-1][1] + 1) for members in (list(group) for _, group in runs)]


def within_files_order(
    num_records: int, file_length: int, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    from itertools import chain

    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    files = (
        rng.permutation(np.arange(first, min(first + file_length, num_records)))
        for first in range(0, num_records, file_length)
    )
    return np.fromiter(chain.from_iterable(files), np.int64, count=num_records)


def count_file_loads(
    order: Sequence[int], file_length: int, batch_size: int = 1, cache_size: int = 1
) -> int:
    from itertools import chain, islice

    files = (int(record) // file_length for record in order)
    batches = iter(lambda: sorted(set(islice(files, batch_size))), [])
    cache = FileCache(lambda file: None, cache_size)
    for _ in map(cache.get, chain.from_iterable(batches)):
        pass
    return cache.loads


def cache_bytes(files: int, records_per_file: int, image_shape: Sequence[int]) -> float:
    import operator

    return functools.reduce(operator.mul, image_shape, files * records_per_file)


def load_seconds(records: int, files: int, slots: int, seconds_per_load: float) -> float:
    return (files - slots) * records * seconds_per_load / files


def sequential_hit_rate(file_length: int, batch_size: int) -> float:
    hits = sum(1 for _ in range(batch_size, file_length, batch_size))
    return hits / (hits + 1)
