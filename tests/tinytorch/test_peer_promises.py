"""The API tables and code examples on the TinyTorch course's page on module 08, run on this
course's reference solution.

Each test is one row or one example of that page (site page and ABOUT of "08 DataLoader"), in the
page's order. Where the page is wrong or says nothing, this course's own contract holds, and the
test says so.
"""

from collections.abc import Iterator
from types import GeneratorType, SimpleNamespace

import numpy as np
import pytest

from tinytorch.core.tensor import Tensor


@pytest.fixture
def tt(reference_package):
    return reference_package.module


def bare(size):
    return np.arange(size * 2, dtype=np.float32).reshape(size, 2), np.arange(size)


# Dataset (Abstract Base Class)


def test_dataset_is_abstract_in_both_methods(tt):
    assert tt.Dataset.__abstractmethods__ == {"__len__", "__getitem__"}
    with pytest.raises(TypeError, match="abstract"):
        tt.Dataset()


def test_a_subclass_that_forgets_a_method_cannot_be_made(tt):
    class Half(tt.Dataset):
        def __len__(self):
            return 3

    with pytest.raises(TypeError, match="__getitem__"):
        Half()


def test_len_gives_the_number_of_samples_and_getitem_a_sample(tt):
    class Squares(tt.Dataset):
        def __len__(self):
            return 5

        def __getitem__(self, idx):
            return idx * idx

    squares = Squares()
    assert len(squares) == 5 and squares[3] == 9
    assert [batch.data.tolist() for batch in tt.DataLoader(squares, batch_size=2)] == [
        [0, 1],
        [4, 9],
        [16],
    ]


def test_about_bodies_raise_not_implemented(tt):
    class Careless(tt.Dataset):
        def __len__(self):
            return super().__len__()

        def __getitem__(self, index):
            return super().__getitem__(index)

    with pytest.raises(NotImplementedError, match="Careless must define __getitem__"):
        Careless()[0]
    with pytest.raises(NotImplementedError, match="Careless must define __len__"):
        len(Careless())


# TensorDataset


def test_tensor_dataset_takes_any_number_of_aligned_tensors(tt):
    for count in (1, 2, 3):
        dataset = tt.TensorDataset(*(Tensor(np.arange(4) * k) for k in range(count)))
        assert isinstance(dataset, tt.Dataset) and len(dataset) == 4 and len(dataset[0]) == count


def test_a_sample_is_the_tuple_of_tensor_slices(tt):
    features, labels = bare(6)
    sample = tt.TensorDataset(Tensor(features), Tensor(labels))[4]
    assert isinstance(sample, tuple) and all(isinstance(part, Tensor) for part in sample)
    assert sample[0].data.tolist() == features[4].tolist() and int(sample[1].data) == 4


def test_mismatched_tensor_dimensions_example(tt):
    features = Tensor(np.random.default_rng(0).standard_normal((100, 10)))
    labels = Tensor(np.random.default_rng(1).standard_normal(90))
    with pytest.raises(
        ValueError, match=r"All tensors must have same size in first dimension.*100.*90"
    ):
        tt.TensorDataset(features, labels)


# DataLoader


def test_loader_arguments_and_their_defaults(tt):
    loader = tt.DataLoader([1, 2, 3])
    assert (loader.batch_size, loader.shuffle, loader.drop_last) == (32, False, False)
    # positional, as the page writes them
    assert tt.DataLoader([1, 2, 3], 2, True, True).batch_size == 2


def test_len_is_the_ceiling_of_samples_by_batch_size(tt):
    for samples in range(12):
        for batch_size in range(1, 6):
            assert len(tt.DataLoader(list(range(samples)), batch_size=batch_size)) == -(
                -samples // batch_size
            )


def test_iter_returns_a_generator_of_batched_tensors(tt):
    batches = iter(tt.DataLoader(tt.TensorDataset(*map(Tensor, bare(5))), batch_size=2))
    assert isinstance(batches, (Iterator, GeneratorType))
    features, labels = next(batches)
    assert isinstance(features, Tensor) and features.shape == (2, 2) and labels.shape == (2,)


def test_collate_batch_stacks_samples(tt):
    loader = tt.DataLoader([])
    batch = loader._collate_batch(
        [(Tensor(np.zeros(784, np.float32)), Tensor(np.array(k))) for k in range(5)]
    )
    assert (
        isinstance(batch, tuple)
        and batch[0].shape == (5, 784)
        and batch[1].data.tolist() == [0, 1, 2, 3, 4]
    )
    assert batch[0].data.flags["C_CONTIGUOUS"]


def test_the_pattern_youll_enable(tt):
    features, labels = bare(100)
    dataset = tt.TensorDataset(Tensor(features), Tensor(labels))
    loader = tt.DataLoader(dataset, batch_size=32, shuffle=True)
    seen = []
    for batch_features, batch_labels in loader:
        assert batch_features.shape == (len(batch_labels), 2)
        assert np.array_equal(batch_features.data[:, 0], 2 * batch_labels.data)
        seen += batch_labels.data.tolist()
    assert sorted(seen) == list(range(100))


