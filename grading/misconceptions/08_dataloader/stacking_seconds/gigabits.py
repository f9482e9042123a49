# What a student believed: 20 GB/s are 20 gigabits a second.
# caught by: test_stacking_seconds
# reads: The time is the bytes written, divided by the bytes per second.
def stacking_seconds(
    batch_size: int, image_shape: Sequence[int], gigabytes_per_second: float
) -> float:
    written = batch_size * int(np.prod(image_shape)) * 4
    return written * 8 / (gigabytes_per_second * 1e9)
