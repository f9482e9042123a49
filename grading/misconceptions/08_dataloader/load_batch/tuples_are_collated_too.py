# What a student believed: A tuple from __getitems__ is a list of samples as well.
# caught by: test_load_batch
# reads: If __getitems__ returns anything but a list, that is the finished batch.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = loader.dataset.__getitems__(indices)
    if isinstance(batch, (list, tuple)):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, indices)
