# What a student believed: A window has padded size - size places.
# caught by: test_random_crop
# reads: Every place of the window is possible.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        padded = np.pad(x, ((0, 0), (self.padding, self.padding), (self.padding, self.padding)))
        rows, columns = padded.shape[1] - height, padded.shape[2] - width
        if rows < 0 or columns < 0:
            raise ValueError(f"crop {self.size} is larger than the padded image {padded.shape[1:]}")
        top, left = int(rng.random() * rows), int(rng.random() * columns)
        return like(image, padded[:, top : top + height, left : left + width].copy())
