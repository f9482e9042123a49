# What a student believed: A standard deviation is never 0.
# caught by: test_normalizer_transform
# reads: eps is the Normalizer's own, and it is added to the std.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        with np.errstate(divide="ignore", invalid="ignore"):
            return like(data, (x - self._along(self.mean, x)) / self._along(self.std, x))
