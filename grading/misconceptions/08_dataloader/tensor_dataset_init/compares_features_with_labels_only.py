# What a student believed: Only features and labels can disagree about the number of samples.
# caught by: test_tensor_dataset_init
# reads: If any two sizes differ, a ValueError says All tensors must have same size in first
# dimension and lists all sizes.
class TensorDataset:
    def __init__(self, *tensors):
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        if not tensors:
            raise ValueError("TensorDataset needs at least one tensor, got none")
        if len(tensors) > 1 and len(tensors[0]) != len(tensors[1]):
            raise ValueError(
                f"All tensors must have same size in first dimension, got {len(tensors[0])} and"
                f" {len(tensors[1])}"
            )
        self.tensors = tensors
