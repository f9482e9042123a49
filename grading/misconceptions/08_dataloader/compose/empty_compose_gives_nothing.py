# What a student believed: Something is returned where the last transform is called.
# caught by: test_compose
# reads: An empty Compose changes nothing.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for position, transform in enumerate(self.transforms):
            if rng is not None and accepts(transform, "rng"):
                image = transform(image, rng=at_position(rng, position))
            else:
                image = transform(image)
            if position == len(self.transforms) - 1:
                return image
