# What a student believed: An image is an array, whoever asks for it.
# caught by: test_random_horizontal_flip
# reads: An array gives an array, a Tensor gives a Tensor, and the dtype is kept.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        flipped = x[:, :, ::-1] if rng.random() < self.p else x
        return flipped.copy()
