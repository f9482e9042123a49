"""The loaders of the comparison, one file for each library.

Each file has
    NEEDS      names that must be importable, otherwise the library is "not installed";
    VARIANTS   case -> names of the ways in which this library can do that case's work;
    make(variant, work) -> something that can be iterated many times, each time over one shuffled
               epoch of batches (images, labels, ...).
It imports its library inside functions, so that its VARIANTS can be read even if the library is not
installed.
"""

NAMES = ("ours", "naive", "pytorch", "torchdata", "fastai", "grain", "tfdata", "deeplake")


class NotThere(Exception):
    """This variant does not exist in the installed version; the message says what is missing."""
