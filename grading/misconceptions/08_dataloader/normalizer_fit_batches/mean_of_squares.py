# What a student believed: The variance is the mean of the squares less the square of the mean, also
# on a computer.
# caught by: test_normalizer_fit_batches
# reads: Both agree with fit to 1e-6, even if the mean is far from 0.
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
