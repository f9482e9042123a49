# What a student believed: "Fit once" means that a second fit does nothing.
# caught by: test_normalizer_fit
# reads: A new fit replaces the mean and the std of the fit before.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data).astype(np.float64)
        axes = axes_but_channel(x.ndim)
        if self.mean is None:
            self.mean, self.std = x.mean(axis=axes), x.std(axis=axes)
        return self
