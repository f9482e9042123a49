# What the student believed: Tensor(list) gives the same as Tensor(array).
# breaks: "each a Tensor of the same dtype: ... bytes stay bytes": a row of uint8 images
# comes as int64, a row of float64 as float32 (int64 and float32 happen to survive).
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        """Return row `index` of every tensor."""
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return tuple(Tensor(t.data[index].tolist()) for t in self.tensors)
