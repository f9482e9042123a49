# %% stride_is_for_pooling: A convolution looks at every pixel, so each begins a window.
# (promise 1)
def windows(images, size, stride=1):
    height, width = images.shape[2:]
    if size > min(height, width):
        raise ValueError(f"no window of {size} x {size} fits into {height} x {width}")
    return np.lib.stride_tricks.sliding_window_view(images, (size, size), axis=(2, 3))


# %% columns_first: x comes before y. (promise 1)
def windows(images, size, stride=1):
    height, width = images.shape[2:]
    if size > min(height, width):
        raise ValueError(f"no window of {size} x {size} fits into {height} x {width}")
    every = np.lib.stride_tricks.sliding_window_view(images, (size, size), axis=(3, 2))
    return every[:, :, ::stride, ::stride]


# %% side_by_side: An image of H rows has H // stride rows of windows. (promise 2)
def windows(images, size, stride=1):
    height, width = images.shape[2:]
    if size > min(height, width):
        raise ValueError(f"no window of {size} x {size} fits into {height} x {width}")
    every = np.lib.stride_tricks.sliding_window_view(images, (size, size), axis=(2, 3))
    return every[:, :, ::stride, ::stride][:, :, : height // size, : width // size]


# %% none_is_an_empty_array: Where nothing fits, there are no windows. (promise 3)
def windows(images, size, stride=1):
    n, channels, height, width = images.shape
    if size > min(height, width):
        return np.zeros((n, channels, 0, 0, size, size), images.dtype)
    every = np.lib.stride_tricks.sliding_window_view(images, (size, size), axis=(2, 3))
    return every[:, :, ::stride, ::stride]
