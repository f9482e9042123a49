# What a student believed: Every transform has a parameter rng.
# caught by: test_compose
# reads: A transform without a parameter rng is called with the image alone.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for position, transform in enumerate(self.transforms):
            if rng is None:
                image = transform(image)
            else:
                image = transform(image, rng=at_position(rng, position))
        return image
