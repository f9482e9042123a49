# What the student believed: np.pad makes the new image, so the slice needs no copy; and
# without padding np.pad is not needed.
# breaks: "The result is a new image": with padding=0 the crop is a view of the image,
# and writing into it changes the image.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        """Return a new image of shape (C, H, W)."""
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        padded = x
        if self.padding > 0:
            frame = (self.padding, self.padding)
            padded = np.pad(x, ((0, 0), frame, frame))
        if height > padded.shape[1] or width > padded.shape[2]:
            raise ValueError(
                f"crop {(height, width)} is larger than the padded image {padded.shape[1:]}"
            )
        top = int(rng.random() * (padded.shape[1] - height + 1))
        left = int(rng.random() * (padded.shape[2] - width + 1))
        return like(image, padded[:, top : top + height, left : left + width])
