"""What a person is told who lacks CIFAR-10."""

import os


def how_to_get(root: str | os.PathLike) -> str:
    """The ways to get the data, for an error message."""
    return f"""\
  with a network:     python -c "from tinytorch.datasets import fetch_cifar10; \
fetch_cifar10({str(root)!r})"
  by hand:            get cifar-10-python.tar.gz from https://www.cs.toronto.edu/~kriz/cifar.html,
                      put it in {root} and run the line above
  without a network:  real digits in the same layout, then root='digits':
                      python -c "from tinytorch.datasets import write_digits_as_cifar10 as w; \
w('digits')\""""
