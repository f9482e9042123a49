# What a student believed: Normalizing divides by the spread, which is the variance.
# caught by: test_normalizer_transform
# reads: transform is (data - mean) / (std + eps), per channel, with the fitted numbers.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        variance = self._along(self.std, x) ** 2
        return like(data, (x - self._along(self.mean, x)) / (variance + np.float32(self.eps)))
