# What a student believed: Every loader gives pairs (images, labels).
# caught by: test_normalizer_fit_batches
# reads: A batch is the images alone, or a tuple (images, labels).
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
