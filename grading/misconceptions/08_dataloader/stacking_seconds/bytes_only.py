# What a student believed: The time follows from the bytes, so the bytes are the answer.
# caught by: test_stacking_seconds
# reads: The time is the bytes written, divided by the bytes per second.
def stacking_seconds(
    batch_size: int, image_shape: Sequence[int], gigabytes_per_second: float
) -> float:
    return batch_size * int(np.prod(image_shape)) * 4
