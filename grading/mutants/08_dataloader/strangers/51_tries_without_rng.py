# What the student believed: a TypeError tells that a transform takes no rng.
# breaks: "A transform without a parameter `rng` is called with the image alone" (others
# are not): a transform with rng whose own code raises a TypeError is called a second
# time without rng, and draws from its own generator.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        """Return the image after all transforms, first to last."""
        for k, transform in enumerate(self.transforms):
            if rng is None:
                image = transform(image)
                continue
            try:
                image = transform(image, rng=at_position(rng, k))
            except TypeError:
                image = transform(image)
        return image
