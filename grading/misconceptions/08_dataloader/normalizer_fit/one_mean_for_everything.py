# What a student believed: Red, green and blue are all brightness, so one mean serves them all.
# caught by: test_normalizer_fit
# reads: There is one mean and one std per channel: over all axes but axis 1.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        self.mean, self.std = np.mean(x, dtype=np.float64), np.std(x, dtype=np.float64)
        return self
