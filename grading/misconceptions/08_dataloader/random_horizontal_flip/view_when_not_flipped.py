# What a student believed: Where nothing is flipped, nothing needs to be copied.
# caught by: test_random_horizontal_flip
# reads: A transform returns a new image; its input stays as it was.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        if rng.random() < self.p:
            return like(image, x[:, :, ::-1].copy())
        return image
