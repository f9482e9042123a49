# What a student believed: at_position(rng, 0) is the generator of the sample.
# caught by: test_compose
# reads: With an rng, the transform at position k gets rng=at_position(rng, k).
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for transform in self.transforms:
            if rng is not None and accepts(transform, "rng"):
                image = transform(image, rng=at_position(rng, 0))
            else:
                image = transform(image)
        return image
