# What the student believed: x[..., ::-1] already is another image; only the unchanged
# one needs a copy.
# breaks: "The result is a new image": a mirrored result shares memory with the image;
# writing into it changes the image.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        """Return a new image, mirrored or not."""
        x = as_image(image)
        rng = self.rng if rng is None else rng
        return like(image, x[..., ::-1] if rng.random() < self.p else x.copy())
