# %% all_alike: The whole window made the output, so each entry gets its share. (promise 1)
@add_to_class(MaxPool2d)
def gradients(self, parts, gradient):
    return np.zeros_like(parts) + gradient[..., None, None] / np.float32(self.size**2)


# %% times_the_entry: A gradient is multiplied with what went in. (promise 1)
@add_to_class(MaxPool2d)
def gradients(self, parts, gradient):
    largest = parts == parts.max(axis=(4, 5), keepdims=True)
    return largest * parts * gradient[..., None, None]


# %% first_of_equals: There is one maximum, and argmax finds it. (promise 2)
@add_to_class(MaxPool2d)
def gradients(self, parts, gradient):
    flat = parts.reshape(*parts.shape[:4], -1)
    result = np.zeros_like(flat)
    place = flat.argmax(axis=-1)[..., None]
    np.put_along_axis(result, place, gradient[..., None], axis=-1)
    return result.reshape(parts.shape)


# %% all_of_it_to_each: Each entry that is the largest gets the gradient. (promise 2)
@add_to_class(MaxPool2d)
def gradients(self, parts, gradient):
    largest = parts == parts.max(axis=(4, 5), keepdims=True)
    return largest * gradient[..., None, None]
