# What a student believed: The mean of many images is an image: the mean over axis 0.
# caught by: test_normalizer_fit
# reads: There is one mean and one std per channel: over all axes but axis 1.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        self.mean, self.std = x.mean(axis=0, dtype=np.float64), x.std(axis=0, dtype=np.float64)
        return self
