# What a student believed: Each batch is normalized by its own mean and standard deviation.
# caught by: test_normalizer_transform
# reads: transform is (data - mean) / (std + eps), per channel, with the fitted numbers.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        axes = axes_but_channel(x.ndim)
        mean = x.mean(axis=axes, keepdims=True, dtype=np.float32)
        std = x.std(axis=axes, keepdims=True, dtype=np.float32)
        return like(data, (x - mean) / (std + np.float32(self.eps)))
