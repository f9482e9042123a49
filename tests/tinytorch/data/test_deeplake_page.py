"""The documentation page of Deep Lake's loader, item by item: each method, each parameter and each
example has a test that is named after it.

The outputs and `close` are in `test_deeplake_outputs.py`.
"""

import inspect

import numpy as np
import pytest
from pipeline_kit import (
    CountingDataset,
    coco_dataset,
    column,
    flat,
    numbers,
)

from tinytorch.data import images
from tinytorch.data.columns import ColumnDataset

pytestmark = pytest.mark.usefixtures("frameworks")


@pytest.fixture(scope="module")
def package(references):
    return references("08c").module


@pytest.fixture(scope="module")
def coco() -> ColumnDataset:
    return coco_dataset()


# Signatures: what is on the page can be called with the page's names, in its order, with its
# defaults.

SIGNATURES = {
    "batch": "batch_size, drop_last=False",
    "close": "",
    "offset": "off=0",
    "query": "query_string",
    "sample_by": "weights, replace=True, size=None",
    "shuffle": "shuffle=True, buffer_size=2048",
    "transform": "transform, **kwargs",
    "numpy": (
        "num_workers=0, tensors=None, num_threads=None, prefetch_factor=2, decode_method=None,"
        " persistent_workers=False"
    ),
    "pytorch": (
        "num_workers=0, collate_fn=None, tensors=None, num_threads=None, prefetch_factor=2,"
        " distributed=False, return_index=True, decode_method=None, persistent_workers=False"
    ),
    "tensorflow": (
        "num_workers=0, collate_fn=None, tensors=None, num_threads=None, prefetch_factor=2,"
        " return_index=True, decode_method=None, persistent_workers=False"
    ),
}


@pytest.mark.parametrize("method", SIGNATURES)
def test_the_signature_is_that_of_the_page(package, method):
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(
            getattr(package.DeepLakeDataLoader, method)
        ).parameters.values()
        if parameter.kind != parameter.KEYWORD_ONLY
    ]
    assert ", ".join(str(parameter) for parameter in parameters[1:]) == SIGNATURES[method]


TAKEN = {
    "batch": lambda loader: loader.batch(2),
    "offset": lambda loader: loader.offset(1),
    "query": lambda loader: loader.query("select * where x != 5"),
    "sample_by": lambda loader: loader.sample_by("x"),
    "shuffle": lambda loader: loader.shuffle(False),
    "transform": lambda loader: loader.transform({"x": None}),
    "numpy": lambda loader: loader.numpy(),
    "pytorch": lambda loader: loader.pytorch(),
    "tensorflow": lambda loader: loader.tensorflow(),
}


@pytest.mark.parametrize("step", TAKEN)
def test_each_step_returns_a_deep_lake_data_loader_and_leaves_the_old_one(package, step):
    before = package.pipeline(numbers(4))
    after = TAKEN[step](before)
    assert type(after) is type(before) is package.DeepLakeDataLoader and after is not before
    assert flat([{"x": np.array([row["x"]])} for row in before]) == [
        0,
        1,
        2,
        3,
    ], "the loader before the step gives what it gave"


@pytest.mark.parametrize("step", TAKEN)
def test_a_step_taken_twice_is_a_value_error_that_names_it(package, step):
    with pytest.raises(ValueError, match=rf"\.{step}\(\)"):
        TAKEN[step](TAKEN[step](package.pipeline(numbers())))


@pytest.mark.parametrize("first", ["numpy", "pytorch", "tensorflow"])
@pytest.mark.parametrize("second", ["numpy", "pytorch", "tensorflow"])
def test_numpy_pytorch_and_tensorflow_exclude_each_other(package, first, second):
    with pytest.raises(ValueError, match=rf"\.{first}\(\)"):
        TAKEN[second](TAKEN[first](package.pipeline(numbers())))


def test_dataset_dataloader_returns_a_deep_lake_data_loader(references):
    done = references("08c").run(
        "from tinytorch.data.columns import ColumnDataset\nloader = ColumnDataset({'x': [1, 2,"
        " 3]}).dataloader()\nprint(type(loader).__module__, type(loader).__name__, [int(row['x'])"
        " for row in loader])",
    )
    assert done.stdout.strip() == "tinytorch.data.pipeline DeepLakeDataLoader [1, 2, 3]", (
        done.stderr
    )


