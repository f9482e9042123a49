# %% a_list_of_tensors: A list and a tuple of Tensors are the same. (promise 1)
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.asarray(indices, dtype=np.int64)
    if np.any(indices < 0):
        raise IndexError(f"Index {indices.min()} out of range for dataset of size {len(dataset)}")
    return [Tensor(np.take(tensor.data, indices, axis=0)) for tensor in dataset.tensors]


# %% axis_forgotten: np.take takes rows. (promises 2, 4)
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.asarray(indices, dtype=np.int64)
    if len(indices) and (indices.min() < 0 or indices.max() >= len(dataset)):
        raise IndexError(f"indices out of range for dataset of size {len(dataset)}")
    return tuple(Tensor(np.take(tensor.data, indices)) for tensor in dataset.tensors)


# %% one_dtype_for_the_batch: A batch is made for the network, so it is gathered into
# float32. (promise 3)
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.asarray(indices, dtype=np.int64)
    if len(indices) and (indices.min() < 0 or indices.max() >= len(dataset)):
        raise IndexError(f"indices out of range for dataset of size {len(dataset)}")
    return tuple(Tensor(tensor.data[indices].astype(np.float32)) for tensor in dataset.tensors)


# %% slice_where_possible: Rows in order can be had with a slice, which is faster than a
# gather. (promise 5)
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    indices = np.asarray(indices, dtype=np.int64)
    if len(indices) and (indices.min() < 0 or indices.max() >= len(dataset)):
        raise IndexError(f"indices out of range for dataset of size {len(dataset)}")
    if len(indices) and np.array_equal(indices, np.arange(indices[0], indices[0] + len(indices))):
        rows = slice(indices[0], indices[-1] + 1)
    else:
        rows = indices
    return tuple(Tensor(tensor.data[rows]) for tensor in dataset.tensors)


# %% numpy_checks_the_indices: NumPy refuses every index that is not there, so no check
# is needed. (promise 6)
def gather_samples(dataset: TensorDataset, indices: np.ndarray) -> tuple[Tensor, ...]:
    return tuple(Tensor(tensor.data[indices]) for tensor in dataset.tensors)
