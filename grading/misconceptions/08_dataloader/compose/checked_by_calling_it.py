# What a student believed: A transform may be called once more to see what it gives.
# caught by: test_compose
# reads: Transforms run from first to last, each once, on the result of the one before.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for position, transform in enumerate(self.transforms):
            if rng is not None and accepts(transform, "rng"):
                image = transform(image, rng=at_position(rng, position))
            elif transform(image) is not None:
                image = transform(image)
        return image
