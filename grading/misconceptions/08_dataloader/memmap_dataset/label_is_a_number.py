# What a student believed: A label is a plain number.
# caught by: test_memmap_dataset
# reads: ds[i] is row i of both files, as (image, label), both Tensors.
class MemmapDataset:
    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        if not 0 <= index < len(self.labels):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.labels)}")
        image, label = Tensor(np.array(self.images[index])), int(self.labels[index])
        return transform_image(self.transform, image, rng), label
