# What a student believed: eps is added at the end, outside of the fraction.
# caught by: test_normalizer_transform
# reads: eps is the Normalizer's own, and it is added to the std.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform: this Normalizer has no statistics yet")
        mean, std = self._along(self.mean, x), self._along(self.std, x)
        with np.errstate(all="ignore"):
            return like(data, ((x - mean) / std + self.eps).astype(np.float32))
