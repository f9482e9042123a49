# What a student believed: The numbers of all data need all data: collect them, then fit.
# caught by: test_normalizer_fit_batches
# reads: No batch is kept: memory does not grow with their number.
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        parts = [images_of(batch) for batch in loader]
        if not parts:
            raise ValueError("fit_batches needs at least one batch, got none")
        return self.fit(np.concatenate(parts))
