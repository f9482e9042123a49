# What a student believed: The test set is normalized like the training set: fit, then transform.
# caught by: test_normalizer_transform
# reads: transform is (data - mean) / (std + eps), per channel, with the fitted numbers.
class Normalizer:
    def transform(self, data):
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        self.fit(x)
        return like(
            data,
            (x - self._along(self.mean, x)) / (self._along(self.std, x) + np.float32(self.eps)),
        )
