# What a student believed: The dataset's batch is finished, so nothing is left to do with it.
# caught by: test_load_batch
# reads: A batch goes through batch_transform once, however it was loaded.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = loader.dataset.__getitems__(indices)
    return loader._collate_batch(batch) if isinstance(batch, list) else batch
