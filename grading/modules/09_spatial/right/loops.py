# One window, one place at a time.
def windows(images, size, stride=1):
    n, channels, height, width = images.shape
    if not (size <= height and size <= width):
        raise ValueError(f"size {size} is more than height {height} or width {width}")
    rows, columns = (height - size) // stride + 1, (width - size) // stride + 1
    parts = np.empty((n, channels, rows, columns, size, size), images.dtype)
    for i, j in np.ndindex(rows, columns):
        y, x = i * stride, j * stride
        parts[:, :, i, j] = images[:, :, y : y + size, x : x + size]
    return parts


def add_windows(parts, shape, stride=1):
    result, size = np.zeros(shape, dtype=parts.dtype), parts.shape[-1]
    for i, j in np.ndindex(*parts.shape[2:4]):
        y, x = i * stride, j * stride
        result[:, :, y : y + size, x : x + size] += parts[:, :, i, j]
    return result


@add_to_class(Conv2d)
def outputs(self, parts):
    out = np.empty((len(parts), len(self.weight), *parts.shape[2:4]), np.float32)
    for n, o, i, j in np.ndindex(*out.shape):
        product = parts[n, :, i, j] * self.weight.data[o]
        out[n, o, i, j] = product.sum() + self.bias.data[o]
    return out


@add_to_class(MaxPool2d)
def gradients(self, parts, gradient):
    result = np.zeros_like(parts)
    for place in np.ndindex(*gradient.shape):
        best = parts[place] == parts[place].max()
        result[place][best] = gradient[place] / best.sum()
    return result
