# What a student believed: A row of a memory map is an array in memory.
# caught by: test_memmap_dataset
# reads: A sample is a copy in memory, not a view of the file.
class MemmapDataset:
    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        if not 0 <= index < len(self.labels):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self.labels)}")
        image, label = Tensor(self.images[index]), Tensor(self.labels[index])
        if self.transform is not None:
            image = (
                self.transform(image, rng=rng)
                if rng is not None and accepts(self.transform, "rng")
                else self.transform(image)
            )
        return image, label