def test_last_batch_of_100_samples_by_32_has_4(tt):
    assert [
        len(batch)
        for (batch,) in tt.DataLoader(tt.TensorDataset(Tensor(np.zeros(100))), batch_size=32)
    ] == [32, 32, 32, 4]
    assert [
        len(batch)
        for (batch,) in tt.DataLoader(
            tt.TensorDataset(Tensor(np.zeros(100))), batch_size=32, drop_last=True
        )
    ] == [32, 32, 32]


def test_each_epoch_generates_a_fresh_shuffle_of_indices(tt):
    # 60! orders: no false alarm
    loader = tt.DataLoader(list(range(60)), batch_size=60, shuffle=True)
    first, second = (next(iter(loader)).data for _ in range(2))
    assert not np.array_equal(first, second) and np.array_equal(np.sort(first), np.sort(second))


def test_without_shuffle_every_epoch_is_the_same(tt):
    loader = tt.DataLoader(list(range(10)), batch_size=4, shuffle=False)
    assert (
        [batch.data.tolist() for batch in loader]
        == [batch.data.tolist() for batch in loader]
        == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    )


def test_indices_are_shuffled_never_data(tt):
    """The page says 8 bytes for each index. That is true of the int64 array here, but not of the
    page's own list(range(n)).
    """
    order = tt.epoch_order(50_000, shuffle=True, seed=0)
    assert order.nbytes == 400_000


def test_only_the_current_batch_is_in_memory(tt):
    from tinytorch.testing import ReadLog

    log = ReadLog(range(1000))
    batches = iter(tt.DataLoader(log, batch_size=32))
    for k in range(1, 4):
        next(batches)
        assert len(log.reads) == 32 * k


def test_a_file_backed_dataset_loads_when_it_is_asked(tt):
    loaded = []

    class ImageDataset(tt.Dataset):
        def __init__(self, image_paths, labels):
            self.image_paths, self.labels = image_paths, labels

        def __len__(self):
            return len(self.image_paths)

        def __getitem__(self, idx):
            loaded.append(self.image_paths[idx])
            return Tensor(np.zeros((3, 4, 4), np.uint8)), Tensor(self.labels[idx])

    images, labels = next(
        iter(
            tt.DataLoader(
                ImageDataset([f"{i}.jpg" for i in range(9)], list(range(9))), batch_size=2
            )
        )
    )
    assert (
        loaded == ["0.jpg", "1.jpg"]
        and images.shape == (2, 3, 4, 4)
        and labels.data.tolist() == [0, 1]
    )


def test_index_out_of_bounds_example(tt):
    dataset = tt.TensorDataset(Tensor(np.zeros((100, 2))))
    with pytest.raises(IndexError, match="Index 100 out of range for dataset of size 100"):
        dataset[100]
    assert len(dataset[0]) == len(dataset[99]) == 1


# Data augmentation transforms


def test_random_horizontal_flip_flips_the_width_with_probability_p(tt):
    image = np.arange(24).reshape(2, 3, 4)
    assert tt.RandomHorizontalFlip().p == 0.5
    assert np.array_equal(tt.RandomHorizontalFlip(p=1.0)(image), image[:, :, ::-1])
    assert np.array_equal(tt.RandomHorizontalFlip(p=0.0)(image), image)
    # 1,000 fair flips: outside 400..600 with probability below 1e-9.
    flip = tt.RandomHorizontalFlip(p=0.5, seed=0)
    assert 400 < sum(flip(image)[0, 0, 0] == 3 for _ in range(1000)) < 600
    for p in (-0.1, 1.1):
        with pytest.raises(ValueError, match=str(p)):
            tt.RandomHorizontalFlip(p=p)


def test_random_crop_pads_cifar_to_40_and_crops_back_to_32(tt):
    image = np.ones((3, 32, 32), np.uint8)
    assert tt.RandomCrop(32).padding == 4
    assert tt.RandomCrop(32)(image).shape == (3, 32, 32)
    assert tt.RandomCrop((24, 28), padding=4)(image).shape == (3, 24, 28)
    assert np.array_equal(
        tt.RandomCrop(40, padding=4)(image), np.pad(image, ((0, 0), (4, 4), (4, 4)))
    )


def test_compose_chains_transforms_in_sequence(tt):
    compose = tt.Compose([lambda image: image + 1, lambda image: image * 10])
    assert compose(np.zeros((1, 1, 1))).tolist() == [[[10.0]]]
    pipeline = tt.Compose([tt.RandomHorizontalFlip(p=0.5), tt.RandomCrop(32, padding=4)])
    assert pipeline(Tensor(np.ones((3, 32, 32), np.uint8))).shape == (3, 32, 32)


# Common errors


