# What a student believed: The position counts the transforms that draw random numbers.
# caught by: test_compose
# reads: Positions begin at 0 and count every transform, also those without rng.
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
