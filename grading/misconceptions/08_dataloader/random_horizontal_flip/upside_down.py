# What a student believed: Horizontal means along the rows, the first axis of a picture.
# caught by: test_random_horizontal_flip
# reads: A flip mirrors the width, the last axis, and nothing else.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        flipped = x[:, ::-1, :] if rng.random() < self.p else x
        return like(image, flipped.copy())
