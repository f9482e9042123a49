# %% bytes_only: The time follows from the bytes, so the bytes are the answer. (promise
# 1)
def stacking_seconds(
    batch_size: int, image_shape: Sequence[int], gigabytes_per_second: float
) -> float:
    return batch_size * int(np.prod(image_shape)) * 4


# %% gigabits: 20 GB/s are 20 gigabits a second. (promise 1)
def stacking_seconds(
    batch_size: int, image_shape: Sequence[int], gigabytes_per_second: float
) -> float:
    written = batch_size * int(np.prod(image_shape)) * 4
    return written * 8 / (gigabytes_per_second * 1e9)


# %% one_image: Stacking writes one image at a time, so the cost is that of one image.
# (promise 1)
def stacking_seconds(
    batch_size: int, image_shape: Sequence[int], gigabytes_per_second: float
) -> float:
    written = int(np.prod(image_shape)) * 4
    return written / (gigabytes_per_second * 1e9)
