# What a student believed: Images are square, so one comparison of sizes is enough.
# caught by: test_random_crop
# reads: A crop larger than the padded image raises ValueError with both sizes.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        padded = np.pad(x, ((0, 0), (self.padding, self.padding), (self.padding, self.padding)))
        rows, columns = padded.shape[1] - height + 1, padded.shape[2] - width + 1
        if rows < 1:
            raise ValueError(f"crop {self.size} is larger than the padded image {padded.shape[1:]}")
        top, left = int(rng.random() * rows), int(rng.random() * columns)
        return like(image, padded[:, top : top + height, left : left + width].copy())
