# What a student believed: An image has as many numbers as its sides add up to.
# caught by: test_bytes_on_their_way
# reads: An image has as many numbers as the product of image_shape, each as large as dtype says.
def bytes_on_their_way(
    num_workers: int, prefetch: int, batch_size: int, image_shape: tuple, dtype: str
) -> int:
    return num_workers * prefetch * batch_size * sum(image_shape) * np.dtype(dtype).itemsize
