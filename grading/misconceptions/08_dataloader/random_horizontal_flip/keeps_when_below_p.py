# What a student believed: p is the probability that the image stays as it is.
# caught by: test_random_horizontal_flip
# reads: A flip mirrors the width, the last axis, and nothing else.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        return like(image, (x if rng.random() < self.p else x[:, :, ::-1]).copy())
