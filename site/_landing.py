# What the landing page shows: each cell runs while the site is built, as the demo cells of a module
# do. A cell is called after its grade_id; index.md says where its output, or its code, is.

# %% nbgrader={"grade_id": "red"} tags=["demo"]
from pathlib import Path

import numpy as np

from tinytorch.testing import PromiseBroken
from tito.notebook.cells import read_ipynb


def run_test(epoch_order):
    """The test of a student's notebook, with this solution."""
    path = Path("modules/08_dataloader/dataloader_dev.ipynb")
    given = {"given_setup", "given_test_tools", "test_every_sample_once"}
    names = {"__name__": "notebook"}
    for cell in read_ipynb(path):
        if cell.grade_id == "test_every_sample_once":
            names["epoch_order"] = epoch_order
        if cell.grade_id in given:
            exec(cell.python, names)


def at_random(num_samples, shuffle, seed=None, epoch=0):
    if not shuffle:
        return np.arange(num_samples)
    return np.random.default_rng(seed).integers(0, num_samples, size=num_samples)


try:
    run_test(at_random)
except PromiseBroken as red:
    print("\n".join(red._render_traceback_()))

# %% nbgrader={"grade_id": "gather"} tags=["demo"]
import time

from tinytorch.core.dataloader import DataLoader, Dataset, TensorDataset
from tinytorch.datasets import synthetic_images
from tinytorch.profiler import in_turns
from tinytorch.profiler.pictures.ladder import plot_ladder

many_images, many_labels = synthetic_images(20_000, seed=0)
many = TensorDataset(many_images, many_labels)


class OneByOne(Dataset):
    """The same samples, read with one call each."""

    def __len__(self):
        return len(many)

    def __getitem__(self, index):
        return many[index]


def rate(batches):
    started = time.thread_time()  # other programs do not count
    count = sum(len(batch[1]) for batch in batches)
    return count / (time.thread_time() - started)


def copies_of_rows():
    order, batch = (
        np.random.default_rng(0).permutation(len(many)),
        np.empty((128, 3, 32, 32), np.uint8),
    )
    for start in range(0, len(order), 128):
        rows = order[start : start + 128]
        np.take(many_images, rows, axis=0, out=batch[: len(rows)], mode="clip")
        yield batch, rows


rates = in_turns(
    {
        "one call a sample": lambda: rate(DataLoader(OneByOne(), batch_size=128, shuffle=True)),
        "one call a batch": lambda: rate(DataLoader(many, batch_size=128, shuffle=True)),
        "limit": lambda: rate(copies_of_rows()),
    },
    limit="limit",
)
_ = plot_ladder(rates.medians)

# %% nbgrader={"grade_id": "lines"} tags=["demo"]
from tinytorch.core.dataloader import Compose, RandomCrop, RandomHorizontalFlip
from tinytorch.core.tensor import Tensor
from tinytorch.profiler import profile_loader
from tito.run.profile_table import Profile, three_lines


class Augmented(Dataset):
    """Images of CIFAR-10's size, flipped and cropped one by one."""

    def __init__(self):
        self.images, self.labels = many_images[:2048], many_labels[:2048]
        self.transform = Compose([RandomHorizontalFlip(), RandomCrop(32, padding=4)])

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return Tensor(self.transform(self.images[index])), Tensor(self.labels[index])


def make_loader(batch_size=32, prefetch=0):
    return DataLoader(Augmented(), batch_size=batch_size, shuffle=True, seed=0, prefetch=prefetch)


report = profile_loader(make_loader, 0.002, quick=True)
for label, text in three_lines(Profile.from_json(report.as_dict())):
    print(f"{label}: {text}")

# %% nbgrader={"grade_id": "green"} tags=["demo"]
from tinytorch.core.dataloader import epoch_order

run_test(epoch_order)

from tinytorch.datasets import load_digits
from tinytorch.datasets.digits import as_cifar10_images

images, labels = load_digits("train")
test_images, test_labels = load_digits("test")
digits = TensorDataset(Tensor(as_cifar10_images(images)), Tensor(labels))
test_digits = TensorDataset(Tensor(as_cifar10_images(test_images)), Tensor(test_labels))

# %% nbgrader={"grade_id": "train"} tags=["demo"]
from tinytorch import SGD, CrossEntropyLoss, DataLoader, Flatten, Linear, ReLU, Sequential
from tinytorch import evaluate, fit, scale_pixels

loader = DataLoader(digits, batch_size=32, shuffle=True, seed=0)
model = Sequential(Flatten(), Linear(3072, 64, seed=0), ReLU(), Linear(64, 10, seed=1))
optimizer = SGD(model.parameters(), lr=0.03)
fit(model, loader, CrossEntropyLoss(), optimizer, epochs=4, prepare=scale_pixels)
right = evaluate(model, DataLoader(test_digits, batch_size=128), prepare=scale_pixels)
print(f"recognizes {right:.0%} of the test images")

# %% nbgrader={"grade_id": "order"} tags=["demo"]
import matplotlib.pyplot as plt


def trained(dataset, shuffle):
    """The loss of each step, and the share of the test images that is right."""
    model = Sequential(Flatten(), Linear(3072, 64, seed=0), ReLU(), Linear(64, 10, seed=1))
    loader = DataLoader(dataset, batch_size=32, shuffle=shuffle, seed=0)
    optimizer = SGD(model.parameters(), lr=0.03)
    history = fit(model, loader, CrossEntropyLoss(), optimizer, epochs=4, prepare=scale_pixels)
    return history.losses, evaluate(
        model, DataLoader(test_digits, batch_size=128), prepare=scale_pixels
    )


by_label = np.argsort(labels, kind="stable")
in_order = TensorDataset(Tensor(as_cifar10_images(images[by_label])), Tensor(labels[by_label]))
runs = {"sorted by label": trained(in_order, False), "shuffled": trained(in_order, True)}
figure, axes = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
for (name, (losses, right)), color, height in zip(
    runs.items(), ("#D55E00", "#0072B2"), (0.93, 0.14), strict=True
):
    smooth = np.convolve(losses, np.ones(15) / 15, "valid")
    axes.plot(np.arange(len(smooth)) + 15, smooth, color=color)
    axes.text(
        0.98,
        height,
        f"{name}: {right:.0%} right",
        color=color,
        ha="right",
        transform=axes.transAxes,
    )
axes.set_title(
    f"The same network recognizes {runs['sorted by label'][1]:.0%} of the test images"
    f"\nafter training on sorted data, {runs['shuffled'][1]:.0%} after shuffling",
    loc="left",
    fontsize=10.5,
)
axes.set_xlabel("training step")
axes.set_ylabel("loss, mean of 15 steps")
axes.set_ylim(bottom=0)
axes.spines[["top", "right"]].set_visible(False)

# %% nbgrader={"grade_id": "ahead"} tags=["demo"]
from tinytorch.profiler import Law
from tinytorch.profiler.pictures.timeline_plots import plot_timeline

serial, elsewhere, _ = report.timelines
Law(
    "the repeats of each run agree within 15%",
    max(one["spread"] for one in report.timelines) < 0.15,
)
Law(
    "beside a free core, reading ahead takes no longer than loading and step one after the other",
    elsewhere["wall_seconds"] <= serial["wall_seconds"],
)
_ = plot_timeline(report.timelines, width_inches=5.2)
