# What a student believed: Stacking writes one image at a time, so the cost is that of one image.
# caught by: test_stacking_seconds
# reads: The time is the bytes written, divided by the bytes per second.
def stacking_seconds(
    batch_size: int, image_shape: Sequence[int], gigabytes_per_second: float
) -> float:
    written = int(np.prod(image_shape)) * 4
    return written / (gigabytes_per_second * 1e9)
