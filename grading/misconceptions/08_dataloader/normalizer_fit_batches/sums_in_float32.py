# What a student believed: Adding x and x^2 up in float32, the dtype of the images, is exact enough.
# caught by: test_normalizer_fit_batches
# reads: Both agree with fit to 1e-6, even if the mean is far from 0.
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        count, total, squares = 0, np.float32(0), np.float32(0)
        for batch in loader:
            x = images_of(batch).astype(np.float32)
            axes = axes_but_channel(x.ndim)
            count += x.size // x.shape[1]
            total = total + x.sum(axis=axes)
            squares = squares + (x * x).sum(axis=axes)
        if count == 0:
            raise ValueError("fit_batches needs at least one batch, got none")
        self.mean = total / np.float32(count)
        self.std = np.sqrt(squares / np.float32(count) - self.mean**2)
        return self
