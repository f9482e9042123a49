# What a student believed: A transform with a parameter rng always needs one.
# caught by: test_compose
# reads: Without an rng, every transform is called with the image alone, also one with a parameter
# rng.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        rng = EpochKey.of(None, 0).generator(0) if rng is None else rng
        for position, transform in enumerate(self.transforms):
            if accepts(transform, "rng"):
                image = transform(image, rng=at_position(rng, position))
            else:
                image = transform(image)
        return image
