# What a student believed: Memory is given in a unit that gives a handy number.
# caught by: test_batch_bytes
# reads: The bytes of a batch are the count of its numbers, times the bytes of one number.
def batch_bytes(batch_size: int, image_shape: Sequence[int], dtype) -> int:
    return batch_size * int(np.prod(image_shape)) * np.dtype(dtype).itemsize / 1000
