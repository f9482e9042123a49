# What the student believed: NumPy raises the IndexError; it only needs a better text.
# breaks: "Outside 0..N-1: `IndexError` with index and size": ds[-1] is the last sample.
class MemmapDataset:
    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        """Return (image, label) of one sample."""
        try:
            image = Tensor(np.array(self.images[index]))
            label = Tensor(self.labels[index])
        except IndexError:
            raise IndexError(
                f"Index {index} out of range for dataset of size {len(self)}"
            ) from None
        return transform_image(self.transform, image, rng), label
