# %% concatenates: Joining arrays is np.concatenate. (promise 1)
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    for k, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"position {k} has shape {array.shape}, position 0 has {arrays[0].shape}"
            )
    return Tensor(np.concatenate(arrays))


# %% labels_become_columns: Labels are whole numbers, and a batch of them is a column.
# (promise 2)
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if all(array.dtype.kind in "iu" for array in arrays):
        arrays = [np.atleast_1d(array) for array in arrays]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    odd = [(k, array.shape) for k, array in enumerate(arrays) if array.shape != arrays[0].shape]
    if odd:
        raise ValueError(f"position 0 has shape {arrays[0].shape}, but (position, shape) {odd}")
    return Tensor(np.stack(arrays))


# %% casts_to_float32: A batch goes into a network, so it is float32. (promise 3)
def stack_samples(values: Sequence) -> Tensor:
    arrays = [
        np.asarray(value.data if isinstance(value, Tensor) else value, dtype=np.float32)
        for value in values
    ]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    for k, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"position {k} has shape {array.shape}, position 0 has {arrays[0].shape}"
            )
    return Tensor(np.stack(arrays))


# %% dtype_of_the_first_value: All values have the dtype of the first. (promise 4)
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    different = [
        f"position {k} has {array.shape}"
        for k, array in enumerate(arrays)
        if array.shape != arrays[0].shape
    ]
    if different:
        raise ValueError(f"position 0 has {arrays[0].shape}, {', '.join(different)}")
    batch = np.empty((len(arrays), *arrays[0].shape), arrays[0].dtype)
    for k, array in enumerate(arrays):
        batch[k] = array
    return Tensor(batch)


# %% one_sample_needs_no_copy: A batch of one sample is that sample with another shape,
# so nothing has to be copied. (promise 5)
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if len(arrays) == 0:
        raise ValueError("a batch needs at least one sample, got none")
    if len(arrays) == 1:
        return Tensor(arrays[0][np.newaxis])
    for k, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"position {k} has shape {array.shape}, position 0 has {arrays[0].shape}"
            )
    return Tensor(np.stack(arrays))


# %% leaves_the_message_to_numpy: np.stack refuses different shapes by itself, and its
# message will do. (promise 6)
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    return Tensor(np.stack(arrays))


# %% no_samples_are_an_empty_batch: No samples make an empty batch. (promise 7)
def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        return Tensor(np.empty((0,)))
    odd = [(k, array.shape) for k, array in enumerate(arrays) if array.shape != arrays[0].shape]
    if odd:
        raise ValueError(f"position 0 has shape {arrays[0].shape}, but (position, shape) {odd}")
    return Tensor(np.stack(arrays))
