# Style: as in C: counters, while, swaps, results allocated first.


def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples must not be negative, got {num_samples}")
    order = np.zeros(num_samples, dtype=np.int64)
    i = 0
    while i < num_samples:
        order[i] = i
        i += 1
    if not shuffle or num_samples == 0:
        return order
    if seed is None:
        rng = np.random.default_rng()
    else:
        rng = np.random.default_rng(np.random.SeedSequence(int(seed), spawn_key=(int(epoch),)))
    # Fisher and Yates: place i swaps with one of the places 0..i
    partners = rng.integers(0, np.arange(1, num_samples + 1))
    i = num_samples - 1
    while i > 0:
        j = int(partners[i])
        keep = int(order[i])
        order[i] = order[j]
        order[j] = keep
        i -= 1
    return order


def stack_samples(values: Sequence) -> Tensor:
    count = len(values)
    if count == 0:
        raise ValueError("there are no values to stack")
    arrays = []
    for value in values:
        if isinstance(value, Tensor):
            arrays.append(value.data)
        else:
            arrays.append(np.asarray(value))
    complaint = ""
    position = 1
    while position < count:
        if arrays[position].shape != arrays[0].shape:
            complaint += f"; position {position} has shape {arrays[position].shape}"
        position += 1
    if complaint != "":
        raise ValueError(f"the values differ: position 0 has shape {arrays[0].shape}{complaint}")
    dtype = arrays[0].dtype
    for position in range(1, count):
        dtype = np.promote_types(dtype, arrays[position].dtype)
    batch = np.empty((count, *arrays[0].shape), dtype=dtype)
    for position in range(count):
        batch[position] = arrays[position]
    return Tensor(batch)


def to_images(rows: np.ndarray) -> np.ndarray:
    images = np.empty((rows.shape[0], 3, 32, 32), dtype=np.uint8)
    for c in range(3):
        for y in range(32):
            start = 1024 * c + 32 * y
            images[:, c, y, :] = rows[:, start : start + 32]
    return images


class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        channels = x.shape[1]
        mean = np.zeros(channels, dtype=np.float64)
        std = np.zeros(channels, dtype=np.float64)
        for c in range(channels):
            values = x[:, c].astype(np.float64)
            mean[c] = values.sum() / values.size
            deviations = values - mean[c]
            std[c] = (np.sum(deviations * deviations) / values.size) ** 0.5
        self.mean = mean
        self.std = std
        return self

    def transform(self, data):
        x = as_array(data)
        if self.mean is None or self.std is None:
            raise RuntimeError("this Normalizer has no statistics yet: call fit first")
        if x.ndim == 1 or x.ndim == 3:
            channel_axis = 0
        else:
            channel_axis = 1
        result = np.empty(x.shape, dtype=np.float32)
        for c in range(x.shape[channel_axis]):
            if channel_axis == 0:
                result[c] = (x[c] - self.mean[c]) / (self.std[c] + self.eps)
            else:
                result[:, c] = (x[:, c] - self.mean[c]) / (self.std[c] + self.eps)
        return like(data, result)

    def fit_batches(self, loader: Iterable) -> "Normalizer":
        n = 0
        mean = None
        squares = None
        for batch in loader:
            x = images_of(batch)
            channels = x.shape[1]
            n_b = x.size // channels
            if n_b == 0:
                continue
            if mean is None:
                mean = np.zeros(channels, dtype=np.float64)
                squares = np.zeros(channels, dtype=np.float64)
            n_new = n + n_b
            for c in range(channels):
                values = x[:, c]
                m_b = float(values.sum()) / n_b
                s_b = float(np.sum((values - m_b) * (values - m_b)))
                d = m_b - float(mean[c])
                if n == 0:
                    mean[c] = m_b
                    squares[c] = s_b
                else:
                    mean[c] = mean[c] + d * n_b / n_new
                    squares[c] = squares[c] + s_b + d * d * n * n_b / n_new
            n = n_new
        if n == 0:
            raise ValueError("the loader gave no batch")
        self.mean = mean
        self.std = np.zeros(len(mean), dtype=np.float64)
        for c in range(len(mean)):
            self.std[c] = (squares[c] / n) ** 0.5
        return self


def measure_throughput(
    loader: Iterable,
    *,
    clock: Callable[[], float] = time.perf_counter,
    warmup: int = 1,
    repeats: int = 5,
) -> float:
    i = 0
    while i < warmup:
        for batch in loader:
            pass
        i += 1
    rates = []
    i = 0
    while i < repeats:
        samples = 0
        before = clock()
        for batch in loader:
            samples += batch_length(batch)
        after = clock()
        rates.append(samples / (after - before))
        i += 1
    # insertion sort
    for i in range(1, len(rates)):
        j = i
        while j > 0 and rates[j - 1] > rates[j]:
            rates[j - 1], rates[j] = rates[j], rates[j - 1]
            j -= 1
    middle = len(rates) // 2
    if len(rates) % 2 == 1:
        return rates[middle]
    return (rates[middle - 1] + rates[middle]) / 2


def measure_memory(loader: Iterable) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        for batch in loader:
            pass
        highest = tracemalloc.get_traced_memory()[1]
        return highest - before
    finally:
        if not was_tracing:
            tracemalloc.stop()


class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        channels, image_height, image_width = x.shape
        padded_height = image_height + 2 * self.padding
        padded_width = image_width + 2 * self.padding
        if height > padded_height or width > padded_width:
            raise ValueError(
                f"a crop of {(height, width)} does not fit into the padded image of"
                f" {(padded_height, padded_width)}"
            )
        top = int(rng.random() * (padded_height - height + 1))
        left = int(rng.random() * (padded_width - width + 1))
        result = np.zeros((channels, height, width), dtype=x.dtype)
        for row in range(height):
            from_row = top + row - self.padding
            if from_row < 0 or from_row >= image_height:
                continue
            # columns begin to end - 1 of the result lie on the image
            begin = max(0, self.padding - left)
            end = min(width, image_width + self.padding - left)
            shift = left - self.padding
            for channel in range(channels):
                if begin < end:
                    result[channel, row, begin:end] = x[
                        channel, from_row, begin + shift : end + shift
                    ]
        return like(image, result)
