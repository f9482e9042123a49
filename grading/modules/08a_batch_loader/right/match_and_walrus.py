# match statements, walrus and conditional expressions wherever they fit.
class Batch:
    def __init__(self, inputs, outputs):
        match inputs:
            case {**named}:
                self.inputs = {name: np.asarray(named[name]) for name in named}
            case bare:
                self.inputs = {"input": np.asarray(bare)}
        match outputs:
            case {**named}:
                self.outputs = {name: np.asarray(named[name]) for name in named}
            case bare:
                self.outputs = {"output": np.asarray(bare)}
        sizes = {
            (label := f"{side}[{name!r}]"): first_dimension(label, array)
            for side, arrays in (("inputs", self.inputs), ("outputs", self.outputs))
            for name, array in arrays.items()
        }
        match sorted(set(sizes.values())):
            case [_]:
                return
            case []:
                raise ValueError("no array at all: a Batch needs at least one")
        got = ", ".join(f"{label} {size}" for label, size in sizes.items())
        raise ValueError(f"all arrays of a Batch need the same first dimension, got {got}")

    def __len__(self) -> int:
        for array in (self.inputs or self.outputs).values():
            return len(array)


def check_range(start: int, end: int, length: int) -> None:
    match (start >= 0, end >= start, length >= end):
        case (True, True, True):
            return
        case _:
            raise IndexError(
                f"range {start}:{end} is outside 0:{length}; 0 <= start <= end <="
                f" {length} must hold"
            )


class ArrayBatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        for array in self._maps:
            rows(array, np.empty(0, np.int64))
        check_range(start, end, self.length)
        sides = self.inputs, self.outputs
        return Batch(*({name: array[start:end] for name, array in side.items()} for side in sides))


class SliceBatchLoader:
    def __init__(self, loader, start: int, length: int):
        if min(start, length, (room := len(loader)) - start - length) < 0:
            raise ValueError(
                f"{length} records from record {start} on do not fit into a loader of"
                f" {room} records"
            )
        self.behind, self.offset, self.size = loader, start, length

    def __len__(self) -> int:
        return self.size

    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, self.size)
        return self.behind.get_batch(*(border + self.offset for border in (start, end)))


class FileCache:
    def _find(self, key: Hashable) -> Any:
        if (value := self._held.pop(key, nothing := object())) is nothing:
            while len(self._held) >= self.slots:
                self._held.popitem(last=False)
            value = self.load(key)
            self.loads += 1
        else:
            self.hits += 1
        self._held[key] = value
        return value


def recall(store: MemoStore, key: str, compute: Callable[[], Any]) -> Any:
    with store.lock(key):
        if (value := store.read(key)) is MISS:
            store.write(key, value := compute())
        return value


def make_data_loaders(
    experiment_config, hparams: Mapping[str, Any] | None = None
) -> tuple[BatchLoader, BatchLoader]:
    from tinytorch.data.experiment import read_experiment, require, trial_values

    config = read_experiment(experiment_config)
    folder = Path(require(config, "data.path", str)).expanduser()
    file_length = require(config, "data.file_length", int, default=10000)
    test_file_length = require(config, "data.test_file_length", int, default=file_length)
    cache_size = require(config, "data.cache_size", int, default=1)
    hparams = trial_values(config, hparams)
    training_records = require(hparams, "training_records", int, default=None)
    for key, value in {
        "data.file_length": file_length,
        "data.test_file_length": test_file_length,
        "data.cache_size": cache_size,
    }.items():
        if value < 1:
            raise ValueError(f"{key} must be 1 or more, got {value}")
    match sorted(folder.glob("data_batch_*")):
        case []:
            raise FileNotFoundError(f"data.path: no file data_batch_* in {folder}")
        case files:
            training = CIFAR10BatchLoader(files, file_length, cache_size=cache_size)
    validation = CIFAR10BatchLoader(
        [folder / "test_batch"], test_file_length, cache_size=cache_size
    )
    there = len(training)
    match training_records:
        case None:
            return training, validation
        case n if 0 <= n <= there:
            return SliceBatchLoader(training, 0, n), validation
        case n:
            raise ValueError(f"training_records must be 0 to {there}, got {n}")


class BatchLoaderDataset:
    def __getitem__(self, index: int) -> tuple:
        if (n := len(self)) <= index or index < 0:
            raise IndexError(f"Index {index} out of range for dataset of size {n}")
        batch = self.loader.get_batch(index, index + 1)
        return tuple(
            as_sample({name: array[0].copy() for name, array in side.items()}, default)
            for side, default in ((batch.inputs, "input"), (batch.outputs, "output"))
        )

    def __getitems__(self, indices: Sequence[int]) -> tuple:
        asked = [int(index) for index in indices]
        match [index for index in asked if not 0 <= index < len(self)]:
            case [bad, *_]:
                raise IndexError(f"Index {bad} out of range for dataset of size {len(self)}")
        place = {index: k for k, index in enumerate(sorted({*asked}))}
        runs = index_runs(list(place)) or [(0, 0)]
        batches = [self.loader.get_batch(start, end) for start, end in runs]
        return assemble(batches, [place[index] for index in asked])


def hit_rate(loads: int, num_records: int) -> float:
    match num_records:
        case 0:
            raise ValueError("no records, no hit rate")
        case n:
            return 1.0 - loads / n
