# What a student believed: A standard deviation is never 0.
# caught by: test_a_constant_becomes_0
# reads: A constant channel of bytes or of float32 becomes 0, not NaN.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        with np.errstate(divide="ignore", invalid="ignore"):
            return like(data, (x - self._along(self.mean, x)) / self._along(self.std, x))
