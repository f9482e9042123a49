"""The page of Deep Lake's loader, item by item: each method, each parameter and each example has a test that is named after it.

PyTorch and TensorFlow are not installed with the course, so stand-ins take their place; `test_columns.py` has a test with the real one.
"""

import inspect
import os
import sys

import numpy as np
import psutil
import pytest
from stand_ins import FakeTensor, fake_tensorflow, fake_torch

from tinytorch.data import images
from tinytorch.data.columns import ColumnDataset

GUARD_SECONDS = 90
CLASSES = ["T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]


@pytest.fixture(scope="module")
def package(references):
    return references("08c").module


@pytest.fixture(autouse=True)
def frameworks(monkeypatch):
    for name, module in (("torch", fake_torch()), ("tensorflow", fake_tensorflow())):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "torch.distributed", None)
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def fashion() -> ColumnDataset:
    """Forty pictures in the manner of fashion-mnist: png of 28 x 28, ten classes."""
    pictures = np.random.default_rng(0).integers(0, 256, (40, 28, 28), dtype=np.uint8)
    return ColumnDataset({"images": [images.encode(picture) for picture in pictures], "labels": np.arange(40) % 10}, class_names={"labels": CLASSES})


@pytest.fixture(scope="module")
def coco() -> ColumnDataset:
    """Sixty rows in the manner of coco: each has a list of categories."""
    names = ["person", "car", "motorcycle", "dog"]
    return ColumnDataset({"pixels": np.arange(60 * 4).reshape(60, 2, 2), "categories": [[names[n % 4], names[n // 4 % 4]] for n in range(60)]})


def numbers(count: int = 10) -> ColumnDataset:
    return ColumnDataset({"x": np.arange(count), "y": np.arange(count) * 10.0})


def column(batches, name="x") -> list:
    return [batch[name].tolist() for batch in batches]


def flat(batches, name="x") -> list:
    return [value for batch in batches for value in batch[name].tolist()]


# Signatures: what is on the page can be called with the page's names, in its order, with its defaults.

SIGNATURES = {
    "batch": "batch_size, drop_last=False", "close": "", "offset": "off=0", "query": "query_string", "sample_by": "weights, replace=True, size=None",
    "shuffle": "shuffle=True, buffer_size=2048", "transform": "transform, **kwargs",
    "numpy": "num_workers=0, tensors=None, num_threads=None, prefetch_factor=2, decode_method=None, persistent_workers=False",
    "pytorch": "num_workers=0, collate_fn=None, tensors=None, num_threads=None, prefetch_factor=2, distributed=False, return_index=True, decode_method=None, "
               "persistent_workers=False",
    "tensorflow": "num_workers=0, collate_fn=None, tensors=None, num_threads=None, prefetch_factor=2, return_index=True, decode_method=None, persistent_workers=False"}


@pytest.mark.parametrize("method", SIGNATURES)
def test_the_signature_is_that_of_the_page(package, method):
    parameters = [parameter.replace(annotation=inspect.Parameter.empty)
                  for parameter in inspect.signature(getattr(package.DeepLakeDataLoader, method)).parameters.values() if parameter.kind != parameter.KEYWORD_ONLY]
    assert ", ".join(str(parameter) for parameter in parameters[1:]) == SIGNATURES[method]


TAKEN = {"batch": lambda loader: loader.batch(2), "offset": lambda loader: loader.offset(1), "query": lambda loader: loader.query("select * where x != 5"),
         "sample_by": lambda loader: loader.sample_by("x"), "shuffle": lambda loader: loader.shuffle(False), "transform": lambda loader: loader.transform({"x": None}),
         "numpy": lambda loader: loader.numpy(), "pytorch": lambda loader: loader.pytorch(), "tensorflow": lambda loader: loader.tensorflow()}


@pytest.mark.parametrize("step", TAKEN)
def test_each_step_returns_a_deep_lake_data_loader_and_leaves_the_old_one(package, step):
    before = package.pipeline(numbers(4))
    after = TAKEN[step](before)
    assert type(after) is type(before) is package.DeepLakeDataLoader and after is not before
    assert flat([{"x": np.array([row["x"]])} for row in before]) == [0, 1, 2, 3], "the loader before the step gives what it gave"


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
    done = references("08c").run("from tinytorch.data.columns import ColumnDataset\nloader = ColumnDataset({'x': [1, 2, 3]}).dataloader()\n"
                                 "print(type(loader).__module__, type(loader).__name__, [int(row['x']) for row in loader])", timeout_seconds=GUARD_SECONDS)
    assert done.stdout.strip() == "tinytorch.data.pipeline DeepLakeDataLoader [1, 2, 3]", done.stderr


# batch

def test_batch_batch_size(package):
    assert column(package.pipeline(numbers()).batch(4).numpy()) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_batch_drop_last(package):
    loader = package.pipeline(numbers()).batch(4, drop_last=True).numpy()
    assert column(loader) == [[0, 1, 2, 3], [4, 5, 6, 7]] and len(loader) == 2


@pytest.mark.parametrize("size", [0, -1, 2.5, True, "4", None])
def test_batch_refuses_a_size_that_is_none(package, size):
    with pytest.raises(ValueError, match="batch_size must be a whole number"):
        package.pipeline(numbers()).batch(size)


# close

def gone(pids) -> bool:
    """Whether the processes end; one that nobody has waited for yet (a zombie) has ended."""
    left = [process for process in map(process_of, pids) if process is not None]
    return not psutil.wait_procs(left, timeout=GUARD_SECONDS)[1]


def process_of(pid: int) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process
    except psutil.NoSuchProcess:
        return None


def with_pid(row: dict) -> dict:
    return {"x": row["x"], "pid": os.getpid()}


def test_close_shuts_down_the_workers(package):
    loader = package.pipeline(numbers()).transform(with_pid).batch(2).numpy(num_workers=2, persistent_workers=True)
    pids = set(flat(loader, "pid"))
    assert os.getpid() not in pids and all(process_of(pid) for pid in pids)
    loader.close()
    loader.close()
    assert gone(pids)
    with pytest.raises(ValueError, match="closed"):
        iter(loader)


def test_close_ends_an_epoch_that_is_under_way(package):
    loader = package.pipeline(numbers()).transform(with_pid).batch(2).numpy(num_workers=2)
    epoch = iter(loader)
    pids = set(next(epoch)["pid"].tolist())
    loader.close()
    assert gone(pids) and list(epoch) == []


def test_with_closes(package):
    with package.pipeline(numbers()).transform(with_pid).batch(2).numpy(num_workers=1, persistent_workers=True) as loader:
        pids = set(flat(loader, "pid"))
    assert gone(pids)


# numpy, and what the three outputs have in common

def test_numpy_gives_arrays(package):
    batch = next(iter(package.pipeline(numbers()).batch(4).numpy()))
    assert set(batch) == {"x", "y"} and all(type(part) is np.ndarray for part in batch.values()) and batch["x"].dtype == np.int64 and batch["y"].dtype == np.float64


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
def test_output_num_workers(package, output):
    def epochs(num_workers):
        loader = getattr(package.pipeline(numbers(23), seed=3).transform(with_pid).shuffle(buffer_size=1).batch(4), output)(num_workers=num_workers)
        return [[(batch["x"].tolist(), batch["pid"].tolist()) for batch in loader] for _ in range(2)]

    alone, shared = epochs(0), epochs(2)
    assert [[x for x, _ in epoch] for epoch in alone] == [[x for x, _ in epoch] for epoch in shared], "workers change nothing in the result"
    assert {pid for epoch in alone for _, pids in epoch for pid in pids} == {os.getpid()}
    assert os.getpid() not in {pid for epoch in shared for _, pids in epoch for pid in pids}


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
def test_output_tensors(package, output):
    batch = next(iter(getattr(package.pipeline(numbers()).batch(4), output)(tensors=["y"])))
    assert set(batch) - {"index"} == {"y"}
    with pytest.raises(ValueError, match="no column is named 'z'"):
        getattr(package.pipeline(numbers()), output)(tensors=["z"])


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
def test_output_num_threads(package, fashion, output):
    import threading

    for num_threads, names in ((0, {"MainThread"}), (1, {"MainThread"}), (3, None)):
        seen = set()
        loader = getattr(package.pipeline(fashion).transform(lambda row: seen.add(threading.current_thread().name) or row).batch(10), output)(num_threads=num_threads)
        assert flat(loader, "labels") == (np.arange(40) % 10).tolist()
        # Of three threads each might be quick enough to do the others' work, but none of it is done here.
        assert seen == names if names else "MainThread" not in seen
    with pytest.raises(ValueError, match="num_threads"):
        getattr(package.pipeline(fashion), output)(num_threads=-1)


class CountingDataset(ColumnDataset):
    """Counts the rows that are read."""

    reads = 0

    def read(self, index, names=None):
        self.reads += 1
        return super().read(index, names)


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
def test_output_prefetch_factor(package, output):
    for workers, factor, most in ((0, 5, 2), (1, 1, 2 * 2), (2, 3, 2 * (1 + 2 * 3))):
        ds = CountingDataset({"x": np.arange(100), "y": np.arange(100)})
        epoch = iter(getattr(package.pipeline(ds).batch(2), output)(num_workers=workers, prefetch_factor=factor))
        assert ds.reads == 0, "nothing is read before the first batch is asked for"
        next(epoch)
        assert ds.reads <= most and (workers == 0 or ds.reads >= 2 * workers * factor)
        epoch.close()
    with pytest.raises(ValueError, match="prefetch_factor"):
        getattr(package.pipeline(numbers()), output)(prefetch_factor=0)


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
@pytest.mark.parametrize("method", ["numpy", "tobytes", "pil"])
@pytest.mark.parametrize("compression", ["png", "jpeg"])
def test_output_decode_method(package, output, method, compression):
    picture = np.full((8, 6, 3), 50, np.uint8)
    data = images.encode(picture, compression)
    ds = ColumnDataset({"images": [data] * 4, "labels": np.arange(4)})
    batch = next(iter(getattr(package.pipeline(ds).batch(2), output)(decode_method={"images": method})))
    if method == "numpy":
        assert batch["images"].shape == (2, 8, 6, 3)
    elif method == "tobytes":
        assert batch["images"] == [data, data]
    else:
        assert [image.size for image in batch["images"]] == [(6, 8)] * 2
    with pytest.raises(ValueError, match="'pil' needs a column of jpeg or png images"):
        getattr(package.pipeline(ds), output)(decode_method={"labels": "pil"})


@pytest.mark.parametrize("output", ["numpy", "pytorch", "tensorflow"])
def test_output_persistent_workers(package, output):
    for persistent in (True, False):
        loader = getattr(package.pipeline(numbers()).transform(with_pid).batch(2), output)(num_workers=1, persistent_workers=persistent)
        first, second = ({pid for pid in flat(loader, "pid")} for _ in range(2))
        assert (first == second) is persistent
        assert persistent or gone(first | second)
        loader.close()


# offset

def test_offset_off(package):
    loader = package.pipeline(numbers()).batch(4).offset(3).numpy()
    assert column(loader) == [[3, 4, 5, 6], [7, 8, 9]] and len(loader) == 2
    assert flat(package.pipeline(numbers()).batch(4).offset(10)) == [] == flat(package.pipeline(numbers()).batch(4).offset(99))
    with pytest.raises(ValueError, match="off must be a whole number"):
        package.pipeline(numbers()).offset(-1)


# pytorch and tensorflow

@pytest.mark.parametrize("output", ["torch", "tensorflow"])
def test_pytorch_and_tensorflow_give_their_tensors(package, output):
    batch = next(iter(getattr(package.pipeline(numbers()).batch(4), {"torch": "pytorch"}.get(output, output))()))
    assert all(isinstance(part, FakeTensor) and part.maker == output for part in batch.values()) and batch["x"].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("output, name", [("pytorch", "torch"), ("tensorflow", "tensorflow")])
def test_pytorch_and_tensorflow_that_are_missing_are_named(package, output, name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"pip install {name}"):
        getattr(package.pipeline(numbers()).batch(4), output)()


@pytest.mark.parametrize("output", ["pytorch", "tensorflow"])
def test_output_collate_fn(package, output):
    loader = getattr(package.pipeline(numbers()).batch(4), output)(collate_fn=lambda rows: np.array([row["x"] + row["y"] for row in rows]), return_index=False)
    assert [batch.tolist() for batch in loader] == [[0, 11, 22, 33], [44, 55, 66, 77], [88, 99]]
    with pytest.raises(ValueError, match="collate_fn must be a function"):
        getattr(package.pipeline(numbers()), output)(collate_fn="stack")


@pytest.mark.parametrize("output", ["pytorch", "tensorflow"])
def test_output_return_index(package, output):
    def batches(**options):
        return list(getattr(package.pipeline(numbers()).query("select * where x >= 4").batch(4), output)(**options))

    assert column(batches(), "index") == [[4, 5, 6, 7], [8, 9]] == column(batches(return_index=True), "index")
    assert all(set(batch) == {"x", "y"} for batch in batches(return_index=False))


def test_pytorch_distributed(package, monkeypatch):
    with pytest.raises(RuntimeError, match="torchrun"):
        package.pipeline(numbers()).pytorch(distributed=True)
    seen = []
    monkeypatch.setenv("WORLD_SIZE", "3")
    for rank in range(3):
        monkeypatch.setenv("RANK", str(rank))
        seen.append(flat(package.pipeline(numbers()).batch(2).pytorch(distributed=True)))
    assert sorted(sum(seen, [])) == list(range(10)) and all(3 <= len(rows) <= 4 for rows in seen)


# query

def test_query_example_fashion_mnist(package, fashion):
    loader = package.pipeline(fashion).query("select * where labels != 5").batch(8).numpy(tensors=["labels"])
    assert flat(loader, "labels") == [label for label in (np.arange(40) % 10).tolist() if label != 5] and len(loader) == 5


def test_query_example_coco(package, coco):
    text = "(select * where contains(categories, 'car') limit 1000) union (select * where contains(categories, 'motorcycle') limit 1000)"
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
    assert str(caught.value).split("\n")[1:] == ["  select * where lables != 5", "                 ^"]


# sample_by. Shares are of 4,000 draws: a standard deviation is at most 0.008, so 0.05 is missed by chance once in 1e9.

def shares(loader, count: int = 4000) -> np.ndarray:
    labels = np.array(flat(loader, "labels"))
    assert len(labels) == count
    return np.bincount(labels, minlength=10) / count


def test_sample_by_example_max_weight(package, fashion):
    loader = package.pipeline(fashion).sample_by("max_weight(labels == 5: 10, labels == 6: 5)", size=4000, seed=0).batch(100).numpy(tensors=["labels"])
    want = np.zeros(10)
    want[5], want[6] = 2 / 3, 1 / 3
    assert np.abs(shares(loader) - want).max() < 0.05, "labels == 5 comes twice as often as labels == 6"


def test_sample_by_example_labels(package, fashion):
    loader = package.pipeline(fashion).sample_by("labels", size=4000, seed=0).batch(100).numpy(tensors=["labels"])
    assert np.abs(shares(loader) - np.arange(10) / 45).max() < 0.05


def test_sample_by_example_list_without_replacement(package, coco):
    weights = [i % 5 for i in range(len(coco))]
    rows = flat(package.pipeline(coco).sample_by(weights, replace=False).batch(7).pytorch(), "index")
    assert sorted(rows) == [i for i in range(len(coco)) if i % 5], "each row of positive weight once"
    assert rows != sorted(rows)   # 48 rows: in order once in 48! draws


@pytest.mark.parametrize("make", [list, tuple, np.array])
def test_sample_by_weights_may_be_a_list_a_tuple_or_an_array(package, make):
    rows = flat(package.pipeline(numbers(4)).sample_by(make([0, 1, 0, 0])).batch(2))
    assert rows == [1, 1, 1, 1]


def test_sample_by_replace(package):
    weights = [1.0] * 10
    assert sorted(flat(package.pipeline(numbers()).sample_by(weights, replace=False).batch(3))) == list(range(10))
    # Ten draws with replacement are all different once in 2,756 times; twenty epochs all of them never.
    loader = package.pipeline(numbers()).sample_by(weights).batch(3)
    assert any(len(set(flat(loader))) < 10 for _ in range(20))
    with pytest.raises(ValueError, match="11"):
        flat(package.pipeline(numbers()).sample_by(weights, replace=False, size=11).batch(3))


def test_sample_by_size(package):
    for size in (3, 25):
        loader = package.pipeline(numbers()).sample_by([1] * 10, size=size).batch(4)
        assert len(flat(loader)) == size and len(loader) == -(-size // 4)
    assert len(flat(package.pipeline(numbers()).sample_by([1] * 10).batch(4))) == 10, "None takes as many as the dataset has"
    with pytest.raises(ValueError, match="size"):
        package.pipeline(numbers()).sample_by([1] * 10, size=0)


@pytest.mark.parametrize("weights, says", [([1, 2], "each of the 10 rows"), ([-1] * 10, "row 0 has -1.0"), ([0] * 10, "all 10 are 0"), ("max_weight(lables == 5: 1)", "did you mean|no column"),
                                           ("max_weight(x == 5 1)", "expected ':'")])
def test_sample_by_refuses_weights_that_cannot_be(package, weights, says):
    with pytest.raises(ValueError, match=says):
        package.pipeline(numbers()).sample_by(weights)


# shuffle

def test_shuffle_shuffle(package):
    loader = package.pipeline(numbers(50)).shuffle().batch(10).numpy()
    first, second = flat(loader), flat(loader)
    # 50 rows: in order, or twice the same order, once in 50!
    assert sorted(first) == sorted(second) == list(range(50)) and first != list(range(50)) and first != second
    assert flat(package.pipeline(numbers(50)).shuffle(False).batch(10)) == list(range(50))
    assert flat(package.pipeline(numbers(50)).shuffle(shuffle=False).batch(10)) == list(range(50))


def test_shuffle_buffer_size_is_in_megabytes(package):
    ds = CountingDataset({"x": np.zeros((40, 250_000), np.uint8)})   # 10 MB, 4 rows in a MB
    for megabytes, most in ((1, 4 + 2), (5, 20 + 2)):
        ds.reads = 0
        epoch = iter(package.pipeline(ds).shuffle(buffer_size=megabytes).batch(1).numpy())
        next(epoch)
        assert most - 2 <= ds.reads <= most, "rows that are held, one that is in hand and one that was given out"
        epoch.close()


def test_shuffle_buffer_size_increases_the_extent_of_shuffling(package):
    ds = ColumnDataset({"x": np.arange(400), "weight": np.zeros((400, 9_992), np.uint8)})   # 10 kB a row

    def moved(megabytes):
        rows = np.array(flat(package.pipeline(ds, seed=1).shuffle(buffer_size=megabytes).batch(50)))
        assert sorted(rows) == list(range(400))
        return np.abs(rows - np.arange(400)).mean()

    # Mean distances of about 0, 5 to 10, 50 and 130 places: their order is certain.
    assert 0 == moved(0) < moved(0.1) < moved(1) < moved(4)


def test_shuffle_of_a_view_is_a_value_error(package, fashion):
    for loader in (lambda: package.pipeline(fashion).query("select * where labels != 5").shuffle(), lambda: package.pipeline(fashion).shuffle().query("select * where labels != 5"),
                   lambda: package.pipeline(fashion[3:9]).shuffle()):
        with pytest.raises(ValueError, match="view"):
            loader()
    assert len(package.pipeline(fashion).query("select * where labels != 5").shuffle(False)) == 36


# transform

def test_transform_function_with_kwargs(package):
    loader = package.pipeline(numbers(4)).transform(lambda row, scale, shift=0: {"z": row["x"] * scale + shift}, scale=3, shift=1).batch(2)
    assert column(loader, "z") == [[1, 4], [7, 10]]


def test_transform_dict(package):
    batch = next(iter(package.pipeline(numbers(4)).transform({"y": None, "x": lambda value: value + 100}).batch(2).numpy()))
    assert list(batch) == ["y", "x"] and batch["y"].tolist() == [0, 10] and batch["x"].tolist() == [100, 101]


def test_transform_kwargs_are_ignored_with_a_dict(package):
    assert flat(package.pipeline(numbers(3)).transform({"x": lambda value: -value}, scale=3).batch(2)) == [0, -1, -2]


def test_transform_refuses_what_is_no_function(package):
    for wrong in (3, {"x": 3}, None):
        with pytest.raises(ValueError, match="transform must be a function"):
            package.pipeline(numbers()).transform(wrong)
    with pytest.raises(ValueError, match="no column is named 'z'"):
        package.pipeline(numbers()).transform({"z": None})


# The page's training examples

class Compose:
    """What torchvision's does: one function after the other."""

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


def normalised(image):
    return (image - 0.5) / 0.5


@pytest.mark.parametrize("num_workers", [0, 2])
def test_example_of_training_with_pil_images_and_pytorch(package, fashion, num_workers):
    tform = Compose(rotated, to_numbers, normalised)
    batch_size = 32
    train_loader = package.pipeline(fashion)\
        .transform({'images': tform, 'labels': None})\
        .batch(batch_size)\
        .shuffle()\
        .pytorch(decode_method={'images': 'pil'}, num_workers=num_workers)
    rows = []
    for i, sample in enumerate(train_loader):
        assert sample["images"].shape == ((32, 8)[i], 1, 28, 28) and sample["images"].array.dtype == np.float32 and -1 <= sample["images"].array.min()
        assert (sample["labels"].array == sample["index"].array % 10).all()
        rows += sample["index"].tolist()
    assert sorted(rows) == list(range(40)) and rows != sorted(rows)


def test_example_of_training_with_tensorflow(package, fashion):
    train_loader = package.pipeline(fashion)\
        .batch(32)\
        .shuffle()\
        .tensorflow()
    seen = []
    for i, sample in enumerate(train_loader):
        assert sample["images"].maker == "tensorflow" and sample["images"].shape == ((32, 8)[i], 28, 28)
        seen += sample["index"].tolist()
    assert sorted(seen) == list(range(40))


# Damage on the way

@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_damaged_image_stops_the_epoch_with_column_and_row(package, fashion, num_workers):
    data = [fashion.read(row)["images"] for row in range(6)]
    data[3] = data[3][:60]
    loader = package.pipeline(ColumnDataset({"images": data})).batch(2).numpy(num_workers=num_workers)
    epoch = iter(loader)
    assert next(epoch)["images"].shape == (2, 28, 28)
    with pytest.raises(images.ImageError, match="column 'images', row 3: .* damaged or cut off"):
        next(epoch)


@pytest.mark.parametrize("num_workers", [0, 1])
def test_an_error_of_a_transform_comes_with_its_own_type(package, num_workers):
    def fail(row):
        raise LookupError(f"no sense in row {row['x']}")

    with pytest.raises(LookupError, match="no sense in row 0"):
        list(package.pipeline(numbers()).transform(fail).batch(2).numpy(num_workers=num_workers))