# batch


def test_batch_batch_size(package):
    assert column(package.pipeline(numbers()).batch(4).numpy()) == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9],
    ]


def test_batch_drop_last(package):
    loader = package.pipeline(numbers()).batch(4, drop_last=True).numpy()
    assert column(loader) == [[0, 1, 2, 3], [4, 5, 6, 7]] and len(loader) == 2


@pytest.mark.parametrize("size", [0, -1, 2.5, True, "4", None])
def test_batch_refuses_a_size_that_is_none(package, size):
    with pytest.raises(ValueError, match="batch_size must be an integer of 1"):
        package.pipeline(numbers()).batch(size)


# offset


def test_offset_off(package):
    loader = package.pipeline(numbers()).batch(4).offset(3).numpy()
    assert column(loader) == [[3, 4, 5, 6], [7, 8, 9]] and len(loader) == 2
    assert (
        flat(package.pipeline(numbers()).batch(4).offset(10))
        == []
        == flat(package.pipeline(numbers()).batch(4).offset(99))
    )
    with pytest.raises(ValueError, match="off must be an integer of 0"):
        package.pipeline(numbers()).offset(-1)


# query


def test_query_example_fashion_mnist(package, fashion):
    loader = (
        package.pipeline(fashion)
        .query("select * where labels != 5")
        .batch(8)
        .numpy(tensors=["labels"])
    )
    assert (
        flat(loader, "labels") == [label for label in (np.arange(40) % 10).tolist() if label != 5]
        and len(loader) == 5
    )


def test_query_example_coco(package, coco):
    text = (
        "(select * where contains(categories, 'car') limit 1000) union (select * where"
        " contains(categories, 'motorcycle') limit 1000)"
    )
    categories = coco.columns["categories"].values
    cars = [row for row in range(60) if "car" in categories[row]]
    want = cars + [row for row in range(60) if "motorcycle" in categories[row] and row not in cars]
    loader = package.pipeline(coco).query(text).batch(10).pytorch()
    assert flat(loader, "index") == want
    few = package.pipeline(coco).query(text.replace("1000", "3")).batch(10).pytorch()
    motorcycles = [row for row in range(60) if "motorcycle" in categories[row]][:3]
    assert flat(few, "index") == cars[:3] + [row for row in motorcycles if row not in cars[:3]]


def test_query_shows_the_position_of_an_error(package, fashion):
    with pytest.raises(ValueError) as caught:
        package.pipeline(fashion).query("select * where lables != 5")
    assert str(caught.value).split("\n")[1:] == [
        "  select * where lables != 5",
        "                 ^",
    ]


# sample_by. Shares are of 4,000 draws: a standard deviation is at most 0.008, so 0.05 is missed by
# chance once in 1e9.


def shares(loader, count: int = 4000) -> np.ndarray:
    labels = np.array(flat(loader, "labels"))
    assert len(labels) == count
    return np.bincount(labels, minlength=10) / count


def test_sample_by_example_max_weight(package, fashion):
    loader = (
        package.pipeline(fashion)
        .sample_by("max_weight(labels == 5: 10, labels == 6: 5)", size=4000, seed=0)
        .batch(100)
        .numpy(tensors=["labels"])
    )
    want = np.zeros(10)
    want[5], want[6] = 2 / 3, 1 / 3
    assert np.abs(shares(loader) - want).max() < 0.05, (
        "labels == 5 comes twice as often as labels == 6"
    )


def test_sample_by_example_labels(package, fashion):
    loader = (
        package.pipeline(fashion)
        .sample_by("labels", size=4000, seed=0)
        .batch(100)
        .numpy(tensors=["labels"])
    )
    assert np.abs(shares(loader) - np.arange(10) / 45).max() < 0.05


def test_sample_by_example_list_without_replacement(package, coco):
    weights = [i % 5 for i in range(len(coco))]
    rows = flat(
        package.pipeline(coco).sample_by(weights, replace=False).batch(7).pytorch(), "index"
    )
    assert sorted(rows) == [i for i in range(len(coco)) if i % 5], (
        "each row of positive weight once"
    )
    assert rows != sorted(rows)  # 48 rows: in order once in 48! draws


