# What a student believed: A draw is rounded to the nearest place.
# caught by: test_random_crop
# reads: Top is drawn first, then left, each as int(rng.random() * choices).
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
        top = round(rng.random() * (rows - 1))
        left = round(rng.random() * (columns - 1))
        return like(image, padded[:, top : top + height, left : left + width].copy())
