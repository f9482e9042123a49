# What a student believed: The mean of all data is the mean of the batches' means.
# caught by: test_normalizer_fit_batches
# reads: The mean is that of all data, although the last batch is shorter.
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        means, stds = [], []
        for batch in loader:
            x = images_of(batch)
            means.append(x.mean(axis=axes_but_channel(x.ndim)))
            stds.append(x.std(axis=axes_but_channel(x.ndim)))
        if not means:
            raise ValueError("fit_batches needs at least one batch, got none")
        self.mean, self.std = np.mean(means, axis=0), np.mean(stds, axis=0)
        return self
