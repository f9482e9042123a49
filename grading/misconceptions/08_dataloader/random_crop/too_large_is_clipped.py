# What a student believed: A window that is too large is cut to what is there.
# caught by: test_random_crop
# reads: A crop larger than the padded image raises ValueError with both sizes.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        padded = np.pad(x, ((0, 0), (self.padding, self.padding), (self.padding, self.padding)))
        height, width = min(self.size[0], padded.shape[1]), min(self.size[1], padded.shape[2])
        top = int(rng.random() * (padded.shape[1] - height + 1))
        left = int(rng.random() * (padded.shape[2] - width + 1))
        return like(image, padded[:, top : top + height, left : left + width].copy())
