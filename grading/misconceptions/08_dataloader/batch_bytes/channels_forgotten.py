# What a student believed: An image of 32 x 32 pixels has 1,024 numbers.
# caught by: test_batch_bytes
# reads: The bytes of a batch are the count of its numbers, times the bytes of one number.
def batch_bytes(batch_size: int, image_shape: Sequence[int], dtype) -> int:
    height, width = image_shape[-2:]
    return batch_size * height * width * np.dtype(dtype).itemsize
