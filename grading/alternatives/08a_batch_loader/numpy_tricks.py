# Whole arrays at a time: no Python loop where NumPy has a function.
def file_ranges(start: int, end: int, file_length: int) -> list[tuple[int, int, int]]:
    file = np.arange(start // file_length, -(-end // file_length), dtype=np.int64)
    first = np.maximum(start - file * file_length, 0)
    last = np.minimum(end - file * file_length, file_length)
    table = np.stack([file, first, last], axis=1)[first < last]
    return list(map(tuple, table.tolist()))


class CIFAR10BatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, len(self))
        images = np.empty((end - start, IMAGE_SIZE), np.uint8)
        labels = np.empty(end - start, np.int64)
        pieces = file_ranges(start, end, self.file_length)
        sizes = [last - first for _, first, last in pieces]
        cuts = np.cumsum(np.array(sizes[:-1], dtype=np.int64))

        def fill(room, numbers, piece):
            file, first, last = piece
            records = self.load_file(file)
            np.copyto(room, records["data"][first:last])
            np.copyto(numbers, records["labels"][first:last])

        if pieces:
            rooms = zip(np.split(images, cuts), np.split(labels, cuts), pieces)
            for room, numbers, piece in rooms:
                fill(room, numbers, piece)
        return Batch({"input": images}, {"output": labels})


def index_runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    line = np.asarray(indices, dtype=np.int64).reshape(-1)
    if line.size == 0:
        return []
    jump = np.diff(line) != 1
    starts = line[np.r_[True, jump]]
    ends = line[np.r_[jump, True]] + 1
    return list(zip(starts.tolist(), ends.tolist()))


class BatchLoaderDataset:
    def __getitem__(self, index: int) -> tuple:
        size = len(self.loader)
        if index < 0 or index >= size:
            raise IndexError(f"Index {index} out of range for dataset of size {size}")
        batch = self.loader.get_batch(index, index + 1)

        def record(arrays):
            return {name: np.take(array, 0, axis=0) for name, array in arrays.items()}

        return (
            as_sample(record(batch.inputs), "input"),
            as_sample(record(batch.outputs), "output"),
        )

    def __getitems__(self, indices: Sequence[int]) -> tuple:
        asked = np.array(indices, dtype=np.int64).reshape(-1)
        size = len(self.loader)
        outside = asked[(asked < 0) | (asked >= size)]
        if outside.size:
            raise IndexError(f"Index {outside[0]} out of range for dataset of size {size}")
        order = np.sort(asked)
        wanted = order[np.flatnonzero(np.diff(order, prepend=-1))]
        places = np.searchsorted(wanted, asked)
        ranges = index_runs(wanted) if wanted.size else [(0, 0)]
        return assemble([self.loader.get_batch(a, b) for a, b in ranges], places)


def within_files_order(
    num_records: int, file_length: int, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    record = np.arange(num_records, dtype=np.int64)
    # sorted by file first, by a random number second
    order = np.lexsort((rng.random(num_records), record // file_length))
    return order.astype(np.int64, copy=False)


def count_file_loads(
    order: Sequence[int], file_length: int, batch_size: int = 1, cache_size: int = 1
) -> int:
    files = np.asarray(order, dtype=np.int64).reshape(-1) // file_length
    batch = np.arange(files.size) // batch_size
    # one row for each file of each batch, sorted by batch, then by file
    asked = np.unique(np.stack([batch, files], axis=1), axis=0)[:, 1]
    cache = FileCache(int, cache_size)
    np.fromiter((cache.get(file) for file in asked.tolist()), np.int64)
    return cache.loads


def plot_hit_rate(records: Mapping[str, Sequence[tuple[int, float]]], ax=None):
    ax = new_axes(ax)
    for name in records:
        points = np.array(list(records[name]), dtype=float).reshape(-1, 2)
        sizes, percent = (points * [1, 100]).T
        ax.plot(sizes, percent, marker="o", label=name)
    ax.set(xlabel="cache size (files)", ylabel="hit rate (%)", ylim=(0, 100))
    ax.legend()
    return ax


def cache_bytes(files: int, records_per_file: int, image_shape: Sequence[int]) -> float:
    numbers = int(np.prod(np.asarray(image_shape, dtype=np.int64)))
    return files * records_per_file * numbers * np.dtype(np.uint8).itemsize
