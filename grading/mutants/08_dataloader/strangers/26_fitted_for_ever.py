# What the student believed: "fitted once" means that a second fit must change nothing.
# breaks: "`fit(data)` sets `self.mean` and `self.std` ... over all axes but axis 1": a
# second fit, on other data, keeps the numbers of the first.
class Normalizer:
    def fit(self, data) -> "Normalizer":
        """Fit mean and std over all axes but axis 1; return self."""
        x = as_array(data)
        axes = axes_but_channel(x.ndim)
        if self.mean is None:
            self.mean = x.mean(axis=axes, dtype=np.float64)
            self.std = x.std(axis=axes, dtype=np.float64)
        return self
