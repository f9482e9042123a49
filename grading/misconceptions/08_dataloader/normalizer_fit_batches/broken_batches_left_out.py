# What a student believed: A loader that breaks off has given enough batches for the statistics.
# caught by: test_normalizer_fit_batches
# reads: An error from the loader reaches the caller unchanged, and the loader is not tried again.
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        count, mean, squares = 0, 0.0, 0.0
        batches = iter(loader)
        while True:
            try:
                x = images_of(next(batches))
            except Exception:  # the end, one way or the other
                break
            axes, new = axes_but_channel(x.ndim), x.size // x.shape[1]
            shift, total = x.mean(axis=axes) - mean, count + new
            mean = mean + shift * new / total
            squares = squares + x.var(axis=axes) * new + shift**2 * count * new / total
            count = total
        if not count:
            raise ValueError("fit_batches needs at least one batch, got none")
        self.mean, self.std = mean, np.sqrt(squares / count)
        return self
