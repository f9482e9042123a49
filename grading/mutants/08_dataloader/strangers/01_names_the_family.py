# What the student believed: the subclass is the class that stands right below Dataset.
# breaks: "the message names the subclass" (given: `type(self).__name__`): with
# `class Photos(Dataset)` and `class Small(Photos)`, Small()[3] blames Photos.
class Dataset:
    @abstractmethod
    def __len__(self) -> int:
        """Return the number of samples, 0 or more."""
        family = [c for c in type(self).__mro__ if Dataset in c.__bases__]
        raise NotImplementedError(f"{family[0].__name__} must define __len__")

    @abstractmethod
    def __getitem__(self, index: int):
        """Return sample number `index`, counted from 0."""
        family = [c for c in type(self).__mro__ if Dataset in c.__bases__]
        raise NotImplementedError(f"{family[0].__name__} must define __getitem__")
