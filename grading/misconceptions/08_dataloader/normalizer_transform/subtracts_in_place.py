# What a student believed: Float data can be normalized in place, which saves memory.
# caught by: test_normalizer_transform
# reads: transform changes neither the data nor the statistics.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform: this Normalizer has no statistics yet")
        x = x.astype(np.float32, copy=False)
        x -= self._along(self.mean, x)
        x /= self._along(self.std, x) + np.float32(self.eps)
        return like(data, x)
