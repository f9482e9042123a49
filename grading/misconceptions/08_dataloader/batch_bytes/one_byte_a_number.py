# What a student believed: Pixels are bytes, whatever dtype they are kept in.
# caught by: test_batch_bytes
# reads: The bytes of a batch are the count of its numbers, times the bytes of one number.
def batch_bytes(batch_size: int, image_shape: Sequence[int], dtype) -> int:
    return batch_size * int(np.prod(image_shape))
