# What a student believed: transform can fit by itself when nobody has called fit.
# caught by: test_normalizer_transform
# reads: transform before fit raises a RuntimeError that says to call fit.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            self.fit(x)
        std = self._along(self.std, x) + np.float32(self.eps)
        return like(data, ((x - self._along(self.mean, x)) / std).astype(np.float32))
