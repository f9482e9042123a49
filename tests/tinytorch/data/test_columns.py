"""Named columns: accepted values, the form of a row, refused values and the messages for them;
decoding, stacking, threads, tensors.
"""

import pickle
import sys
import threading
import types

import numpy as np
import pytest
from claims import prove, refusals, refused, rows
from PIL import Image
from pipeline_kit import encoded

from tinytorch.data import adapters, images
from tinytorch.data.columns import ColumnDataset
from tinytorch.data.experiment import read_experiment  # noqa: F401 - a row names it
from tinytorch.data.images import ImageError
from tinytorch.data.rows import (  # noqa: F401 - the code of rows names them
    check_weights,
    read_ahead,
    stack_rows,
    threads_for,
)

PICTURES = np.random.default_rng(0).integers(0, 256, (3, 5, 4, 3), dtype=np.uint8)
PNG = [encoded(picture) for picture in PICTURES]
DATASET = ColumnDataset(
    {
        "images": PNG,
        "pixels": PICTURES,
        "labels": np.array([7, 8, 9]),
        "words": ["one", "two", None],
        "tags": [["a"], [], ["b", "c"]],
    },
    class_names={"labels": [str(n) for n in range(10)]},
)


def decoded(**methods):
    """Row 0, decoded so."""
    return DATASET.decoder(decode_method=methods)(DATASET.read(0), 0)


def damaged(data):
    """Decodes row 1 with these bytes as its image."""
    return DATASET.decoder(["images"])({"images": data}, 1)


def mode(kind):
    """The pixels of a png image of this mode."""
    gray = np.full((5, 4), 300, np.uint16)
    color = Image.fromarray(np.full((5, 4, 3), 200, np.uint8))
    return images.decode(encoded(gray if kind == "I;16" else color.convert(kind)))


def many(count):
    return repr(ColumnDataset({f"c{number}": [1] for number in range(count)}))


