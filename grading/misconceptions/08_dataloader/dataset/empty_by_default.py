# What a student believed: A dataset that does not say how long it is has no samples.
# caught by: test_dataset_bodies
# reads: The body of __len__ raises a NotImplementedError that names the subclass and
# __len__.
class Dataset:
    @abstractmethod
    def __len__(self) -> int:
        return 0
