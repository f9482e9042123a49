# What a student believed: One random number says where the window goes.
# caught by: test_random_crop
# reads: Every place of the window is possible.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        padded = np.pad(x, ((0, 0), (self.padding, self.padding), (self.padding, self.padding)))
        rows, columns = padded.shape[1] - height + 1, padded.shape[2] - width + 1
        if rows < 1 or columns < 1:
            raise ValueError(f"crop {self.size} is larger than the padded image {padded.shape[1:]}")
        number = rng.random()
        top, left = int(number * rows), int(number * columns)
        return like(image, padded[:, top : top + height, left : left + width].copy())
