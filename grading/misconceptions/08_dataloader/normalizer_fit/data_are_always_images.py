# What a student believed: Data have four dimensions, so the axes are always (0, 2, 3).
# caught by: test_normalizer_fit
# reads: A table (N, D) has one mean and one std per column.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        self.mean = x.mean(axis=(0, 2, 3), dtype=np.float64)
        self.std = x.std(axis=(0, 2, 3), dtype=np.float64)
        return self
