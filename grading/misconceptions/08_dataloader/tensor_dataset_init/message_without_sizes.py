# What a student believed: The rule is enough of a message.
# caught by: test_tensor_dataset_init
# reads: If any two sizes differ, a ValueError says All tensors must have same size in first
# dimension and lists all sizes.
class TensorDataset:
    def __init__(self, *tensors):
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        if not tensors:
            raise ValueError("TensorDataset needs at least one tensor, got none")
        if len({len(tensor) for tensor in tensors}) > 1:
            raise ValueError("All tensors must have same size in first dimension")
        self.tensors = tensors
