# What a student believed: The variance of all data is the weighted mean of the batches' variances.
# caught by: test_normalizer_fit_batches
# reads: The std is that of all data, whatever the sizes of the batches.
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
