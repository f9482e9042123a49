# A beginner's way: one thing a line, no comprehension, every case spelled out.
class Dataset:
    @abstractmethod
    def __len__(self) -> int:
        name = type(self).__name__
        raise NotImplementedError("Class " + name + " has no method __len__, please write one")

    @abstractmethod
    def __getitem__(self, index: int):
        name = type(self).__name__
        raise NotImplementedError("Class " + name + " has no method __getitem__, please write one")


class Subset:
    def __len__(self) -> int:
        count = 0
        for _ in self.indices:
            count = count + 1
        return count

    def __getitem__(self, index: int):
        size = len(self)
        if index < 0:
            raise IndexError(
                "Index " + str(index) + " out of range for dataset of size " + str(size)
            )
        if index >= size:
            raise IndexError(
                "Index " + str(index) + " out of range for dataset of size " + str(size)
            )
        place = self.indices[index]
        sample = self.dataset[place]
        return sample


class DataLoader:
    def __len__(self) -> int:
        number_of_samples = len(self.dataset)
        number_of_batches = 0
        while number_of_samples >= self.batch_size:
            number_of_batches = number_of_batches + 1
            number_of_samples = number_of_samples - self.batch_size
        if number_of_samples > 0:
            if not self.drop_last:
                number_of_batches = number_of_batches + 1
        return number_of_batches

    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        number_of_samples = len(self.dataset)
        order = epoch_order(number_of_samples, self.shuffle, self.seed, epoch)
        position = 0
        while position < number_of_samples:
            end = position + self.batch_size
            if end > number_of_samples:
                if self.drop_last:
                    break
                end = number_of_samples
            indices = order[position:end]
            batch = self._load(indices, key)
            yield batch
            position = end


def stack_samples(values: Sequence) -> Tensor:
    if len(values) == 0:
        raise ValueError("There are no samples to stack")
    arrays = []
    for value in values:
        if isinstance(value, Tensor):
            array = value.data
        else:
            array = np.asarray(value)
        arrays.append(array)
    first_shape = arrays[0].shape
    message = ""
    for position in range(len(arrays)):
        if arrays[position].shape != first_shape:
            message = (
                message + " position " + str(position) + " has shape " + str(arrays[position].shape)
            )
    if message != "":
        raise ValueError("position 0 has shape " + str(first_shape) + " but" + message)
    batch = np.zeros((len(arrays),) + first_shape, dtype=np.result_type(*arrays))
    for position in range(len(arrays)):
        batch[position] = arrays[position]
    return Tensor(batch)


def collate(samples: Sequence):
    if len(samples) == 0:
        return stack_samples(samples)
    first = samples[0]
    for kind in (dict, tuple, list):
        for sample in samples:
            if isinstance(sample, kind) != isinstance(first, kind):
                raise ValueError("One sample is a " + kind.__name__ + ", another is not")
    if isinstance(first, dict):
        for sample in samples:
            if sample.keys() != first.keys():
                raise ValueError(
                    "One sample has the keys "
                    + str(list(first))
                    + ", another has "
                    + str(list(sample))
                )
        result = {}
        for key in first:
            column = []
            for sample in samples:
                column.append(sample[key])
            result[key] = collate(column)
        return result
    if isinstance(first, tuple) or isinstance(first, list):
        for sample in samples:
            if len(sample) != len(first):
                raise ValueError(
                    "One sample has " + str(len(first)) + " parts, another has " + str(len(sample))
                )
        columns = []
        for part in range(len(first)):
            column = []
            for sample in samples:
                column.append(sample[part])
            columns.append(collate(column))
        if hasattr(first, "_fields"):
            return type(first)(*columns)
        if isinstance(first, tuple):
            return tuple(columns)
        return columns
    return stack_samples(samples)


class RandomHorizontalFlip:
    def __init__(self, p: float = 0.5, seed: int | None = None):
        if p < 0:
            raise ValueError("p must not be below 0, got " + str(p))
        if p > 1:
            raise ValueError("p must not be above 1, got " + str(p))
        self.p = p
        self.rng = np.random.default_rng(seed)

    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        number = rng.random()
        result = x.copy()
        if number < self.p:
            channels, height, width = x.shape
            for column in range(width):
                result[:, :, column] = x[:, :, width - 1 - column]
        return like(image, result)


def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    for i in range(warmup):
        for batch in loader:
            pass
    results = []
    for i in range(repeats):
        number_of_samples = 0
        time_before = clock()
        for batch in loader:
            number_of_samples = number_of_samples + batch_length(batch)
        time_after = clock()
        results.append(number_of_samples / (time_after - time_before))
    results.sort()
    middle = len(results) // 2
    if len(results) % 2 == 1:
        return results[middle]
    return (results[middle - 1] + results[middle]) / 2
