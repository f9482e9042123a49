# A helper method where two places need the same thing; the memo as a guard clause; the slice by
# ranges.
class SliceBatchLoader:
    def __init__(self, loader, start, length):
        self.loader, self.span = loader, range(start, start + length)
        if start < 0 or length < 0 or self.span.stop > len(loader):
            raise ValueError(
                "slice of length {} at {} leaves the loader's {}".format(length, start, len(loader))
            )

    def __len__(self) -> int:
        return len(self.span)

    def get_batch(self, start, end):
        check_range(start, end, len(self.span))
        return self.loader.get_batch(start + self.span.start, end + self.span.start)


class CIFAR10BatchLoader:
    def part(self, file, first, last):
        records = self.load_file(file)  # gone when this returns
        return records["data"][first:last].copy(), records["labels"][first:last].copy()

    def get_batch(self, start, end):
        check_range(start, end, len(self))
        parts = [self.part(*piece) for piece in file_ranges(start, end, self.file_length)]
        if not parts:
            return Batch(np.zeros((0, IMAGE_SIZE), np.uint8), np.zeros(0, np.int64))
        return Batch(
            np.concatenate([data for data, _ in parts]),
            np.concatenate([labels for _, labels in parts]),
        )


def memo_key(function, args=(), kwargs=None):
    call = signature(function).bind(*args, **dict(kwargs or {}))
    call.apply_defaults()
    whole = hashlib.sha256()
    for part in (code_bytes(function), stable_bytes(sorted(call.arguments.items()))):
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()


def recall(store, key, compute):
    with store.lock(key):
        if (kept := store.read(key)) is not MISS:
            return kept
        fresh = compute()
        store.write(key, fresh)
        return fresh


class BatchLoaderDataset:
    def inside(self, index):
        if index < 0 or index >= len(self.loader):
            raise IndexError(
                "Index %d out of range for dataset of size %d" % (index, len(self.loader))
            )
        return int(index)

    def __getitem__(self, index):
        batch = self.loader.get_batch(self.inside(index), index + 1)
        sides = ((batch.inputs, "input"), (batch.outputs, "output"))
        return tuple(
            as_sample({name: np.array(array[0]) for name, array in arrays.items()}, default)
            for arrays, default in sides
        )

    def __getitems__(self, indices):
        asked = [self.inside(index) for index in indices]
        wanted = sorted(set(asked))
        where = {index: place for place, index in enumerate(wanted)}
        runs = index_runs(wanted)
        batches = (
            [self.loader.get_batch(*run) for run in runs] if runs else [self.loader.get_batch(0, 0)]
        )
        return assemble(batches, [where[index] for index in asked])


def count_file_loads(order, file_length, batch_size=1, cache_size=1):
    loaded = []
    cache = FileCache(loaded.append, cache_size)
    for start in range(0, len(order), batch_size):
        for file in sorted(
            {int(record) // file_length for record in order[start : start + batch_size]}
        ):
            cache.get(file)
    return len(loaded)
