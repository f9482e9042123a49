# What a student believed: Compose is composition as in mathematics: (f, g)(x) = f(g(x)).
# caught by: test_compose
# reads: Transforms run from first to last, each once, on the result of the one before.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for position, transform in reversed(list(enumerate(self.transforms))):
            if rng is not None and accepts(transform, "rng"):
                image = transform(image, rng=at_position(rng, position))
            else:
                image = transform(image)
        return image
