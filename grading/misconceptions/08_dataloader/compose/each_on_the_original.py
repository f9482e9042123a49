# What a student believed: Every transform gets the image.
# caught by: test_compose
# reads: Transforms run from first to last, each once, on the result of the one before.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        result = image
        for position, transform in enumerate(self.transforms):
            if rng is not None and accepts(transform, "rng"):
                result = transform(image, rng=at_position(rng, position))
            else:
                result = transform(image)
        return result
