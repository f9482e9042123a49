# %% one_batch_for_each_worker: Each worker has one batch. (promise 1)
def bytes_on_their_way(
    num_workers: int, prefetch: int, batch_size: int, image_shape: tuple, dtype: str
) -> int:
    return num_workers * batch_size * math.prod(image_shape) * np.dtype(dtype).itemsize


# %% four_bytes_for_each_number: A number has four bytes. (promise 2)
def bytes_on_their_way(
    num_workers: int, prefetch: int, batch_size: int, image_shape: tuple, dtype: str
) -> int:
    size = 1 if dtype == "uint8" else 4
    return num_workers * prefetch * batch_size * math.prod(image_shape) * size
