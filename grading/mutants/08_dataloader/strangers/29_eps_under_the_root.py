# What the student believed: eps belongs under the root, as in batch normalization.
# breaks: "`(data - mean) / (std + eps)` per channel": Normalizer(eps=0.5) fitted on
# [[-1], [1]] makes of 3 not 3 / 1.5 = 2 but 3 / sqrt(1.5) = 2.45; with the usual eps
# only small deviations differ.
class Normalizer:
    def transform(self, data):
        """Return (data - mean) / (std + eps), float32."""
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        mean = self._along(self.mean, x)
        scale = self._along(np.sqrt(self.std**2 + self.eps), x)
        return like(data, ((x - mean) / scale).astype(np.float32))
