# %% tuples_are_collated_too: A tuple from __getitems__ is a list of samples as well.
# (promise 2)
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = loader.dataset.__getitems__(indices)
    if isinstance(batch, (list, tuple)):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, indices)


# %% list_is_a_batch: Whatever __getitems__ returns is the batch. (promise 3)
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = loader.dataset.__getitems__(indices)
    return transform_batch(loader.batch_transform, batch, key, indices)


# %% collate_fn_overruled: A dataset that can gather makes the batch, so a collate_fn is
# not needed. (promise 4)
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = loader.dataset.__getitems__(indices)
    if isinstance(batch, list):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, indices)


# %% batch_transform_forgotten: The dataset's batch is finished, so nothing is left to
# do with it. (promise 6)
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = loader.dataset.__getitems__(indices)
    return loader._collate_batch(batch) if isinstance(batch, list) else batch


# %% positions_instead_of_indices: A batch_transform gets the positions in the batch.
# (promise 7)
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None or not hasattr(loader.dataset, "__getitems__"):
        return load_one_by_one(loader, indices, key)
    batch = loader.dataset.__getitems__(indices)
    if isinstance(batch, list):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, np.arange(len(indices)))


# %% tries_to_gather_first: Whether a dataset can gather is found by trying. (promise 8)
def load_batch(loader: DataLoader, indices: np.ndarray, key: EpochKey):
    if loader.collate_fn is not None:
        return load_one_by_one(loader, indices, key)
    try:
        batch = loader.dataset.__getitems__(indices)
    except AttributeError:
        return load_one_by_one(loader, indices, key)
    if isinstance(batch, list):
        batch = loader._collate_batch(batch)
    return transform_batch(loader.batch_transform, batch, key, indices)
