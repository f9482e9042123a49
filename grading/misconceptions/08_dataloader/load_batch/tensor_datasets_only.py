# What a student believed: A gather is something that only a TensorDataset can do.
# caught by: test_load_batch
# reads: A dataset with __getitems__ is asked once for a batch, with its indices.
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is None and isinstance(loader.dataset, TensorDataset):
        batch = gather_samples(loader.dataset, indices)
        return transform_batch(loader.batch_transform, batch, key, indices)
    return load_one_by_one(loader, indices, key)
