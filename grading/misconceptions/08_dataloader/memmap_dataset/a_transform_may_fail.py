# What a student believed: An image that cannot be transformed is used as it is.
# caught by: test_memmap_dataset
# reads: An error from a file or a transform reaches the caller unchanged, and nothing is tried
# again.
class MemmapDataset:
    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        if not 0 <= index < len(self.labels):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.labels)}")
        image, label = Tensor(np.array(self.images[index])), Tensor(self.labels[index])
        try:
            return transform_image(self.transform, image, rng), label
        except Exception:
            return image, label
