# What the student believed: everything that gives batches has a len().
# breaks: "loader: Iterable" ("in *one pass* over batches"): a generator of batches, or
# iter(list), raises a TypeError; an empty one too, where a ValueError is promised.
class Normalizer:
    def fit_batches(self, loader: Iterable) -> "Normalizer":
        """Fit the same mean and std in one pass over batches; return self."""
        if len(loader) == 0:
            raise ValueError("the loader has no batches")
        n, mean, squares = 0, 0.0, 0.0
        for batch in loader:
            x = images_of(batch)
            axes = axes_but_channel(x.ndim)
            n_b = x.size // x.shape[1]
            m_b, s_b = x.mean(axis=axes), x.var(axis=axes) * n_b
            d, total = m_b - mean, n + n_b
            mean = mean + d * n_b / total
            squares = squares + s_b + d**2 * n * n_b / total
            n = total
        self.mean, self.std = mean, np.sqrt(squares / n)
        return self
