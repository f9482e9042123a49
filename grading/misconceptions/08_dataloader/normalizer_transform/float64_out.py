# What a student believed: The result has the dtype that the arithmetic gives.
# caught by: test_normalizer_transform
# reads: The result is float32, whatever dtype the data have.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        shape = [-1 if axis == (0 if x.ndim in (1, 3) else 1) else 1 for axis in range(x.ndim)]
        return like(data, (x - self.mean.reshape(shape)) / (self.std.reshape(shape) + self.eps))
