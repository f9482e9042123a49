# What a student believed: The mean of many images is an image: the mean over axis 0.
# caught by: test_normalizer_fit
# reads: Images (N, C, H, W) have one mean per channel.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        self.mean, self.std = x.mean(axis=0, dtype=np.float64), x.std(axis=0, dtype=np.float64)
        return self
