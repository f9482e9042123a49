# What a student believed: Calling fit for every batch adds the batch to the statistics.
# caught by: test_normalizer_fit_batches
# reads: The mean is that of all data, although the last batch is shorter.
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        for batch in loader:
            self.fit(images_of(batch))
        if self.mean is None:
            raise ValueError("fit_batches needs at least one batch, got none")
        return self
