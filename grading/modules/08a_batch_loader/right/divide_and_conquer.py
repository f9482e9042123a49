# Recursion that halves its problem (so it is never deep), generators, try/else.
def file_ranges(start: int, end: int, file_length: int) -> list[tuple[int, int, int]]:
    if start == end:
        return []
    low, high = start // file_length, (end - 1) // file_length
    if low == high:
        offset = low * file_length
        return [(low, start - offset, end - offset)]
    # a border between two files, strictly between start and end
    border = (low + high + 1) // 2 * file_length
    return [
        *file_ranges(start, border, file_length),
        *file_ranges(border, end, file_length),
    ]


class CIFAR10BatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, len(self))

        def cut(records, first, last):
            return tuple(records[key][first:last].copy() for key in ("data", "labels"))

        def copies():
            for file, first, last in file_ranges(start, end, self.file_length):
                yield cut(self.load_file(file), first, last)

        parts = [(np.empty((0, IMAGE_SIZE), np.uint8), np.empty(0, np.int64))]
        parts.extend(copies())
        images, labels = map(np.concatenate, zip(*parts))
        return Batch({"input": images}, {"output": labels})


def memo_key(function: Callable, args: tuple = (), kwargs: Mapping[str, Any] | None = None) -> str:
    bound = signature(function).bind(*args, **({} if kwargs is None else kwargs))
    bound.apply_defaults()
    digest = hashlib.sha256()

    def parts():
        yield code_bytes(function)
        for name in sorted(bound.arguments):
            yield name.encode()
            yield stable_bytes(bound.arguments[name])

    for part in parts():
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def recall(store: MemoStore, key: str, compute: Callable[[], Any]) -> Any:
    from contextlib import ExitStack

    with ExitStack() as until_written:
        until_written.enter_context(store.lock(key))
        kept = store.read(key)
        if kept is not MISS:
            return kept
        fresh = compute()
        store.write(key, fresh)
        return fresh


def index_runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    def runs(low, high):
        if high == low:
            return []
        first, last = int(indices[low]), int(indices[high - 1])
        if last - first == high - 1 - low:  # no gap: sorted and all different
            return [(first, last + 1)]
        middle = (low + high) // 2
        left, right = runs(low, middle), runs(middle, high)
        if left[-1][1] == right[0][0]:
            left[-1:] = [(left[-1][0], right[0][1])]
            right = right[1:]
        return left + right

    return runs(0, len(indices))


def count_file_loads(
    order: Sequence[int], file_length: int, batch_size: int = 1, cache_size: int = 1
) -> int:
    def requests():
        for first in range(0, len(order), batch_size):
            batch = order[first : first + batch_size]
            yield from sorted({int(record) // file_length for record in batch})

    cache = FileCache(str, cache_size)
    for file in requests():
        cache.get(file)
    return cache.loads
