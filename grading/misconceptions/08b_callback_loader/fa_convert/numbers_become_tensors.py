# What a student believed: Every number of a batch becomes a Tensor.
# caught by: test_fa_convert
# reads: Everything else (Tensors of any kind, strings, bytes, numbers, None) is returned as the
# same object.
def fa_convert(batch):
    if isinstance(batch, (np.ndarray, int, float)):
        return Tensor(batch)
    if isinstance(batch, Mapping):
        return rebuild(batch, {key: fa_convert(value) for key, value in batch.items()})
    if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        return rebuild(batch, [fa_convert(part) for part in batch])
    return batch
