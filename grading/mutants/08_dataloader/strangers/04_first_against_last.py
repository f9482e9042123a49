# What the student believed: if the first and the last tensor agree, all do.
# breaks: "Unequal first dimensions: `ValueError`": TensorDataset of 5, 4 and 5 rows is
# accepted.
class TensorDataset:
    def __init__(self, *tensors):
        """Keep the tensors (arrays are wrapped)."""
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        if not tensors:
            raise ValueError("TensorDataset needs at least one tensor")
        if len(tensors[0]) != len(tensors[-1]):
            raise ValueError(
                "All tensors must have same size in first dimension, got sizes"
                f" {[len(t) for t in tensors]}"
            )
        self.tensors = tensors
