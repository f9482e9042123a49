# What a student believed: at_position(rng, 0) is the generator of the sample.
# caught by: test_compose
# reads: Each position has random numbers of its own.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for transform in self.transforms:
            if rng is not None and accepts(transform, "rng"):
                image = transform(image, rng=at_position(rng, 0))
            else:
                image = transform(image)
        return image
