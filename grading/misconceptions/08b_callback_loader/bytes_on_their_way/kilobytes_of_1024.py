# What a student believed: Memory is counted in units of 1024, so 1000 bytes count as 1024.
# caught by: test_bytes_on_their_way
# reads: num_workers x prefetch batches are prepared ahead, each of batch_size images.
def bytes_on_their_way(
    num_workers: int, prefetch: int, batch_size: int, image_shape: tuple, dtype: str
) -> float:
    image_bytes = math.prod(image_shape) * np.dtype(dtype).itemsize
    return num_workers * prefetch * batch_size * image_bytes / 1000 * 1024
