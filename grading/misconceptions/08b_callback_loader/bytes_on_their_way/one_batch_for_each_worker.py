# What a student believed: Each worker has one batch.
# caught by: test_bytes_on_their_way
# reads: num_workers x prefetch batches are prepared ahead, each of batch_size images.
def bytes_on_their_way(
    num_workers: int, prefetch: int, batch_size: int, image_shape: tuple, dtype: str
) -> int:
    return num_workers * batch_size * math.prod(image_shape) * np.dtype(dtype).itemsize
