# What a student believed: eps is needed only where std is 0.
# caught by: test_normalizer_transform
# reads: eps is the Normalizer's own, and it is added to the std.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform: this Normalizer has no statistics yet")
        mean, std = self._along(self.mean, x), self._along(self.std, x)
        std = np.where(std == 0, np.float32(self.eps), std)
        return like(data, ((x - mean) / std).astype(np.float32))