JPEG = ColumnDataset({"images": [encoded(np.full((16, 16, 3), 100, np.uint8), "jpeg")]})
VIEW = DATASET[1:].view([1, 0, 1])
NINE = ", ".join(f"c{number}: int64" for number in range(9))
# code, and its value
RIGHT = {
    "DATASET[1]": {
        "images": PICTURES[1].tolist(),
        "pixels": PICTURES[1].tolist(),
        "labels": 8,
        "words": "two",
        "tags": [],
    },
    "[DATASET[1][name].dtype for name in ('images', 'labels')]": [np.uint8, np.int64],
    # bytes of a row, which are those of its values
    "DATASET.row_bytes(2)": 60 + len(PNG[2]) + 8 + 8 + 2,
    # a row that weighs nothing would never fill a buffer
    "DATASET.row_bytes(1, ['tags'])": 1,
    # views number their rows anew
    "[VIEW.is_view, DATASET.is_view]": [True, False],
    "[int(VIEW[index]['labels']) for index in range(3)]": [9, 8, 9],
    "VIEW.read_rows(np.array([1, 2, 1]), ['labels', 'words'])": {
        "labels": [8, 9, 8],
        "words": ["two", None, "two"],
    },
    # a dataset describes itself, one of many columns by the first ones
    "repr(DATASET)": "ColumnDataset(3 rows; images: png images, pixels: uint8 of shape (5, 4, 3),"
    " labels: int64, words: text, tags: lists)",
    "many(2000)": f"ColumnDataset(1 rows; {NINE}, and 1,991 more columns)",
    # every kind of png
    **{
        f"[part(mode({kind!r})) for part in (np.shape, np.min, np.max)]": [(5, 4), low, high]
        for kind, low, high in (("1", 0, 255), ("L", 200, 200), ("I;16", 300, 300))
    },
    "[mode('P').shape, mode('RGBA').shape]": [(5, 4, 3), (5, 4, 4)],
    # decoding; jpeg is lossy
    "decoded(pixels='tobytes')['pixels']": PICTURES[0].tobytes(),
    "decoded(words='tobytes')['words']": b"one",
    "np.asarray(decoded(images='pil')['images'])": PICTURES[0].tolist(),
    "np.abs(JPEG[0]['images'].astype(int) - 100).max() <= 3": True,
    # a decoder is small and travels
    "pickle.loads(pickle.dumps(DATASET.decoder())) == DATASET.decoder()": True,
    # a batch
    "stack_rows([DATASET[0], DATASET[2]])['pixels'].dtype": np.uint8,
    "{**stack_rows([DATASET[0], DATASET[2]]), 'images': 0, 'pixels': 0}": {
        "images": 0,
        "pixels": 0,
        "labels": [7, 9],
        "words": ["one", None],
        "tags": [["a"], ["b", "c"]],
    },
    # threads keep the order, and are for encoded images
    **{f"list(read_ahead(abs, range(20), {count}))": list(range(20)) for count in (0, 1, 4)},
    "threads_for(None, DATASET, ['pixels'])": 1,
    "threads_for(None, DATASET, ['images']) in (1, 2, 3, 4)": True,
    "threads_for(7, DATASET, ['pixels'])": 7,
}
THREADS = "num_threads must be an integer"
IN_ROW = "column 'images', row 1: "
# code, and what its error says
REFUSED = {
    **{f"DATASET[{row}]": f"Index {row} out of range for dataset of size 3" for row in (-1, 3, 99)},
    "DATASET[1:].view([0, 2])": "Index 2 out of range for dataset of size 2",
    "VIEW.read_rows(np.array([0, 3]))": "Index 3 out of range for dataset of size 3",
    "DATASET.view([0.5])": "list of integers, got float64",
    # columns that make no dataset
    "ColumnDataset({'a': [1], 'b': [1, 2]})": "same number of rows, got {'a': 1, 'b': 2}",
    "ColumnDataset({'': [1]})": "string that is not empty",
    "ColumnDataset({'a': [1, 'x']})": "str 'x' in a column of numbers",
    "ColumnDataset({'a': [PNG[0], b'GIF89a']})": "6 bytes that start with 47 49 46 38",
    "ColumnDataset({'a': [object()]})": "column 'a', row 0",
    "ColumnDataset({'a': [1.5]}, class_names={'a': ['x']})": "'a' holds float64",
    # columns that are not there
    "DATASET.check_names(['imges'])": "no column is named 'imges'; did you mean 'images'?",
    "DATASET.check_names('labels')": "list of column names",
    "DATASET.check_names(['labels', 'labels'])": "only once",
    # methods and images that cannot be
    "decoded(pixels='pil')": "'pil' needs a column of jpeg or png images; 'pixels' holds uint8",
    "decoded(image='pil')": "names 'image', which is not loaded; did you mean 'images'",
    "damaged(PNG[1][: len(PNG[1]) // 2])": [IN_ROW, "the png of", "is damaged or cut off"],
    "damaged(b'')": [IN_ROW, "0 bytes that start with nothing"],
    # weights
    "check_weights([1, 2], 3)": "for each of the 3 rows, got shape (2,)",
    "check_weights([1, -2, -3], 3)": "row 1 has -2.0, and 1 more rows are wrong",
    "check_weights([0, 0, 0], 3)": "all 3 are 0",
    "check_weights('labels', 3)": "text is for dataset.weights",
    "check_weights([1e308] * 3, 3)": "too large for float64 (the largest is 1e+308)",
    # batches and threads
    "stack_rows([{'x': np.zeros(2)}, {'x': np.zeros(3)}], [40, 60])": (
        "column 'x': rows of one batch need one shape; row 40 has (2,), row 60 has (3,); crop or"
    ),
    "stack_rows([{'x': 1}, {'y': 1}])": "the columns of row 0, ['x']; row 1 has ['y']",
    **{f"threads_for({wrong}, DATASET, [])": THREADS for wrong in ("-1", "True", "'2'")},
}


@rows(RIGHT, refusals((ValueError, IndexError), REFUSED))
def test_columns_give_rows_views_and_batches_or_are_refused(code, want):
    prove(code, want, globals())