def test_forgetting_to_shuffle_a_sorted_dataset(tt):
    """Sorted by class and not shuffled, the first batch is one class; shuffled, it is not (ten
    classes: false alarm below 1e-31).
    """
    labels = np.repeat(np.arange(10), 50)
    sorted_loader, shuffled = (
        tt.DataLoader(tt.TensorDataset(Tensor(labels)), batch_size=32, shuffle=shuffle, seed=1)
        for shuffle in (False, True)
    )
    assert len(set(next(iter(sorted_loader))[0].data.tolist())) == 1
    assert len(set(next(iter(shuffled))[0].data.tolist())) > 1


def test_batch_size_is_read_from_the_tensor(tt):
    sizes = [
        features.shape[0]
        for features, _ in tt.DataLoader(tt.TensorDataset(*map(Tensor, bare(100))), batch_size=32)
    ]
    assert sizes == [32, 32, 32, 4]


# ABOUT: CIFAR-10, preprocessing, training


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    from tinytorch.datasets import write_digits_as_cifar10

    root = tmp_path_factory.mktemp("data")
    write_digits_as_cifar10(root)
    return root


def test_cifar10_sample_shape_and_label_range(tt, digits):
    dataset = tt.CIFAR10Dataset(root=str(digits), train=True, download=False)
    images, labels = zip(*(dataset[i] for i in range(0, len(dataset), 50)), strict=True)
    assert {image.shape for image in images} == {(3, 32, 32)} and {
        image.dtype for image in images
    } == {np.dtype(np.uint8)}
    assert (
        0
        <= min(int(label.data) for label in labels)
        <= max(int(label.data) for label in labels)
        <= 9
    )
    assert len(dataset.classes) == 10


def test_cifar10_train_and_test_split(tt, digits):
    assert [
        len(tt.CIFAR10Dataset(digits, train=train, download=False)) for train in (True, False)
    ] == [1437, 360]


def test_cifar10_loader_yields_batches_of_32_images(tt, digits):
    loader = tt.DataLoader(tt.CIFAR10Dataset(digits, download=False), batch_size=32, shuffle=True)
    assert next(iter(loader))[0].shape == (32, 3, 32, 32)


def test_cifar10_defaults_are_the_pages(tt):
    import inspect

    parameters = inspect.signature(tt.CIFAR10Dataset).parameters
    assert [parameters[name].default for name in ("root", "train", "download")] == [
        "./data",
        True,
        True,
    ]


def test_normalizer_fits_transforms_and_chains(tt):
    """The page averages over axis 0 only; for images this course has one number for each
    channel.
    """
    rng = np.random.default_rng(0)
    train, validation = rng.normal(5, 3, (200, 4)), rng.normal(5, 3, (50, 4))
    norm = tt.Normalizer()
    assert norm.fit(train) is norm
    assert np.allclose(norm.mean, train.mean(axis=0)) and np.allclose(norm.std, train.std(axis=0))
    assert np.allclose(
        norm.transform(validation),
        (validation - train.mean(axis=0)) / (train.std(axis=0) + 1e-8),
        atol=1e-5,
    )
    again = tt.Normalizer().fit_transform(train)
    assert np.allclose(again.mean(axis=0), 0, atol=1e-5) and np.allclose(
        again.std(axis=0), 1, atol=1e-5
    )


def test_the_loop_of_the_code_comparison_trains(tt):
    from tinytorch.core.layers import Linear
    from tinytorch.core.losses import CrossEntropyLoss
    from tinytorch.core.optimizers import SGD

    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 128)
    features = (rng.normal(0, 0.3, (128, 2)) + 2 * labels[:, None]).astype(np.float32)
    train_loader = tt.DataLoader(
        tt.TensorDataset(Tensor(features), Tensor(labels)), batch_size=32, shuffle=True, seed=0
    )
    model, loss_fn = Linear(2, 2), CrossEntropyLoss()
    optimizer = SGD(list(model.parameters()), lr=0.2)
    history = []
    for _epoch in range(6):
        for batch_features, batch_labels in train_loader:
            optimizer.zero_grad()
            loss = loss_fn(model(batch_features), batch_labels)
            loss.backward()
            optimizer.step()
            history.append(float(loss.data))
    assert len(history) == 6 * 4 and np.mean(history[-4:]) < 0.5 * np.mean(history[:4])


# Where this code lives


def test_the_imports_of_the_page(reference_package):
    names = (
        "Dataset, TensorDataset, DataLoader, CIFAR10Dataset, Normalizer, RandomHorizontalFlip,"
        " RandomCrop, Compose"
    )
    done = reference_package.run(
        f"from tinytorch.core.dataloader import {names}\n"
        "from tinytorch import DataLoader as exposed\nassert exposed is DataLoader"
    )
    assert done.returncode == 0, done.stderr


def test_pytorchs_own_loader_protocol_is_understood(tt):
    """Anything with len and [] is a dataset, as in PyTorch; a list too."""
    anything = SimpleNamespace()
    with pytest.raises(TypeError):
        len(tt.DataLoader(anything))
    assert [batch.data.tolist() for batch in tt.DataLoader([1, 2, 3], batch_size=2)] == [
        [1, 2],
        [3],
    ]
