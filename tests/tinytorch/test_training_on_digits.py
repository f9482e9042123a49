"""A claim of the course: with digits in CIFAR-10's layout and the loader exported from a notebook,
training gets 95% of the test images right.
"""

TRAIN = """
import sys
from tinytorch.core.activations import ReLU
from tinytorch.core.dataloader import CIFAR10Dataset, DataLoader, Normalizer
from tinytorch.core.layers import Flatten, Linear, Sequential
from tinytorch.core.losses import CrossEntropyLoss
from tinytorch.core.optimizers import SGD
from tinytorch.core.training import evaluate, fit
from tinytorch.datasets import write_digits_as_cifar10

write_digits_as_cifar10(sys.argv[1])
train, test = (CIFAR10Dataset(sys.argv[1], train=part, download=False) for part in (True, False))
norm = Normalizer().fit_batches(DataLoader(train, batch_size=256))
model = Sequential(Flatten(), Linear(3072, 64, seed=0), ReLU(), Linear(64, 10, seed=1))
fit(model, DataLoader(train, batch_size=32, shuffle=True, seed=0), CrossEntropyLoss(),
    SGD(model.parameters(), lr=0.05), epochs=12, prepare=norm.transform)
print(len(train), len(test),
      evaluate(model, DataLoader(test, batch_size=128), prepare=norm.transform))
"""


def test_the_exported_loader_trains_a_network_to_95_percent_on_real_digits(
    reference_package, tmp_path
):
    ended = reference_package.run(TRAIN.replace("sys.argv[1]", repr(str(tmp_path))))
    assert ended.returncode == 0, ended.stderr
    num_train, num_test, accuracy = ended.stdout.split()
    assert (num_train, num_test) == ("1437", "360")
    # 97.2% with these seeds; eight other seeds for weights and order gave 95.8 to 98.6%.
    assert float(accuracy) >= 0.95
