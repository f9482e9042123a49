# %% mean_of_the_means: The mean of all data is the mean of the batches' means. (promise
# 1)
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        means, stds = [], []
        for batch in loader:
            x = images_of(batch)
            means.append(x.mean(axis=axes_but_channel(x.ndim)))
            stds.append(x.std(axis=axes_but_channel(x.ndim)))
        if not means:
            raise ValueError("fit_batches needs at least one batch, got none")
        self.mean, self.std = np.mean(means, axis=0), np.mean(stds, axis=0)
        return self


# %% variance_within_batches_only: The variance of all data is the weighted mean of the
# batches' variances. (promise 2)
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        count, total, squares = 0, 0.0, 0.0
        for batch in loader:
            x = images_of(batch)
            axes, new = axes_but_channel(x.ndim), x.size // x.shape[1]
            count += new
            total = total + x.sum(axis=axes)
            squares = squares + x.var(axis=axes) * new
        if count == 0:
            raise ValueError("fit_batches needs at least one batch, got none")
        self.mean, self.std = total / count, np.sqrt(squares / count)
        return self


# %% mean_of_squares: The variance is the mean of the squares less the square of the
# mean, also on a computer. (promise 3)
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        count, total, squares = 0, 0.0, 0.0
        for batch in loader:
            x = images_of(batch)
            axes = axes_but_channel(x.ndim)
            count += x.size // x.shape[1]
            total = total + x.sum(axis=axes)
            squares = squares + (x**2).sum(axis=axes)
        if count == 0:
            raise ValueError("fit_batches needs at least one batch, got none")
        self.mean = total / count
        self.std = np.sqrt(squares / count - self.mean**2)
        return self


# %% batches_are_pairs: Every loader gives pairs (images, labels). (promises 4, 8)
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        count, mean, squares = 0, 0.0, 0.0
        for images, _ in loader:
            x = as_array(images).astype(np.float64)
            axes, new = axes_but_channel(x.ndim), x.size // x.shape[1]
            shift, total = x.mean(axis=axes) - mean, count + new
            mean = mean + shift * new / total
            squares = squares + x.var(axis=axes) * new + shift**2 * count * new / total
            count = total
        if not count:
            raise ValueError("fit_batches needs at least one batch, got none")
        self.mean, self.std = mean, np.sqrt(squares / count)
        return self


# %% two_passes: The deviations need the mean, so the mean has to be known before they
# can be added up. (promise 5)
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        count, total = 0, 0.0
        for batch in loader:
            x = images_of(batch)
            total, count = (
                total + x.sum(axis=axes_but_channel(x.ndim)),
                count + x.size // x.shape[1],
            )
        if count == 0:
            raise ValueError("fit_batches needs at least one batch, got none")
        self.mean, squares = total / count, 0.0
        for batch in loader:
            x = images_of(batch)
            mean = self.mean.reshape([-1 if axis == 1 else 1 for axis in range(x.ndim)])
            squares = squares + ((x - mean) ** 2).sum(axis=axes_but_channel(x.ndim))
        self.std = np.sqrt(squares / count)
        return self


# %% a_list_of_all_batches: The numbers of all data need all data: collect them, then
# fit. (promise 6)
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        parts = [images_of(batch) for batch in loader]
        if not parts:
            raise ValueError("fit_batches needs at least one batch, got none")
        return self.fit(np.concatenate(parts))


# %% goes_on_where_it_stopped: The Normalizer collects statistics as long as it lives.
# (promise 7)
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        count, mean, squares = getattr(self, "_state", (0, 0.0, 0.0))
        for batch in loader:
            x = images_of(batch)
            axes, new = axes_but_channel(x.ndim), x.size // x.shape[1]
            shift, total = x.mean(axis=axes) - mean, count + new
            mean = mean + shift * new / total
            squares = squares + x.var(axis=axes) * new + shift**2 * count * new / total
            count = total
        if not count:
            raise ValueError("fit_batches needs at least one batch, got none")
        self._state = count, mean, squares
        self.mean, self.std = mean, np.sqrt(squares / count)
        return self