def test_a_raw_row_keeps_images_encoded_and_has_memory_of_its_own():
    raw = DATASET.read(2, ["images", "pixels", "tags"])
    assert images.compression(raw["images"]) == "png"
    raw["pixels"][:] = 0
    raw["tags"].append("d")
    assert np.array_equal(DATASET[2]["pixels"], PICTURES[2]) and DATASET[2]["tags"] == ["b", "c"]


def test_a_pickled_memory_map_is_a_name_of_a_file(tmp_path):
    big = np.lib.format.open_memmap(tmp_path / "big.npy", "w+", np.float32, (1000, 100))
    big[7] = 7
    big.flush()
    text = pickle.dumps(ColumnDataset({"x": np.load(tmp_path / "big.npy", mmap_mode="r")}))
    assert len(text) < 2000, "the data travelled along"
    assert pickle.loads(text)[7]["x"].tolist() == [7.0] * 100


# Decoding


# 20 pixels: Pillow warns; over twice the limit it raises
@pytest.mark.parametrize("limit", [15, 5])
def test_an_image_that_claims_to_be_huge_is_refused(monkeypatch, limit):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
    with pytest.raises(ImageError, match=f"larger than Pillow's limit of {limit} pixels"):
        DATASET[0]


# what needs the library, and what to type without it
MISSING = {
    "PIL": ("DATASET[0]", "python -m pip install pillow"),
    "duckdb": ("DATASET.query('select *')", "python -m pip install duckdb"),
    "yaml": ("read_experiment('experiment.yaml')", "pip install pyyaml"),
    "torch": ("adapters.to_torch()", "python -m pip install torch, or use .numpy()"),
    "tensorflow": ("adapters.to_tensorflow()", "python -m pip install tensorflow, or use .numpy()"),
}


@pytest.mark.parametrize("library", MISSING)
def test_a_library_that_is_missing_is_named_with_the_command(monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    code, command = MISSING[library]
    prove(code, refused(ImportError, command), globals())


def test_reading_ahead_is_bounded_and_ends_its_threads():
    taken = []

    def items():
        for item in range(1000):
            taken.append(item)
            yield item

    before = threading.active_count()
    ahead = read_ahead(lambda item: item, items(), 2)
    assert next(ahead) == 0 and len(taken) == 4 and next(ahead) == 1 and len(taken) == 5
    ahead.close()
    assert threading.active_count() == before


# Other frameworks. A stand-in receives the calls; test_real_outputs.py has the real libraries.


def test_arrays_become_tensors_of_memory_that_torch_takes_and_the_rest_stays(monkeypatch):
    def tensor(array):
        # torch.from_numpy refuses negative strides and warns about read-only memory
        assert array.flags.writeable and min(array.strides, default=0) >= 0
        return "tensor", array.shape

    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(from_numpy=tensor))
    fixed = np.broadcast_to(np.arange(3), (2, 3))
    batch = {"back": np.arange(4)[::-1], "fixed": fixed, "words": ["a"], "parts": (fixed, [fixed])}
    assert adapters.to_torch()(batch) == {
        "back": ("tensor", (4,)),
        "fixed": ("tensor", (2, 3)),
        "words": ["a"],
        "parts": (("tensor", (2, 3)), [("tensor", (2, 3))]),
    }


def test_the_rank_comes_from_torch_where_it_is_initialized(monkeypatch):
    distributed = types.SimpleNamespace(
        is_available=lambda: True,
        is_initialized=lambda: True,
        get_rank=lambda: 1,
        get_world_size=lambda: 3,
    )
    torch = types.SimpleNamespace(distributed=distributed)
    for name, value in (("torch", torch), ("torch.distributed", distributed)):
        monkeypatch.setitem(sys.modules, name, value)
    for name, value in (("RANK", "2"), ("WORLD_SIZE", "4")):
        monkeypatch.setenv(name, value)
    assert adapters.rank_and_world() == (1, 3)
