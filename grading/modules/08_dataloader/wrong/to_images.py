# %% channels_last: An image is (height, width, channel), as matplotlib draws it.
# (promise 1)
def to_images(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(len(rows), 3, 32, 32).transpose(0, 2, 3, 1)


# %% interleaved_pixels: The bytes of a row are pixel after pixel, each red, green,
# blue. (promise 2)
def to_images(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(-1, 32, 32, 3).transpose(0, 3, 1, 2)


# %% height_and_width_swapped: x comes before y, so the columns of an image come before
# its rows. (promise 3)
def to_images(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(len(rows), 3, 32, 32).swapaxes(2, 3)
