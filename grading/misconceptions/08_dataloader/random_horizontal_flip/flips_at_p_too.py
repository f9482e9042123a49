# What a student believed: rng.random() <= p and rng.random() < p are the same.
# caught by: test_random_horizontal_flip
# reads: The image is flipped exactly when rng.random() < p: one draw for each call.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        flipped = x[:, :, ::-1] if rng.random() <= self.p else x
        return like(image, flipped.copy())
