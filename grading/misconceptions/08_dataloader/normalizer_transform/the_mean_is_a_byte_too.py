# What a student believed: The mean of bytes is subtracted as a byte.
# caught by: test_normalizer_transform
# reads: transform is (data - mean) / (std + eps), per channel, with the fitted numbers.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform: this Normalizer has no statistics yet")
        mean, std = self._along(self.mean, x).astype(x.dtype), self._along(self.std, x)
        return like(data, ((x - mean) / (std + np.float32(self.eps))).astype(np.float32))
