# Verbose: counters, while loops and one step a line, as in C.
def check_range(start: int, end: int, length: int) -> None:
    ok = True
    if start < 0:
        ok = False
    if end < start:
        ok = False
    if end > length:
        ok = False
    if ok:
        return None
    message = "range %d:%d is outside 0:%d; 0 <= start <= end <= %d must hold"
    raise IndexError(message % (start, end, length, length))


class ArrayBatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        for array in self._maps:
            rows(array, np.empty(0, np.int64))
        check_range(start, end, self.length)
        inputs = {}
        outputs = {}
        for name in self.inputs:
            array = self.inputs[name]
            inputs[name] = array[start:end]
        for name in self.outputs:
            array = self.outputs[name]
            outputs[name] = array[start:end]
        batch = Batch(inputs, outputs)
        return batch


class SliceBatchLoader:
    def __init__(self, loader, start: int, length: int):
        available = len(loader)
        wrong = False
        if start < 0:
            wrong = True
        if length < 0:
            wrong = True
        if start + length > available:
            wrong = True
        if wrong:
            message = (
                "a slice of length %d from record %d on does not fit into a loader of %d records"
            )
            raise ValueError(message % (length, start, available))
        self.loader = loader
        self.start = start
        self.length = length

    def __len__(self) -> int:
        return self.length

    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, self.length)
        first = self.start + start
        last = self.start + end
        batch = self.loader.get_batch(first, last)
        return batch


def file_ranges(start: int, end: int, file_length: int) -> list[tuple[int, int, int]]:
    pieces = []
    file = start // file_length
    first = start - file * file_length
    left = end - start
    while left > 0:
        count = file_length - first
        if count > left:
            count = left
        pieces.append((file, first, first + count))
        left = left - count
        file = file + 1
        first = 0
    return pieces


class FileCache:
    def _find(self, key: Hashable) -> Any:
        if key in self._held:
            value = self._held[key]
            del self._held[key]
            self._held[key] = value  # a key that is put in anew is the newest
            self.hits = self.hits + 1
            return value
        while len(self._held) > self.slots - 1:
            for oldest in self._held:
                break
            del self._held[oldest]
        value = self.load(key)
        self.loads = self.loads + 1
        self._held[key] = value
        return value


class CIFAR10BatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, len(self))
        count = end - start
        images = np.zeros((count, IMAGE_SIZE), dtype=np.uint8)
        labels = np.zeros((count,), dtype=np.int64)

        def copy_piece(place, file, first, last):
            # all names of the file end with this function
            records = self.load_file(file)
            data = records["data"]
            numbers = records["labels"]
            k = first
            while k < last:
                images[place] = data[k]
                labels[place] = numbers[k]
                k = k + 1
                place = place + 1

        place = 0
        for file, first, last in file_ranges(start, end, self.file_length):
            copy_piece(place, file, first, last)
            place = place + (last - first)
        return Batch({"input": images}, {"output": labels})


def index_runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    runs = []
    n = len(indices)
    i = 0
    while i < n:
        start = int(indices[i])
        end = start + 1
        i = i + 1
        while i < n and int(indices[i]) == end:
            end = end + 1
            i = i + 1
        runs.append((start, end))
    return runs


def count_file_loads(
    order: Sequence[int], file_length: int, batch_size: int = 1, cache_size: int = 1
) -> int:
    cache = FileCache(int, cache_size)
    n = len(order)
    i = 0
    while i < n:
        stop = i + batch_size
        if stop > n:
            stop = n
        files = []
        while i < stop:
            file = int(order[i]) // file_length
            if file not in files:
                files.append(file)
            i = i + 1
        files.sort()
        for file in files:
            cache.get(file)
    return cache.loads


def hit_rate(loads: int, num_records: int) -> float:
    if num_records == 0:
        raise ValueError("there are no records, so there is no rate")
    hits = num_records - loads
    rate = hits / num_records
    return rate
