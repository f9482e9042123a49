# What a student believed: eps is added to the std once, where it is kept.
# caught by: test_normalizer_transform
# reads: transform changes neither the data nor the statistics.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform: this Normalizer has no statistics yet")
        self.std = self.std + self.eps
        mean, std = self._along(self.mean, x), self._along(self.std, x)
        return like(data, ((x - mean) / std).astype(np.float32))
