# What the student believed: a tuple of one is pointless, so a dataset of one tensor
# hands out the row itself.
# breaks: "`ds[i]` = a tuple with row i of **every** tensor": TensorDataset(x)[0] is a
# Tensor, not a tuple of one Tensor.
class TensorDataset:
    def __getitem__(self, index: int) -> tuple:
        """Return row `index` of every tensor."""
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        row = tuple(Tensor(t.data[index]) for t in self.tensors)
        return row if len(row) > 1 else row[0]
