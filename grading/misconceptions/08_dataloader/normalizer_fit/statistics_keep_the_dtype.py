# What a student believed: Everything keeps its dtype here, so the mean of bytes is a byte.
# caught by: test_normalizer_fit
# reads: The mean is over all pixels of all images of a channel.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        axes = axes_but_channel(x.ndim)
        self.mean, self.std = x.mean(axis=axes).astype(x.dtype), x.std(axis=axes).astype(x.dtype)
        return self
