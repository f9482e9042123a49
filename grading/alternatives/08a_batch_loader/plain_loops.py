# Lists and loops, dicts built step by step, no NumPy where Python will do.
class Batch:
    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = {}, {}
        sizes = []
        for mine, given, default in (
            (self.inputs, inputs, "input"),
            (self.outputs, outputs, "output"),
        ):
            if not isinstance(given, dict):
                given = {default: given}
            for name in given:
                mine[name] = np.asarray(given[name])
                if mine[name].shape == ():
                    raise ValueError(f"{default} {name} has no first dimension")
                sizes.append((name, mine[name].shape[0]))
        if len(sizes) == 0:
            raise ValueError("a batch of nothing")
        for name, size in sizes:
            if size != sizes[0][1]:
                raise ValueError(f"unequal first dimensions: {sizes}")

    def __len__(self) -> int:
        for arrays in (self.inputs, self.outputs):
            for array in arrays.values():
                return array.shape[0]


def check_range(start, end, length):
    if start < 0 or end > length:
        raise IndexError("{}:{} reaches outside of 0..{}".format(start, end, length))
    if start > end:
        raise IndexError("start {} is after end {} (length {})".format(start, end, length))


class ArrayBatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, len(self))
        inputs, outputs = {}, {}
        for name in self.inputs:
            inputs[name] = self.inputs[name][start:end]
        for name in self.outputs:
            outputs[name] = self.outputs[name][start:end]
        return Batch(inputs, outputs)


def file_ranges(start, end, file_length):
    found = []
    for file in range(start // file_length, (end - 1) // file_length + 1 if end > start else 0):
        first = max(start - file * file_length, 0)
        last = min(end - file * file_length, file_length)
        found.append((file, first, last))
    return found


class FileCache:
    def _find(self, key):
        try:
            value = self._held.pop(key)
        except KeyError:
            if len(self._held) == self.slots:
                del self._held[next(iter(self._held))]
            value = self.load(key)
            self.loads = self.loads + 1
        else:
            self.hits = self.hits + 1
        self._held[key] = value
        return value


def index_runs(indices):
    runs = []
    for index in [int(i) for i in indices]:
        if runs and runs[-1][1] == index:
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs


def within_files_order(num_records, file_length, seed=None, epoch=0):
    rng = np.random.default_rng(None if seed is None else [seed, epoch])
    order = []
    for first in range(0, num_records, file_length):
        order.extend(first + rng.permutation(min(file_length, num_records - first)))
    return np.array(order, dtype=np.int64)


def hit_rate(loads, num_records):
    if not num_records > 0:
        raise ValueError("no records")
    return (num_records - loads) / num_records
