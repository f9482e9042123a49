# %% kernel_turned: On the way back, the kernel is turned around. (promise 1)
@add_to_class(Conv2d)
def gradients(self, parts, gradient):
    kernel = self.weight.data[:, :, ::-1, ::-1]
    of_parts = np.tensordot(gradient, kernel, (1, 0)).transpose(0, 3, 1, 2, 4, 5)
    of_weight = np.tensordot(gradient, parts, ((0, 2, 3), (0, 2, 3)))
    return of_parts, of_weight, gradient.sum(axis=(0, 2, 3))


# %% mean_of_the_batch: A gradient is an average over the images. (promise 2)
@add_to_class(Conv2d)
def gradients(self, parts, gradient):
    of_parts = np.tensordot(gradient, self.weight.data, (1, 0))
    of_weight = np.tensordot(gradient, parts, ((0, 2, 3), (0, 2, 3)))
    of_bias = gradient.sum(axis=(0, 2, 3))
    n = np.float32(len(parts))
    return of_parts.transpose(0, 3, 1, 2, 4, 5), of_weight / n, of_bias / n


# %% bias_of_the_images: The bias belongs to an image, so images are added up. (promise 3)
@add_to_class(Conv2d)
def gradients(self, parts, gradient):
    of_parts = np.tensordot(gradient, self.weight.data, (1, 0))
    of_weight = np.tensordot(gradient, parts, ((0, 2, 3), (0, 2, 3)))
    of_bias = gradient.mean(axis=(2, 3)).sum(axis=0)
    return of_parts.transpose(0, 3, 1, 2, 4, 5), of_weight, of_bias
