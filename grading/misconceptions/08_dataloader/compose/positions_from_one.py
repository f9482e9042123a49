# What a student believed: The first transform is at position 1.
# caught by: test_compose
# reads: Positions begin at 0 and count every transform, also those without rng.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for position, transform in enumerate(self.transforms, start=1):
            if rng is not None and accepts(transform, "rng"):
                image = transform(image, rng=at_position(rng, position))
            else:
                image = transform(image)
        return image
