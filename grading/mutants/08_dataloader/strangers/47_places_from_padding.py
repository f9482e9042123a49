# What the student believed: there are always 2 * padding + 1 places.
# breaks: "Every placement of the window is equally likely": right for a crop of the
# size of the image only; RandomCrop(24, padding=0) of 32 x 32 always cuts the top left
# corner, RandomCrop(24) never reaches the lower right.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        """Return a new image of shape (C, H, W)."""
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        frame = (self.padding, self.padding)
        padded = np.pad(x, ((0, 0), frame, frame))
        if height > padded.shape[1] or width > padded.shape[2]:
            raise ValueError(
                f"crop {(height, width)} is larger than the padded image {padded.shape[1:]}"
            )
        # a window larger than the image has fewer places
        places = 2 * self.padding + 1
        top = int(rng.random() * min(places, padded.shape[1] - height + 1))
        left = int(rng.random() * min(places, padded.shape[2] - width + 1))
        return like(image, padded[:, top : top + height, left : left + width].copy())
