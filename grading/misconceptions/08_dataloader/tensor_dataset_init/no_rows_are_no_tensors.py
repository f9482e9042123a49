# What a student believed: A dataset without rows is no dataset.
# caught by: test_tensor_dataset_init
# reads: Equal sizes are accepted: one tensor, tensors of different shapes, tensors with 0 rows.
class TensorDataset:
    def __init__(self, *tensors):
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        if not tensors or not len(tensors[0]):
            raise ValueError("TensorDataset needs data, got none")
        sizes = [len(tensor) for tensor in tensors]
        if min(sizes) != max(sizes):
            raise ValueError(
                f"All tensors must have same size in first dimension, got sizes {sizes}"
            )
        self.tensors = tensors
