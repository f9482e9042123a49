# What a student believed: Tensors of one dataset have one shape.
# caught by: test_tensor_dataset_init
# reads: Equal sizes are accepted: one tensor, tensors of different shapes, tensors with 0 rows.
class TensorDataset:
    def __init__(self, *tensors):
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        if not tensors:
            raise ValueError("TensorDataset needs at least one tensor, got none")
        shapes = [tensor.shape for tensor in tensors]
        if len(set(shapes)) > 1:
            raise ValueError(
                f"All tensors must have same size in first dimension, got shapes {shapes}"
            )
        self.tensors = tensors
