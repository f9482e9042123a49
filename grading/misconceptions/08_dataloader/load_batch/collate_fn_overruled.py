# What a student believed: A dataset that can gather makes the batch, so a collate_fn is not needed.
# caught by: test_load_batch
# reads: With a collate_fn, the samples are read one by one, and collate_fn collates them.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = loader.dataset.__getitems__(indices)
    if isinstance(batch, list):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, indices)
