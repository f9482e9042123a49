# What a student believed: x comes before y, so the left edge is drawn first.
# caught by: test_random_crop
# reads: Top is drawn first, then left, each as int(rng.random() * choices).
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        padded = np.pad(x, ((0, 0), (self.padding, self.padding), (self.padding, self.padding)))
        rows, columns = padded.shape[1] - height + 1, padded.shape[2] - width + 1
        if rows < 1 or columns < 1:
            raise ValueError(f"crop {self.size} is larger than the padded image {padded.shape[1:]}")
        left, top = int(rng.random() * columns), int(rng.random() * rows)
        return like(image, padded[:, top : top + height, left : left + width].copy())
