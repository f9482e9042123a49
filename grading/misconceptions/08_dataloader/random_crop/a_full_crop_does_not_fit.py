# What a student believed: A window must have room to move.
# caught by: test_random_crop
# reads: A crop has shape (C, H, W); size is (H, W), or an int for a square.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        frame = (self.padding, self.padding)
        padded = np.pad(x, ((0, 0), frame, frame))
        rows, columns = padded.shape[1] - height + 1, padded.shape[2] - width + 1
        if rows <= 1 and columns <= 1:
            raise ValueError(
                f"crop of {height}x{width} is larger than the padded image of"
                f" {padded.shape[1]}x{padded.shape[2]}"
            )
        top = int(rng.random() * rows)
        left = int(rng.random() * columns)
        return like(image, padded[:, top : top + height, left : left + width].copy())
