# What a student believed: A float64 result is made from a float32 mean by astype.
# caught by: test_normalizer_fit
# reads: Both are computed in float64, even for bytes and for float32 data.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        axes = axes_but_channel(x.ndim)
        self.mean = x.mean(axis=axes).astype(np.float64)
        self.std = x.std(axis=axes).astype(np.float64)
        return self
