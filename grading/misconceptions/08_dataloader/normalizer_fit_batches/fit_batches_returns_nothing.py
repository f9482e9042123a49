# What a student believed: A method that sets attributes returns nothing.
# caught by: test_normalizer_fit_batches
# reads: fit_batches returns the Normalizer itself.
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        count, mean, squares = 0, 0.0, 0.0
        for batch in loader:
            x = images_of(batch)
            axes, new = axes_but_channel(x.ndim), x.size // x.shape[1]
            shift, total = x.mean(axis=axes) - mean, count + new
            mean = mean + shift * new / total
            squares = squares + x.var(axis=axes) * new + shift**2 * count * new / total
            count = total
        if not count:
            raise ValueError("fit_batches needs at least one batch, got none")
        self.mean, self.std = mean, np.sqrt(squares / count)
