# What a student believed: No tensors have no sizes that could differ, so the one check is enough.
# caught by: test_tensor_dataset_init
# reads: A call without tensors raises ValueError.
class TensorDataset:
    def __init__(self, *tensors):
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        sizes = [len(tensor) for tensor in tensors]
        for size in sizes:
            if size != sizes[0]:
                raise ValueError(
                    f"All tensors must have same size in first dimension, got sizes {sizes}"
                )
        self.tensors = tensors
