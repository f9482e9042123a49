# What a student believed: The result of NumPy arithmetic is what the caller wants, a Tensor or not.
# caught by: test_normalizer_transform
# reads: A Tensor gives a Tensor, and an array gives an array.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        std = self._along(self.std, x) + np.float32(self.eps)
        return ((x - self._along(self.mean, x)) / std).astype(np.float32)
