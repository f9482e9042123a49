# What a student believed: One generator serves all transforms of a sample, one after the other.
# caught by: test_what_one_draws_changes_no_other
# reads: The numbers that one transform draws do not change those of the next.
class Compose:
    def __call__(self, image, rng: np.random.Generator | None = None):
        for transform in self.transforms:
            if rng is not None and accepts(transform, "rng"):
                image = transform(image, rng=rng)
            else:
                image = transform(image)
        return image
