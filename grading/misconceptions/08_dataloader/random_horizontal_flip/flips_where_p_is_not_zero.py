# What a student believed: p switches the flip on.
# caught by: test_random_horizontal_flip
# reads: The image is flipped exactly when rng.random() < p: one draw for each call.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        flipped = x[:, :, ::-1] if self.p else x
        return like(image, flipped.copy())
