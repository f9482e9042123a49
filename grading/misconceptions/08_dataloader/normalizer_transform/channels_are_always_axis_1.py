# What a student believed: Axis 1 is the channel of one image, too.
# caught by: test_normalizer_transform
# reads: One image (C, H, W) gives the same values as in a batch.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform: this Normalizer has no statistics yet")
        shape = [-1 if axis == 1 else 1 for axis in range(x.ndim)]
        mean, std = np.reshape(self.mean, shape), np.reshape(self.std, shape)
        return like(data, ((x - mean) / (std + self.eps)).astype(np.float32))
