# Functional: itertools and functools instead of loops with counters.


def file_ranges(start: int, end: int, file_length: int) -> list[tuple[int, int, int]]:
    from itertools import chain, pairwise

    # the borders between files that lie strictly inside the range
    borders = range((start // file_length + 1) * file_length, end, file_length)
    return [
        (left // file_length, left % file_length, left % file_length + right - left)
        for left, right in pairwise(chain([start], borders, [end]))
        if left < right
    ]


def index_runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    from itertools import groupby

    # inside a run, index minus place is constant
    runs = groupby(enumerate(map(int, indices)), key=lambda pair: pair[1] - pair[0])
    return [(members[0][1], members[-1][1] + 1) for members in (list(group) for _, group in runs)]


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
