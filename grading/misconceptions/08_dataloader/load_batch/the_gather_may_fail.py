# What a student believed: Where a gather fails, the samples are read one by one.
# caught by: test_load_batch
# reads: An error from a dataset or a transform reaches the caller unchanged, and nothing is tried
# again.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    try:
        batch = loader.dataset.__getitems__(indices)
    except Exception:
        return load_one_by_one(loader, indices, key)
    if isinstance(batch, list):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, indices)
