# What a student believed: eps is added to the variance, as in batch normalization.
# caught by: test_normalizer_transform
# reads: eps is the Normalizer's own, and it is added to the std.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform: this Normalizer has no statistics yet")
        mean, std = self._along(self.mean, x), self._along(self.std, x)
        return like(data, ((x - mean) / np.sqrt(std**2 + self.eps)).astype(np.float32))
