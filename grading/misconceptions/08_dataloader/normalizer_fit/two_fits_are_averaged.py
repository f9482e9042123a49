# What a student believed: A second fit adds to what the first one knows.
# caught by: test_normalizer_fit
# reads: A new fit replaces the mean and the std of the fit before.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data).astype(np.float64)
        axes = axes_but_channel(x.ndim)
        mean, std = x.mean(axis=axes), x.std(axis=axes)
        if self.mean is not None and self.mean.shape == mean.shape:
            mean, std = (self.mean + mean) / 2, (self.std + std) / 2
        self.mean, self.std = mean, std
        return self
