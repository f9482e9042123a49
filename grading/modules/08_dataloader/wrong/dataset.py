# %% abstractmethod_is_decoration: `@abstractmethod` is a comment for readers; the body
# that raises is what counts. (promise 1)
class Dataset:
    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __len__")

    def __getitem__(self, index: int):
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")


# %% names_the_base_class: The class that needs the method is the one whose body is
# running. (promise 2)
class Dataset:
    @abstractmethod
    def __len__(self) -> int:
        raise NotImplementedError("Dataset must define __len__")

    @abstractmethod
    def __getitem__(self, index: int):
        raise NotImplementedError("Dataset must define __getitem__")


# %% returns_the_error: An exception can be returned like any other value. (promise 3)
class Dataset:
    @abstractmethod
    def __getitem__(self, index: int):
        return NotImplementedError(f"{type(self).__name__} must define __getitem__")
