# What a student believed: The deviations need the mean, so the mean has to be known before they can
# be added up.
# caught by: test_normalizer_fit_batches
# reads: The loader is run through once.
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
