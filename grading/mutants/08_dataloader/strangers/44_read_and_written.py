# What the student believed: a copy moves every byte twice, once to read, once to write.
# breaks: "the bytes of the batch as float32, divided by the bytes that are written in a
# second": 10 images of (1, 50, 50) at 1 GB/s take 0.0002 s instead of 0.0001 s.
def stacking_seconds(
    batch_size: int, image_shape: Sequence[int], gigabytes_per_second: float
) -> float:
    """Return how long writing one batch of float32 images takes, in seconds."""
    size = 4 * batch_size * int(np.prod(image_shape))
    return 2 * size / (gigabytes_per_second * 1e9)
