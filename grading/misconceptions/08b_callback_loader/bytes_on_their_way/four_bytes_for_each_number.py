# What a student believed: A number has four bytes.
# caught by: test_bytes_on_their_way
# reads: An image has as many numbers as the product of image_shape, each as large as dtype says.
def bytes_on_their_way(
    num_workers: int, prefetch: int, batch_size: int, image_shape: tuple, dtype: str
) -> int:
    size = 1 if dtype == "uint8" else 4
    return num_workers * prefetch * batch_size * math.prod(image_shape) * size
