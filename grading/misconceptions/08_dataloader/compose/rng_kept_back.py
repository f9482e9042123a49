# What a student believed: Each transform has its own generator, so the rng need not be handed on.
# caught by: test_compose
# reads: With an rng, the transform at position k gets rng=at_position(rng, k).
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for transform in self.transforms:
            image = transform(image)
        return image
