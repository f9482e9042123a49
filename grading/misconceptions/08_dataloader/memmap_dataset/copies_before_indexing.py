# What a student believed: np.array(self.images)[index] copies one image.
# caught by: test_memmap_dataset
# reads: Opening the file and reading one sample does not read the whole file.
class MemmapDataset:
    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        if not 0 <= index < len(self.labels):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.labels)}")
        image, label = Tensor(np.array(self.images)[index]), Tensor(self.labels[index])
        if self.transform is not None:
            image = (
                self.transform(image, rng=rng)
                if rng is not None and accepts(self.transform, "rng")
                else self.transform(image)
            )
        return image, label
