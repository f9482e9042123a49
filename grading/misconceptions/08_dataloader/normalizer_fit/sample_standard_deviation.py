# What a student believed: A standard deviation of data divides by N - 1, as in statistics class.
# caught by: test_normalizer_fit
# reads: The standard deviation divides by N, not by N - 1.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        axes = axes_but_channel(x.ndim)
        self.mean, self.std = (
            x.mean(axis=axes, dtype=np.float64),
            x.std(axis=axes, dtype=np.float64, ddof=1),
        )
        return self
