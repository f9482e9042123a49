# %% each_on_the_original: Every transform gets the image. (promises 1, 6)
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        result = image
        for position, transform in enumerate(self.transforms):
            if rng is not None and accepts(transform, "rng"):
                result = transform(image, rng=at_position(rng, position))
            else:
                result = transform(image)
        return result


# %% empty_compose_gives_nothing: Something is returned where the last transform is
# called. (promise 2)
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for position, transform in enumerate(self.transforms):
            if rng is not None and accepts(transform, "rng"):
                image = transform(image, rng=at_position(rng, position))
            else:
                image = transform(image)
            if position == len(self.transforms) - 1:
                return image


# %% rng_for_everybody: Every transform has a parameter rng. (promise 3)
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for position, transform in enumerate(self.transforms):
            if rng is None:
                image = transform(image)
            else:
                image = transform(image, rng=at_position(rng, position))
        return image


# %% one_generator_for_all: One generator serves all transforms of a sample, one after
# the other. (promise 4)
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for transform in self.transforms:
            if rng is not None and accepts(transform, "rng"):
                image = transform(image, rng=rng)
            else:
                image = transform(image)
        return image


# %% counts_random_transforms_only: The position counts the transforms that draw random
# numbers. (promise 5)
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        position = 0
        for transform in self.transforms:
            if rng is not None and accepts(transform, "rng"):
                image = transform(image, rng=at_position(rng, position))
                position += 1
            else:
                image = transform(image)
        return image


# %% a_generator_where_none_came: A transform with a parameter rng always needs one.
# (promise 7)
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        rng = EpochKey.of(None, 0).generator(0) if rng is None else rng
        for position, transform in enumerate(self.transforms):
            if accepts(transform, "rng"):
                image = transform(image, rng=at_position(rng, position))
            else:
                image = transform(image)
        return image
