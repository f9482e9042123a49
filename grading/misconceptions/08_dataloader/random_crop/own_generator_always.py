# What a student believed: A seeded transform must not be disturbed by another generator.
# caught by: test_random_crop
# reads: With rng=, the random numbers come from this Generator, not from the transform's own.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        height, width = self.size
        padded = np.pad(x, ((0, 0), (self.padding, self.padding), (self.padding, self.padding)))
        rows, columns = padded.shape[1] - height + 1, padded.shape[2] - width + 1
        if rows < 1 or columns < 1:
            raise ValueError(f"crop {self.size} is larger than the padded image {padded.shape[1:]}")
        top, left = int(self.rng.random() * rows), int(self.rng.random() * columns)
        return like(image, padded[:, top : top + height, left : left + width].copy())
