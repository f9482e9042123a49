# What a student believed: A transform gives float32, as models want it.
# caught by: test_random_horizontal_flip
# reads: An array gives an array, a Tensor gives a Tensor, and the dtype is kept.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        flipped = x[:, :, ::-1] if rng.random() < self.p else x
        return like(image, flipped.astype(np.float32))
