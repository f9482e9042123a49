# What the student believed: astype(..., copy=False) makes an array that is safe to
# write to.
# breaks: the result is handed back, the caller's data are not to be touched: float32
# data of the caller are normalized in place (x[0, 0] is another after transform(x)).
class Normalizer:
    def transform(self, data):
        """Return (data - mean) / (std + eps), float32."""
        x = as_array(data)
        if self.mean is None:
            raise RuntimeError("call fit before transform")
        out = x.astype(np.float32, copy=False)
        out -= self._along(self.mean, x)
        out /= self._along(self.std + self.eps, x)
        return like(data, out)
