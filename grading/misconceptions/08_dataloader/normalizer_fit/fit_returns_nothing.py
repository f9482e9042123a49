# What a student believed: fit has done its work when the attributes are set.
# caught by: test_normalizer_fit
# reads: fit returns the Normalizer itself.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        axes = axes_but_channel(x.ndim)
        self.mean = x.mean(axis=axes, dtype=np.float64)
        self.std = x.std(axis=axes, dtype=np.float64)
