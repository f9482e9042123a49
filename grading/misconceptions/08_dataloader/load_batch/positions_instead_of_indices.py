# What a student believed: A batch_transform gets the positions in the batch.
# caught by: test_load_batch
# reads: A batch_transform gets the key and the indices of its batch.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = loader.dataset.__getitems__(indices)
    if isinstance(batch, list):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, np.arange(len(indices)))
