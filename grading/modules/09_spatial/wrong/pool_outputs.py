# %% mean: A small image has the means of the large one. (promise 1)
@add_to_class(MaxPool2d)
def outputs(self, parts):
    return parts.mean(axis=(4, 5)).astype(parts.dtype)


# %% pixels_are_positive: A pixel is 0 or more, so the search begins at 0. (promise 1)
@add_to_class(MaxPool2d)
def outputs(self, parts):
    return parts.max(axis=(4, 5), initial=0)


# %% strongest: What counts is how far an output is from 0. (promise 1)
@add_to_class(MaxPool2d)
def outputs(self, parts):
    return abs(parts).max(axis=(4, 5))
