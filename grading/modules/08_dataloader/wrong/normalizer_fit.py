# %% mean_per_pixel: The mean of many images is an image: the mean over axis 0. (promise
# 1)
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        self.mean, self.std = x.mean(axis=0, dtype=np.float64), x.std(axis=0, dtype=np.float64)
        return self


# %% data_are_always_images: Data have four dimensions, so the axes are always (0, 2,
# 3). (promise 2)
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        self.mean = x.mean(axis=(0, 2, 3), dtype=np.float64)
        self.std = x.std(axis=(0, 2, 3), dtype=np.float64)
        return self


# %% statistics_keep_the_dtype: Everything keeps its dtype here, so the mean of bytes is
# a byte. (promise 3)
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        axes = axes_but_channel(x.ndim)
        self.mean, self.std = x.mean(axis=axes).astype(x.dtype), x.std(axis=axes).astype(x.dtype)
        return self


# %% sample_standard_deviation: A standard deviation of data divides by N - 1, as in
# statistics class. (promise 4)
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        axes = axes_but_channel(x.ndim)
        self.mean, self.std = (
            x.mean(axis=axes, dtype=np.float64),
            x.std(axis=axes, dtype=np.float64, ddof=1),
        )
        return self


# %% fits_once_and_for_all: "Fit once" means that a second fit does nothing. (promise 6)
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data).astype(np.float64)
        axes = axes_but_channel(x.ndim)
        if self.mean is None:
            self.mean, self.std = x.mean(axis=axes), x.std(axis=axes)
        return self


# %% fit_returns_nothing: fit has done its work when the attributes are set. (promise 7)
class Normalizer:
    def fit(self, data) -> "Normalizer":
        x = as_array(data)
        axes = axes_but_channel(x.ndim)
        self.mean = x.mean(axis=axes, dtype=np.float64)
        self.std = x.std(axis=axes, dtype=np.float64)
