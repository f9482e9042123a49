# %% upside_down: Horizontal means along the rows, the first axis of a picture. (promise
# 1)
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        flipped = x[:, ::-1, :] if rng.random() < self.p else x
        return like(image, flipped.copy())


# %% own_generator_always: The transform has its own generator; the one that is handed
# in is for others. (promise 3)
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        flipped = x[:, :, ::-1] if self.rng.random() < self.p else x
        return like(image, flipped.copy())


# %% global_generator: np.random.rand is where random numbers come from. (promise 4)
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        draw = np.random.rand() if rng is None else rng.random()
        flipped = x[:, :, ::-1] if draw < self.p else x
        return like(image, flipped.copy())


# %% view_when_not_flipped: Where nothing is flipped, nothing needs to be copied.
# (promise 5)
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        if rng.random() < self.p:
            return like(image, x[:, :, ::-1].copy())
        return image


# %% always_an_array: An image is an array, whoever asks for it. (promise 6)
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        flipped = x[:, :, ::-1] if rng.random() < self.p else x
        return flipped.copy()


# %% any_p: A p above 1 means always, one below 0 never. (promise 7)
class RandomHorizontalFlip:
    def __init__(self, p: float = 0.5, seed: int | None = None):
        self.p, self.rng = p, np.random.default_rng(seed)
