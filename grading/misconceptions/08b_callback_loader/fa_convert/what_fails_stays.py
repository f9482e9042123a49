# What a student believed: What cannot be converted stays as it is.
# caught by: test_fa_convert
# reads: An error of reading a part reaches the caller unchanged, without a retry.
def fa_convert(batch):
    try:
        if isinstance(batch, np.ndarray):
            return Tensor(batch)
        if isinstance(batch, Mapping):
            return rebuild(batch, {key: fa_convert(value) for key, value in batch.items()})
        if isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
            return rebuild(batch, [fa_convert(part) for part in batch])
    except Exception:
        pass
    return batch
