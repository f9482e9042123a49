# Numbers one at a time: Welford's update in place of sums, a shuffle by exchange, a plain counter
# in place of range.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data).astype(np.float64)
        columns = np.moveaxis(x, 1, -1).reshape(-1, x.shape[1])
        self.mean = columns.mean(axis=0)
        self.std = np.sqrt(((columns - self.mean) ** 2).mean(axis=0))
        return self

    def fit_batches(self, loader: Iterable) -> "Normalizer":
        count, mean, squares = 0, None, None
        for batch in loader:
            x = images_of(batch)
            rows = np.moveaxis(x, 1, -1).reshape(-1, x.shape[1])
            if mean is None:
                mean, squares = np.zeros(x.shape[1]), np.zeros(x.shape[1])
            for row in rows:  # Welford 1962
                count += 1
                before = row - mean
                mean += before / count
                squares += before * (row - mean)
        if mean is None:
            raise ValueError("fit_batches got no batch")
        self.mean, self.std = mean, (squares / count) ** 0.5
        return self


def epoch_order(
    num_samples: int, shuffle: bool, seed: int | None = None, epoch: int = 0
) -> np.ndarray:
    if num_samples < 0:
        raise ValueError(f"num_samples is {num_samples}, but must be at least 0")
    order = np.arange(num_samples, dtype=np.int64)
    if shuffle:
        draw = np.random.default_rng([seed, epoch] if seed is not None else None)
        for last in range(num_samples - 1, 0, -1):  # Fisher and Yates
            other = draw.integers(last + 1)
            order[last], order[other] = order[other], order[last]
    return order


class DataLoader:
    def __len__(self) -> int:
        n = len(self.dataset)
        if not self.drop_last:
            n += self.batch_size - 1
        return n // self.batch_size

    def _batches(self, epoch: int) -> Iterator:
        key = EpochKey.of(self.seed, epoch)
        order = epoch_order(len(self.dataset), self.shuffle, self.seed, epoch)
        waiting = []
        for index in order:
            waiting.append(index)
            if len(waiting) == self.batch_size:
                yield self._load(np.array(waiting), key)
                waiting = []
        if waiting and not self.drop_last:
            yield self._load(np.array(waiting), key)
