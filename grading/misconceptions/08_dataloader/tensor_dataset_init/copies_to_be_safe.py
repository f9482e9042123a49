# What a student believed: A dataset owns its data, so it copies them.
# caught by: test_tensor_dataset_init
# reads: No data are copied: each kept Tensor shares its memory with the data that you passed.
class TensorDataset:
    def __init__(self, *tensors):
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        if not tensors:
            raise ValueError("TensorDataset needs at least one tensor, got none")
        sizes = [len(tensor) for tensor in tensors]
        if len(set(sizes)) > 1:
            raise ValueError(
                f"All tensors must have same size in first dimension, got sizes {sizes}"
            )
        self.tensors = tuple(Tensor(tensor.data.copy()) for tensor in tensors)
