# %% divides_by_the_variance: Normalizing divides by the spread, which is the variance.
# (promise 1)
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        variance = self._along(self.std, x) ** 2
        return like(data, (x - self._along(self.mean, x)) / (variance + np.float32(self.eps)))


# %% fitted_again_on_the_test_set: The test set is normalized like the training set:
# fit, then transform. (promises 1, 3)
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        self.fit(x)
        return like(
            data,
            (x - self._along(self.mean, x)) / (self._along(self.std, x) + np.float32(self.eps)),
        )


# %% eps_missing: A standard deviation is never 0. (promise 2)
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        with np.errstate(divide="ignore", invalid="ignore"):
            return like(data, (x - self._along(self.mean, x)) / self._along(self.std, x))


# %% float64_out: The result has the dtype that the arithmetic gives. (promise 4)
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        shape = [-1 if axis == (0 if x.ndim in (1, 3) else 1) else 1 for axis in range(x.ndim)]
        return like(data, (x - self.mean.reshape(shape)) / (self.std.reshape(shape) + self.eps))


# %% always_an_array: The result of NumPy arithmetic is what the caller wants, a Tensor
# or not. (promise 5)
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        std = self._along(self.std, x) + np.float32(self.eps)
        return ((x - self._along(self.mean, x)) / std).astype(np.float32)


# %% channels_are_always_axis_1: Axis 1 is the channel of one image, too. (promise 6)
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform: this Normalizer has no statistics yet")
        shape = [-1 if axis == 1 else 1 for axis in range(x.ndim)]
        mean, std = np.reshape(self.mean, shape), np.reshape(self.std, shape)
        return like(data, ((x - mean) / (std + self.eps)).astype(np.float32))


# %% subtracts_in_place: Float data can be normalized in place, which saves memory.
# (promise 7)
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform: this Normalizer has no statistics yet")
        x = x.astype(np.float32, copy=False)
        x -= self._along(self.mean, x)
        x /= self._along(self.std, x) + np.float32(self.eps)
        return like(data, x)
