# What a student believed: A dataset that does not say how long it is has no samples.
# caught by: test_dataset_bodies
# reads: A missing __len__ names the subclass and the method.
class Dataset:
    @abstractmethod
    def __len__(self) -> int:
        return 0
