# %% mirrored: A convolution turns the kernel around, as in mathematics. (promise 1)
@add_to_class(Conv2d)
def outputs(self, parts):
    kernel = self.weight.data[:, :, ::-1, ::-1]
    products = np.tensordot(parts, kernel, ((1, 4, 5), (1, 2, 3)))
    return (products + self.bias.data).transpose(0, 3, 1, 2)


# %% mean_of_channels: The channels of a color are averaged. (promise 1)
@add_to_class(Conv2d)
def outputs(self, parts):
    products = np.tensordot(parts, self.weight.data, ((1, 4, 5), (1, 2, 3)))
    return (products / parts.shape[1] + self.bias.data).transpose(0, 3, 1, 2)


# %% bias_of_each_product: Each channel has a convolution of its own, with its bias.
# (promise 2)
@add_to_class(Conv2d)
def outputs(self, parts):
    products = np.tensordot(parts, self.weight.data, ((1, 4, 5), (1, 2, 3)))
    return (products + parts.shape[1] * self.bias.data).transpose(0, 3, 1, 2)


# %% no_bias: A bias is a detail that a layer can do without. (promise 2)
@add_to_class(Conv2d)
def outputs(self, parts):
    products = np.tensordot(parts, self.weight.data, ((1, 4, 5), (1, 2, 3)))
    return products.transpose(0, 3, 1, 2)
