# What a student believed: Whatever __getitems__ returns is the batch.
# caught by: test_load_batch
# reads: A list from __getitems__ is a list of samples, and is collated.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = loader.dataset.__getitems__(indices)
    return transform_batch(loader.batch_transform, batch, key, indices)
