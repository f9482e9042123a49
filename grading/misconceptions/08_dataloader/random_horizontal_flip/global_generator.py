# What a student believed: np.random.rand is where random numbers come from.
# caught by: test_random_horizontal_flip
# reads: Without rng, a transform draws from its own generator, made once from seed.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        draw = np.random.rand() if rng is None else rng.random()
        flipped = x[:, :, ::-1] if draw < self.p else x
        return like(image, flipped.copy())
