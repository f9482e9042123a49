# What a student believed: Statistics of float32 make the result float32.
# caught by: test_normalizer_transform
# reads: The result is float32, whatever dtype the data have.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform: this Normalizer has no statistics yet")
        mean, std = self._along(self.mean, x), self._along(self.std, x)
        return like(data, (x - mean) / (std + np.float32(self.eps)))
