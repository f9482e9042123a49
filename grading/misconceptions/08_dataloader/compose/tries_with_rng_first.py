# What a student believed: Whether a transform takes rng is found by trying.
# caught by: test_compose
# reads: An error from a transform reaches the caller unchanged, and the transform is not called
# again.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for position, transform in enumerate(self.transforms):
            if rng is None:
                image = transform(image)
                continue
            try:
                image = transform(image, rng=at_position(rng, position))
            except TypeError:
                image = transform(image)
        return image
