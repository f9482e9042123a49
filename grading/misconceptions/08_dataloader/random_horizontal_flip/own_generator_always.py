# What a student believed: The transform has its own generator; the one that is handed in is for
# others.
# caught by: test_random_horizontal_flip
# reads: With rng=, the random numbers come from this Generator, not from the transform's own.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        flipped = x[:, :, ::-1] if self.rng.random() < self.p else x
        return like(image, flipped.copy())
