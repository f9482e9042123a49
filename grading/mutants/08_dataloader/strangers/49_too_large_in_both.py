# What the student believed: a crop is too large when it is higher and wider than the
# padded image.
# breaks: "A crop higher or wider than the padded image: `ValueError` with both sizes":
# RandomCrop((4, 12), padding=1) on 6 x 6 gives an image of (C, 4, 8) without a word.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        """Return a new image of shape (C, H, W)."""
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        frame = (self.padding, self.padding)
        padded = np.pad(x, ((0, 0), frame, frame))
        if height > padded.shape[1] and width > padded.shape[2]:
            raise ValueError(
                f"crop {(height, width)} is larger than the padded image {padded.shape[1:]}"
            )
        top = int(rng.random() * max(1, padded.shape[1] - height + 1))
        left = int(rng.random() * max(1, padded.shape[2] - width + 1))
        return like(image, padded[:, top : top + height, left : left + width].copy())
