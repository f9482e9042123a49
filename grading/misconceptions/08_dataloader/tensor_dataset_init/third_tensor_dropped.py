# What a student believed: A dataset is features and labels.
# caught by: test_tensor_dataset_init
# reads: self.tensors is a tuple of all tensors, in their order, each a Tensor.
class TensorDataset:
    def __init__(self, *tensors):
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        if len(tensors) == 0:
            raise ValueError("TensorDataset needs at least one tensor, got none")
        sizes = [len(tensor) for tensor in tensors]
        if len(set(sizes)) > 1:
            raise ValueError(
                f"All tensors must have same size in first dimension, got sizes {sizes}"
            )
        self.tensors = tensors[:2]
