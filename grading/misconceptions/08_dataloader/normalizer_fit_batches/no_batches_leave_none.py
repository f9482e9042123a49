# What a student believed: Without batches there is nothing to fit, and nothing to complain about.
# caught by: test_normalizer_fit_batches
# reads: A loader without batches raises ValueError.
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        count, mean, squares = 0, 0.0, 0.0
        for batch in loader:
            x = images_of(batch)
            axes, new = axes_but_channel(x.ndim), x.size // x.shape[1]
            shift, total = x.mean(axis=axes) - mean, count + new
            squares = squares + x.var(axis=axes) * new + shift**2 * count * new / total
            mean, count = mean + shift * new / total, total
        if count:
            self.mean, self.std = mean, np.sqrt(squares / count)
        return self
