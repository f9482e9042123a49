# What a student believed: Both bodies say the same: what a dataset needs.
# caught by: test_dataset_bodies
# reads: The body of __len__ raises a NotImplementedError that names the subclass and
# __len__.
class Dataset:
    @abstractmethod
    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")

    @abstractmethod
    def __getitem__(self, index: int):
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")
