# What a student believed: The transform belongs where the image is read.
# caught by: test_memmap_dataset
# reads: A transform is called once for each image that is read.
class MemmapDataset:
    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        if not 0 <= index < len(self.labels):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.labels)}")
        image, label = Tensor(np.array(self.images[index])), Tensor(self.labels[index])
        image = transform_image(self.transform, image, rng)
        return transform_image(self.transform, image, rng), label
