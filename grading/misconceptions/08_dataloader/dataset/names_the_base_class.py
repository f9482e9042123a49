# What a student believed: The class that needs the method is the one whose body is running.
# caught by: test_dataset_bodies
# reads: The body of __len__ raises a NotImplementedError that names the subclass and
# __len__.
class Dataset:
    @abstractmethod
    def __len__(self) -> int:
        raise NotImplementedError("Dataset must define __len__")

    @abstractmethod
    def __getitem__(self, index: int):
        raise NotImplementedError("Dataset must define __getitem__")
