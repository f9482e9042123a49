# %% third_tensor_dropped: A dataset is features and labels. (promise 1)
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


# %% copies_to_be_safe: A dataset owns its data, so it copies them. (promise 2)
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


# %% no_tensors_agree: No tensors have no sizes that could differ, so the one check is
# enough. (promise 3)
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


# %% cuts_to_the_shortest: Where one tensor is longer, its surplus rows are best left
# out. (promise 4)
class TensorDataset:
    def __init__(self, *tensors):
        tensors = tuple(t if isinstance(t, Tensor) else Tensor(t) for t in tensors)
        if not tensors:
            raise ValueError("TensorDataset needs at least one tensor, got none")
        shortest = min(len(tensor) for tensor in tensors)
        self.tensors = tuple(Tensor(tensor.data[:shortest]) for tensor in tensors)


# %% all_shapes_must_agree: Tensors of one dataset have one shape. (promise 5)
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
