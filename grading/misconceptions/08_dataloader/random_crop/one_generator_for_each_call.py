# What a student believed: A generator is made where it is used.
# caught by: test_random_crop
# reads: Every place of the window is possible.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        frame = (self.padding, self.padding)
        padded = np.pad(x, ((0, 0), frame, frame))
        rows, columns = padded.shape[1] - height + 1, padded.shape[2] - width + 1
        if rows < 1 or columns < 1:
            raise ValueError(
                f"crop of {height}x{width} is larger than the padded image of"
                f" {padded.shape[1]}x{padded.shape[2]}"
            )
        top = int(np.random.default_rng(0).random() * rows)
        left = int(np.random.default_rng(1).random() * columns)
        return like(image, padded[:, top : top + height, left : left + width].copy())
