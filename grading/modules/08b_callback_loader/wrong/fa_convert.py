# %% arrays_become_float32: Networks compute in float32. (promise 1)
def fa_convert(batch):
    if isinstance(batch, np.ndarray):
        return Tensor(batch.astype(np.float32))
    if isinstance(batch, Mapping):
        return rebuild(batch, {key: fa_convert(value) for key, value in batch.items()})
    if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        return rebuild(batch, [fa_convert(part) for part in batch])
    return batch


# %% dicts_forgotten: A batch is a tuple. (promise 2)
def fa_convert(batch):
    if isinstance(batch, np.ndarray):
        return Tensor(batch)
    if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        return rebuild(batch, [fa_convert(part) for part in batch])
    return batch


# %% tuples_and_lists_only: A sequence is a tuple or a list. (promise 3)
def fa_convert(batch):
    if isinstance(batch, np.ndarray):
        return Tensor(batch)
    if isinstance(batch, Mapping):
        return rebuild(batch, {key: fa_convert(value) for key, value in batch.items()})
    if isinstance(batch, (tuple, list)):
        return rebuild(batch, [fa_convert(part) for part in batch])
    return batch


# %% numbers_become_tensors: Every number of a batch becomes a Tensor. (promise 4)
def fa_convert(batch):
    if isinstance(batch, (np.ndarray, int, float)):
        return Tensor(batch)
    if isinstance(batch, Mapping):
        return rebuild(batch, {key: fa_convert(value) for key, value in batch.items()})
    if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        return rebuild(batch, [fa_convert(part) for part in batch])
    return batch
