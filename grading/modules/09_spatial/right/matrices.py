# im2col: windows are the rows of a matrix.
def windows(images, size, stride=1):
    height, width = images.shape[2:]
    rows, columns = ((side - size) // stride + 1 for side in (height, width))
    if size > height or size > width:
        raise ValueError(f"{height} x {width} pixels have no window of {size}")
    places = np.arange(size)
    y = stride * np.arange(rows)[:, None, None, None] + places[:, None]
    x = stride * np.arange(columns)[None, :, None, None] + places
    return images[:, :, y, x]


def add_windows(parts, shape, stride=1):
    index = windows(np.arange(math.prod(shape)).reshape(shape), parts.shape[-1], stride)
    flat = np.bincount(index.ravel(), parts.ravel(), math.prod(shape))
    return flat.reshape(shape).astype(parts.dtype)


@add_to_class(Conv2d)
def outputs(self, parts):
    n, _, rows, columns = parts.shape[:4]
    table = parts.transpose(0, 2, 3, 1, 4, 5).reshape(n * rows * columns, -1)
    kernels = self.weight.data.reshape(len(self.weight), -1)
    result = table @ kernels.T + self.bias.data
    return result.reshape(n, rows, columns, -1).transpose(0, 3, 1, 2)


@add_to_class(Conv2d)
def gradients(self, parts, gradient):
    kernels = len(self.weight)
    rows = gradient.transpose(0, 2, 3, 1).reshape(-1, kernels)
    table = parts.transpose(0, 2, 3, 1, 4, 5).reshape(len(rows), -1)
    back = rows @ self.weight.data.reshape(kernels, -1)
    n, channels, height, width, size, _ = parts.shape
    back = back.reshape(n, height, width, channels, size, size).transpose(0, 3, 1, 2, 4, 5)
    return back, (rows.T @ table).reshape(self.weight.shape), rows.sum(axis=0)
