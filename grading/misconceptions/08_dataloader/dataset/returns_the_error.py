# What a student believed: An exception can be returned like any other value.
# caught by: test_dataset_bodies
# reads: The body of __getitem__ raises a NotImplementedError that names the subclass and
# __getitem__.
class Dataset:
    @abstractmethod
    def __getitem__(self, index: int):
        return NotImplementedError(f"{type(self).__name__} must define __getitem__")
