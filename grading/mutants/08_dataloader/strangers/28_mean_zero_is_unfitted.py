# What the student believed: no mean at all and a mean of 0 are the same to np.any.
# breaks: "Before `fit`: `RuntimeError`" (and only then): data centered before, such as
# [[-1], [1]], have the mean 0; transform after fit raises RuntimeError.
class Normalizer:
    def transform(self, data):
        """Return (data - mean) / (std + eps), float32."""
        x = as_array(data)
        if not np.any(self.mean):
            raise RuntimeError("call fit before transform")
        mean, scale = self._along(self.mean, x), self._along(self.std + self.eps, x)
        return like(data, ((x - mean) / scale).astype(np.float32))
