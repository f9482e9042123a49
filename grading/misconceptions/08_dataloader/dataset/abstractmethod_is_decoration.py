# What a student believed: `@abstractmethod` is a comment for readers; the body that raises is what
# counts.
# caught by: test_dataset_bodies
# reads: Dataset() raises TypeError, and so does a subclass without one of the two methods.
class Dataset:
    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __len__")

    def __getitem__(self, index: int):
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")
