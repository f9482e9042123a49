# What a student believed: Bytes are a sequence like any other.
# caught by: test_fa_convert
# reads: Everything else (Tensors of any kind, strings, bytes, numbers, None) is returned as the
# same object.
def fa_convert(batch):
    if isinstance(batch, np.ndarray):
        return Tensor(batch)
    if isinstance(batch, Mapping):
        return rebuild(batch, {key: fa_convert(value) for key, value in batch.items()})
    if isinstance(batch, Sequence) and not isinstance(batch, str):
        return rebuild(batch, [fa_convert(part) for part in batch])
    return batch
