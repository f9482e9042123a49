# What a student believed: Without padding the window is cut out of the image, and a slice is a new
# array.
# caught by: test_random_crop
# reads: A transform returns a new image; its input stays as it was.
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        if self.padding:
            x = np.pad(x, ((0, 0), (self.padding, self.padding), (self.padding, self.padding)))
        rows, columns = x.shape[1] - height + 1, x.shape[2] - width + 1
        if rows < 1 or columns < 1:
            raise ValueError(f"crop {self.size} is larger than the padded image {x.shape[1:]}")
        top, left = int(rng.random() * rows), int(rng.random() * columns)
        return like(image, x[:, top : top + height, left : left + width])
