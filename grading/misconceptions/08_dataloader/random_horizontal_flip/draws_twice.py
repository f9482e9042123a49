# What a student believed: A second draw makes the coin fairer.
# caught by: test_random_horizontal_flip
# reads: The image is flipped exactly when rng.random() < p: one draw for each call.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        flips = rng.random() < self.p
        rng.random()
        return like(image, (x[:, :, ::-1] if flips else x).copy())
