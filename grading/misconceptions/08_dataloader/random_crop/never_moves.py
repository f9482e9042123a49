# What a student believed: A crop is the middle of the padded image.
# caught by: test_random_crop
# reads: Every place of the window is possible.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        height, width = self.size
        padded = np.pad(x, ((0, 0), (self.padding, self.padding), (self.padding, self.padding)))
        top, left = (padded.shape[1] - height) // 2, (padded.shape[2] - width) // 2
        if top < 0 or left < 0:
            raise ValueError(f"crop {self.size} is larger than the padded image {padded.shape[1:]}")
        return like(image, padded[:, top : top + height, left : left + width].copy())
