# What a student believed: Left and right are the two halves, and they change places.
# caught by: test_random_horizontal_flip
# reads: A flip mirrors the width, the last axis, and nothing else.
class RandomHorizontalFlip:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        out, half = x.copy(), x.shape[2] // 2
        if rng.random() < self.p:
            out[:, :, :half] = x[:, :, -half:][:, :, ::-1]
            out[:, :, half:] = x[:, :, :-half][:, :, ::-1]
        return like(image, out)
