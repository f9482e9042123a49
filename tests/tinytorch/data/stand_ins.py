"""A few lines in the place of PyTorch and TensorFlow: they show which calls a pipeline makes, where the real ones are not installed."""

import types

import numpy as np


class FakeTensor:
    """Knows the array that it was made of."""

    def __init__(self, array: np.ndarray, maker: str):
        self.array, self.maker, self.shape = array, maker, array.shape

    def tolist(self):
        return self.array.tolist()


def fake_torch() -> types.ModuleType:
    torch = types.ModuleType("torch")
    torch.from_numpy = lambda array: FakeTensor(array, "torch")
    return torch


def fake_tensorflow() -> types.ModuleType:
    tensorflow = types.ModuleType("tensorflow")
    tensorflow.convert_to_tensor = lambda array: FakeTensor(array, "tensorflow")
    return tensorflow
