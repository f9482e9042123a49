# What a student believed: NumPy raises IndexError for every index that is not there.
# caught by: test_memmap_dataset
# reads: An index outside 0..N-1 raises IndexError with the index and the size.
class MemmapDataset:
    def sample_with(self, index: int, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
        image, label = Tensor(np.array(self.images[index])), Tensor(self.labels[index])
        if self.transform is not None:
            image = (
                self.transform(image, rng=rng)
                if rng is not None and accepts(self.transform, "rng")
                else self.transform(image)
            )
        return image, label
