# %% channels_padded_too: np.pad(image, padding) pads height and width. (promise 1)
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        padded = np.pad(x, self.padding)
        rows, columns = padded.shape[1] - height + 1, padded.shape[2] - width + 1
        if rows < 1 or columns < 1:
            raise ValueError(f"crop {self.size} is larger than the padded image {padded.shape[1:]}")
        top, left = int(rng.random() * rows), int(rng.random() * columns)
        return like(image, padded[:, top : top + height, left : left + width].copy())


# %% last_place_forgotten: A window has padded size - size places. (promise 3)
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        padded = np.pad(x, ((0, 0), (self.padding, self.padding), (self.padding, self.padding)))
        rows, columns = padded.shape[1] - height, padded.shape[2] - width
        if rows < 0 or columns < 0:
            raise ValueError(f"crop {self.size} is larger than the padded image {padded.shape[1:]}")
        top, left = int(rng.random() * rows), int(rng.random() * columns)
        return like(image, padded[:, top : top + height, left : left + width].copy())


# %% left_drawn_first: x comes before y, so the left edge is drawn first. (promise 4)
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        rng = self.rng if rng is None else rng
        height, width = self.size
        padded = np.pad(x, ((0, 0), (self.padding, self.padding), (self.padding, self.padding)))
        rows, columns = padded.shape[1] - height + 1, padded.shape[2] - width + 1
        if rows < 1 or columns < 1:
            raise ValueError(f"crop {self.size} is larger than the padded image {padded.shape[1:]}")
        left, top = int(rng.random() * columns), int(rng.random() * rows)
        return like(image, padded[:, top : top + height, left : left + width].copy())


# %% own_generator_always: A seeded transform must not be disturbed by another
# generator. (promise 5)
class RandomCrop:
    def __call__(self, image, rng: np.random.Generator | None = None):
        x = as_image(image)
        height, width = self.size
        padded = np.pad(x, ((0, 0), (self.padding, self.padding), (self.padding, self.padding)))
        rows, columns = padded.shape[1] - height + 1, padded.shape[2] - width + 1
        if rows < 1 or columns < 1:
            raise ValueError(f"crop {self.size} is larger than the padded image {padded.shape[1:]}")
        top, left = int(self.rng.random() * rows), int(self.rng.random() * columns)
        return like(image, padded[:, top : top + height, left : left + width].copy())


# %% view_without_padding: Without padding the window is cut out of the image, and a
# slice is a new array. (promise 7)
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


# %% crops_become_arrays: A crop is cut out of an array, so it is one. (promise 8)
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
        return x[:, top : top + height, left : left + width].copy()
