# What a student believed: A class is abstract as soon as one of its methods is.
# caught by: test_dataset_bodies
# reads: Dataset() raises TypeError, and so does a subclass without one of the two methods.
class Dataset:
    @abstractmethod
    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __len__")

    def __getitem__(self, index: int):
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")