@pytest.mark.parametrize("make", [list, tuple, np.array])
def test_sample_by_weights_may_be_a_list_a_tuple_or_an_array(package, make):
    rows = flat(package.pipeline(numbers(4)).sample_by(make([0, 1, 0, 0])).batch(2))
    assert rows == [1, 1, 1, 1]


def test_sample_by_replace(package):
    weights = [1.0] * 10
    assert sorted(
        flat(package.pipeline(numbers()).sample_by(weights, replace=False).batch(3))
    ) == list(range(10))
    # Ten draws with replacement are all different once in 2,756 times; twenty epochs all of them
    # never.
    loader = package.pipeline(numbers()).sample_by(weights).batch(3)
    assert any(len(set(flat(loader))) < 10 for _ in range(20))
    with pytest.raises(ValueError, match="11"):
        flat(package.pipeline(numbers()).sample_by(weights, replace=False, size=11).batch(3))


def test_sample_by_size(package):
    for size in (3, 25):
        loader = package.pipeline(numbers()).sample_by([1] * 10, size=size).batch(4)
        assert len(flat(loader)) == size and len(loader) == -(-size // 4)
    assert len(flat(package.pipeline(numbers()).sample_by([1] * 10).batch(4))) == 10, (
        "None takes as many as the dataset has"
    )
    with pytest.raises(ValueError, match="size"):
        package.pipeline(numbers()).sample_by([1] * 10, size=0)


@pytest.mark.parametrize(
    "weights, says",
    [
        ([1, 2], "each of the 10 rows"),
        ([-1] * 10, "row 0 has -1.0"),
        ([0] * 10, "all 10 are 0"),
        ("max_weight(lables == 5: 1)", "did you mean|no column"),
        ("max_weight(x == 5 1)", "expected ':'"),
    ],
)
def test_sample_by_refuses_weights_that_cannot_be(package, weights, says):
    with pytest.raises(ValueError, match=says):
        package.pipeline(numbers()).sample_by(weights)


# shuffle


def test_shuffle_shuffle(package):
    loader = package.pipeline(numbers(50)).shuffle().batch(10).numpy()
    first, second = flat(loader), flat(loader)
    # 50 rows: in order, or twice the same order, once in 50!
    assert (
        sorted(first) == sorted(second) == list(range(50))
        and first != list(range(50))
        and first != second
    )
    assert flat(package.pipeline(numbers(50)).shuffle(False).batch(10)) == list(range(50))
    assert flat(package.pipeline(numbers(50)).shuffle(shuffle=False).batch(10)) == list(range(50))


def test_shuffle_buffer_size_is_in_megabytes(package):
    ds = CountingDataset({"x": np.zeros((40, 250_000), np.uint8)})  # 10 MB, 4 rows in a MB
    for megabytes, most in ((1, 4 + 2), (5, 20 + 2)):
        ds.reads = 0
        epoch = iter(package.pipeline(ds).shuffle(buffer_size=megabytes).batch(1).numpy())
        next(epoch)
        assert most - 2 <= ds.reads <= most, (
            "rows that are held, one that is in hand and one that was given out"
        )
        epoch.close()


def test_shuffle_buffer_size_increases_the_extent_of_shuffling(package):
    # 10 kB a row
    ds = ColumnDataset({"x": np.arange(400), "weight": np.zeros((400, 9_992), np.uint8)})

    def moved(megabytes):
        rows = np.array(flat(package.pipeline(ds, seed=1).shuffle(buffer_size=megabytes).batch(50)))
        assert sorted(rows) == list(range(400))
        return np.abs(rows - np.arange(400)).mean()

    # Mean distances of about 0, 5 to 10, 50 and 130 places: their order is certain.
    assert 0 == moved(0) < moved(0.1) < moved(1) < moved(4)


def test_shuffle_of_a_view_is_a_value_error(package, fashion):
    for loader in (
        lambda: package.pipeline(fashion).query("select * where labels != 5").shuffle(),
        lambda: package.pipeline(fashion).shuffle().query("select * where labels != 5"),
        lambda: package.pipeline(fashion[3:9]).shuffle(),
    ):
        with pytest.raises(ValueError, match="view"):
            loader()
    assert len(package.pipeline(fashion).query("select * where labels != 5").shuffle(False)) == 36


# transform


def test_transform_function_with_kwargs(package):
    loader = (
        package.pipeline(numbers(4))
        .transform(lambda row, scale, shift=0: {"z": row["x"] * scale + shift}, scale=3, shift=1)
        .batch(2)
    )
    assert column(loader, "z") == [[1, 4], [7, 10]]


def test_transform_dict(package):
    batch = next(
        iter(
            package.pipeline(numbers(4))
            .transform({"y": None, "x": lambda value: value + 100})
            .batch(2)
            .numpy()
        )
    )
    assert (
        list(batch) == ["y", "x"]
        and batch["y"].tolist() == [0, 10]
        and batch["x"].tolist() == [100, 101]
    )


def test_transform_kwargs_are_ignored_with_a_dict(package):
    assert flat(
        package.pipeline(numbers(3)).transform({"x": lambda value: -value}, scale=3).batch(2)
    ) == [0, -1, -2]


def test_transform_refuses_what_is_no_function(package):
    for wrong in (3, {"x": 3}, None):
        with pytest.raises(ValueError, match="transform must be a function"):
            package.pipeline(numbers()).transform(wrong)
    with pytest.raises(ValueError, match="no column is named 'z'"):
        package.pipeline(numbers()).transform({"z": None})


# The page's training examples


class Compose:
    """The same as torchvision's: it applies one function after the other."""

    def __init__(self, *functions):
        self.functions = functions

    def __call__(self, value):
        for function in self.functions:
            value = function(value)
        return value


def rotated(image):
    return image.rotate(15)


def to_numbers(image):
    return np.asarray(image, np.float32)[None] / 255


def normalized(image):
    return (image - 0.5) / 0.5


@pytest.mark.parametrize("num_workers", [0, 2])
def test_example_of_training_with_pil_images_and_pytorch(package, fashion, num_workers):
    tform = Compose(rotated, to_numbers, normalized)
    batch_size = 32
    train_loader = (
        package.pipeline(fashion)
        .transform({"images": tform, "labels": None})
        .batch(batch_size)
        .shuffle()
        .pytorch(decode_method={"images": "pil"}, num_workers=num_workers)
    )
    rows = []
    for i, sample in enumerate(train_loader):
        assert (
            sample["images"].shape == ((32, 8)[i], 1, 28, 28)
            and sample["images"].array.dtype == np.float32
            and -1 <= sample["images"].array.min()
        )
        assert (sample["labels"].array == sample["index"].array % 10).all()
        rows += sample["index"].tolist()
    assert sorted(rows) == list(range(40)) and rows != sorted(rows)


def test_example_of_training_with_tensorflow(package, fashion):
    train_loader = package.pipeline(fashion).batch(32).shuffle().tensorflow()
    seen = []
    for i, sample in enumerate(train_loader):
        assert sample["images"].maker == "tensorflow" and sample["images"].shape == (
            (32, 8)[i],
            28,
            28,
        )
        seen += sample["index"].tolist()
    assert sorted(seen) == list(range(40))


# Damage on the way


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_damaged_image_stops_the_epoch_with_column_and_row(package, fashion, num_workers):
    data = [fashion.read(row)["images"] for row in range(6)]
    data[3] = data[3][:60]
    loader = (
        package.pipeline(ColumnDataset({"images": data})).batch(2).numpy(num_workers=num_workers)
    )
    epoch = iter(loader)
    assert next(epoch)["images"].shape == (2, 28, 28)
    with pytest.raises(images.ImageError, match=r"column 'images', row 3: .* damaged or cut off"):
        next(epoch)


@pytest.mark.parametrize("num_workers", [0, 1])
def test_an_error_of_a_transform_comes_with_its_own_type(package, num_workers):
    def fail(row):
        raise LookupError(f"no sense in row {row['x']}")

    with pytest.raises(LookupError, match="no sense in row 0"):
        list(package.pipeline(numbers()).transform(fail).batch(2).numpy(num_workers=num_workers))
