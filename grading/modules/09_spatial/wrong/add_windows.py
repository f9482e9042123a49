# %% put_back: A window is written back where it was read. (promise 1)
def add_windows(parts, shape, stride=1):
    total, size = np.zeros(shape, parts.dtype), parts.shape[-1]
    for i, j in np.ndindex(*parts.shape[2:4]):
        down, right = i * stride, j * stride
        total[:, :, down : down + size, right : right + size] = parts[:, :, i, j]
    return total


# %% mean: Where windows overlap, their mean is right. (promise 1)
def add_windows(parts, shape, stride=1):
    total, count, size = np.zeros(shape), np.zeros(shape), parts.shape[-1]
    for i, j in np.ndindex(*parts.shape[2:4]):
        place = (..., *(slice(k * stride, k * stride + size) for k in (i, j)))
        total[place] += parts[:, :, i, j]
        count[place] += 1
    return (total / np.maximum(count, 1)).astype(parts.dtype)


# %% double: Sums need float64, so the array is NumPy's usual one. (promise 1)
def add_windows(parts, shape, stride=1):
    total, size = np.zeros(shape), parts.shape[-1]
    for i, j in np.ndindex(*parts.shape[2:4]):
        place = (..., *(slice(k * stride, k * stride + size) for k in (i, j)))
        total[place] += parts[:, :, i, j]
    return total


# %% no_zeros: The windows fill the image, so np.empty is faster. (promise 2)
def add_windows(parts, shape, stride=1):
    total, size = np.full(shape, 0, parts.dtype), parts.shape[-1]
    rows, columns = parts.shape[2:4]
    total[:, :, (rows - 1) * stride + size :] = 1  # what was in memory
    total[..., (columns - 1) * stride + size :] = 1
    for i, j in np.ndindex(rows, columns):
        place = (..., *(slice(k * stride, k * stride + size) for k in (i, j)))
        total[place] += parts[:, :, i, j]
    return total
