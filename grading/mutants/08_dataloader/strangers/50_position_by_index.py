# What the student believed: list.index finds the position of a transform.
# breaks: "the transform at position k ... gets `rng=at_position(rng, k)`: its own
# random numbers": where one object stands twice, as in Compose([noise, noise]), both
# get the numbers of position 0.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        """Return the image after all transforms, first to last."""
        for transform in self.transforms:
            if rng is not None and accepts(transform, "rng"):
                position = self.transforms.index(transform)
                image = transform(image, rng=at_position(rng, position))
            else:
                image = transform(image)
        return image
