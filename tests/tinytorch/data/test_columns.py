"""Named columns: accepted values, the form of a row, refused values and the messages for them;
decoding, stacking, threads, tensors.
"""

import io
import os
import pickle
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import PATIENCE_SECONDS
from PIL import Image

import tinytorch.data
from tinytorch.data import adapters, images
from tinytorch.data.columns import ColumnDataset, PackedBytes
from tinytorch.data.images import ImageError
from tinytorch.data.rows import read_ahead, stack_rows, threads_for

PICTURES = np.random.default_rng(0).integers(0, 256, (3, 5, 4, 3), dtype=np.uint8)


def dataset() -> ColumnDataset:
    return ColumnDataset(
        {
            "images": [images.encode(picture, "png") for picture in PICTURES],
            "pixels": PICTURES,
            "labels": np.array([7, 8, 9]),
            "words": ["one", "two", None],
            "tags": [["a"], [], ["b", "c"]],
        },
        class_names={"labels": [str(n) for n in range(10)]},
    )


# Rows


def test_a_row_is_a_dict_of_all_columns_decoded():
    row = dataset()[1]
    assert list(row) == ["images", "pixels", "labels", "words", "tags"]
    assert np.array_equal(row["images"], PICTURES[1]) and row["images"].dtype == np.uint8
    assert (
        np.array_equal(row["pixels"], PICTURES[1])
        and row["labels"] == 8
        and row["labels"].dtype == np.int64
    )
    assert row["words"] == "two" and row["tags"] == []


def test_a_raw_row_keeps_images_encoded_and_has_memory_of_its_own():
    ds, pixels = dataset(), PICTURES[2].copy()
    raw = ds.read(2, ["images", "pixels", "tags"])
    assert images.compression(raw["images"]) == "png"
    raw["pixels"][:] = 0
    raw["tags"].append("d")
    assert np.array_equal(ds[2]["pixels"], pixels) and ds[2]["tags"] == ["b", "c"]


def test_the_bytes_of_a_row_are_those_of_its_values():
    ds = dataset()
    raw = ds.read(2)
    assert ds.row_bytes(2, ["pixels"]) == raw["pixels"].nbytes == 60
    assert ds.row_bytes(2, ["images"]) == len(raw["images"])
    assert ds.row_bytes(2, ["tags"]) == 2 and ds.row_bytes(0, ["words"]) == 3
    assert ds.row_bytes(1, ["tags"]) == 1, "a row that weighs nothing would never fill a buffer"
    assert ds.row_bytes(2) == 60 + len(raw["images"]) + 8 + 8 + 2  # None counts as a pointer


@pytest.mark.parametrize("index", [-1, 3, 100])
def test_a_row_outside_is_an_index_error(index):
    with pytest.raises(IndexError, match=f"Index {index} out of range for dataset of size 3"):
        dataset()[index]


def test_a_slice_and_a_view_of_a_view_number_their_rows_anew():
    ds = dataset()
    view = ds[1:].view([1, 0, 1])
    assert view.is_view and not ds.is_view and len(view) == 3
    assert [int(view[i]["labels"]) for i in range(3)] == [9, 8, 9]
    assert view.row_bytes(0) == ds.row_bytes(2)
    with pytest.raises(IndexError, match="Index 2 out of range for dataset of size 2"):
        ds[1:].view([0, 2])
    with pytest.raises(ValueError, match="list of integers, got float64"):
        ds.view([0.5])


def test_a_dataset_describes_itself():
    assert (
        repr(dataset())
        == "ColumnDataset(3 rows; images: png images, pixels: uint8 of shape (5, 4, 3), labels:"
        " int64, words: text, tags: lists)"
    )


def test_a_dataset_of_many_columns_describes_the_first_ones():
    columns = {f"c{number}": [1] for number in range(2000)}
    shown = ", ".join(f"c{number}: int64" for number in range(9))
    assert repr(ColumnDataset(columns)) == f"ColumnDataset(1 rows; {shown}, and 1,991 more columns)"
    ten = dict(list(columns.items())[:10])
    assert repr(ColumnDataset(ten)) == f"ColumnDataset(1 rows; {shown}, c9: int64)"


@given(st.lists(st.binary(max_size=5), max_size=8))
@settings(max_examples=30)
def test_packed_bytes_are_the_list_that_was_packed(strings):
    packed = PackedBytes.of(strings)
    assert [packed[i] for i in range(len(packed))] == strings and [
        packed.length(i) for i in range(len(packed))
    ] == [len(s) for s in strings]


def test_packed_images_make_a_column_and_may_be_memory_mapped(tmp_path):
    packed = PackedBytes.of([images.encode(picture, "png") for picture in PICTURES])
    packed.data.tofile(tmp_path / "images.bin")
    mapped = PackedBytes(np.memmap(tmp_path / "images.bin", np.uint8, "r"), packed.offsets)
    ds = ColumnDataset({"images": mapped})
    assert np.array_equal(ds[2]["images"], PICTURES[2]) and ds.row_bytes(2) == packed.length(2)


def test_offsets_that_do_not_fit_are_refused():
    for offsets in ([0, 2], [1, 3], [0, 3, 2, 3], []):
        with pytest.raises(ValueError, match="offsets must rise from 0 to the 3 bytes"):
            PackedBytes(np.zeros(3, np.uint8), np.array(offsets, np.int64))


def test_a_pickled_memory_map_is_a_name_of_a_file(tmp_path):
    big = np.lib.format.open_memmap(tmp_path / "big.npy", "w+", np.float32, (1000, 100))
    big[7] = 7
    big.flush()
    ds = ColumnDataset({"x": np.load(tmp_path / "big.npy", mmap_mode="r")})
    text = pickle.dumps(ds)
    assert len(text) < 2000, "the data travelled along"
    assert pickle.loads(text)[7]["x"].tolist() == [7.0] * 100


# What is refused


@pytest.mark.parametrize(
    "columns, class_names, says",
    [
        ({}, None, "at least one named column"),
        ([1, 2], None, "must be a dict .* got list"),
        ({"a": [1], "b": [1, 2]}, None, r"same number of rows, got \{'a': 1, 'b': 2\}"),
        ({"a": np.float64(3)}, None, "column 'a' must be an array"),
        ({"a": np.array(3)}, None, r"must have rows"),
        ({"": [1]}, None, "string that is not empty"),
        ({"a": [1, "x"]}, None, "column 'a', row 1: .* str 'x' in a column of numbers"),
        ({"a": [["x"], [1]]}, None, "row 1: .* in a column of lists of text"),
        (
            {"a": [b"\xff\xd8\xff", b"GIF89a"]},
            None,
            "column 'a', row 1: bytes must be a jpeg .* got 6 bytes that start with 47 49 46 38",
        ),
        ({"a": np.array([b"ab"])}, None, "give byte strings and text as a list"),
        ({"a": [object()]}, None, "column 'a', row 0"),
        ({"a": [1]}, {"b": ["x"]}, "no column is named 'b'"),
        ({"a": [1.5]}, {"a": ["x"]}, "columns of class numbers .* 'a' holds float64"),
    ],
)
def test_columns_that_make_no_dataset_are_refused(columns, class_names, says):
    with pytest.raises(ValueError, match=says):
        ColumnDataset(columns, class_names=class_names)


@pytest.mark.parametrize(
    "names, says",
    [
        (["imges"], "no column is named 'imges'; did you mean 'images'?"),
        ("labels", "list of column names"),
        ([], "list of column names"),
        (["labels", "labels"], "only once"),
        (["zzz"], "there are 'images', 'pixels', 'labels'"),
    ],
)
def test_columns_that_are_not_there_are_refused(names, says):
    with pytest.raises(ValueError) as caught:
        dataset().check_names(names)
    assert says in str(caught.value)


# Decoding


def test_decode_method_numpy_is_the_default_and_gives_arrays():
    ds = dataset()
    for method in ({}, {"images": "numpy"}):
        decoded = ds.decoder(["images"], method)(ds.read(0, ["images"]), 0)
        assert isinstance(decoded["images"], np.ndarray) and np.array_equal(
            decoded["images"], PICTURES[0]
        )


def test_decode_method_tobytes_gives_the_stored_bytes():
    ds = dataset()
    decoded = ds.decoder(
        decode_method={"images": "tobytes", "pixels": "tobytes", "words": "tobytes"}
    )(ds.read(0), 0)
    assert (
        decoded["images"] == ds.read(0)["images"]
        and decoded["pixels"] == PICTURES[0].tobytes()
        and decoded["words"] == b"one"
    )


def test_decode_method_pil_gives_loaded_images():
    ds = dataset()
    image = ds.decoder(["images"], {"images": "pil"})(ds.read(0), 0)["images"]
    assert (
        isinstance(image, Image.Image)
        and image.size == (4, 5)
        and np.array_equal(np.asarray(image), PICTURES[0])
    )


def test_jpeg_is_decoded_too():
    smooth = np.full((16, 16, 3), 100, np.uint8)
    ds = ColumnDataset({"images": [images.encode(smooth, "jpeg")]})
    assert repr(ds) == "ColumnDataset(1 rows; images: jpeg images)"
    assert np.abs(ds[0]["images"].astype(int) - 100).max() <= 3  # jpeg is lossy


@pytest.mark.parametrize(
    "method, says",
    [
        ({"pixels": "pil"}, "'pil' needs a column of jpeg or png images; 'pixels' holds uint8"),
        ({"images": "PIL"}, "must be 'numpy', 'tobytes' or 'pil', got 'PIL'; did you mean 'pil'"),
        (
            {"image": "pil"},
            "decode_method names 'image', which is not loaded; did you mean 'images'",
        ),
    ],
)
def test_decode_methods_that_cannot_be_are_refused_at_once(method, says):
    with pytest.raises(ValueError) as caught:
        dataset().decoder(decode_method=method)
    assert says in str(caught.value)


def test_a_decoder_is_small_and_travels():
    decoder = dataset().decoder(decode_method={"images": "tobytes"})
    assert len(pickle.dumps(decoder)) < 1000 and pickle.loads(pickle.dumps(decoder)) == decoder


@pytest.mark.parametrize(
    "mode, shape, dtype",
    [
        ("1", (5, 4), "uint8"),
        ("L", (5, 4), "uint8"),
        ("P", (5, 4, 3), "uint8"),
        ("RGBA", (5, 4, 4), "uint8"),
        ("I;16", (5, 4), "uint16"),
    ],
)
def test_every_mode_of_a_png_becomes_numbers_of_its_pixels(mode, shape, dtype):
    image = (
        Image.fromarray(np.full((5, 4), 300, np.uint16))
        if mode == "I;16"
        else Image.fromarray(PICTURES[0]).convert(mode)
    )
    file = io.BytesIO()
    image.save(file, "PNG")
    array = images.decode(file.getvalue())
    assert (array.shape, str(array.dtype)) == (shape, dtype)
    if mode == "1":
        assert set(np.unique(array)) <= {0, 255}


@pytest.mark.parametrize(
    "damage, says",
    [
        (lambda data: data[: len(data) // 2], "the png of .* is damaged or cut off"),
        (lambda data: data[:60] + bytes(20) + data[80:], "is damaged or cut off"),
        (lambda data: b"GIF89a" + data, "neither jpeg .* nor png"),
        (lambda data: b"", "0 bytes that start with nothing"),
    ],
)
def test_a_damaged_image_names_column_and_row_and_what_is_wrong(damage, says):
    ds = dataset()
    raw = ds.read(1)
    raw["images"] = damage(raw["images"])
    with pytest.raises(ImageError, match=f"column 'images', row 1: .*{says}"):
        ds.decoder()(raw, 1)


def test_an_image_that_claims_to_be_huge_is_refused(monkeypatch):
    # 20 pixels: Pillow warns; over twice the limit it raises
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 15)
    with pytest.raises(ImageError, match="larger than Pillow's limit of 15 pixels"):
        dataset()[0]
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 5)
    with pytest.raises(ImageError, match="larger than Pillow's limit of 5 pixels"):
        dataset()[0]


def test_without_pillow_the_message_has_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    ds = ColumnDataset({"images": [b"\xff\xd8\xff\xe0"]})
    with pytest.raises(ImportError, match="python -m pip install pillow"):
        ds[0]


@pytest.mark.parametrize(
    "image, compression",
    [
        (PICTURES[0].astype(float), "png"),
        (np.zeros((5, 4, 4), np.uint8), "jpeg"),
        (np.zeros(5, np.uint8), "png"),
        (PICTURES[0], "gif"),
    ],
)
def test_only_images_are_encoded(image, compression):
    with pytest.raises(ValueError, match=r"an image for|compression must be"):
        images.encode(image, compression)


# Batches and threads


def test_stacking_keeps_dtypes_and_text():
    ds = dataset()
    batch = stack_rows([ds[0], ds[2]], [0, 2])
    assert (
        batch["pixels"].shape == (2, 5, 4, 3)
        and batch["pixels"].dtype == np.uint8
        and batch["labels"].tolist() == [7, 9]
        and batch["labels"].dtype == np.int64
    )
    assert batch["words"] == ["one", None] and batch["tags"] == [["a"], ["b", "c"]]


def test_rows_of_different_shapes_are_named_with_column_and_row():
    with pytest.raises(
        ValueError, match=r"column 'x': .* row 40 has \(2,\), row 60 has \(3,\); crop or pad"
    ):
        stack_rows([{"x": np.zeros(2)}, {"x": np.zeros(2)}, {"x": np.zeros(3)}], [40, 50, 60])
    with pytest.raises(ValueError, match=r"columns of row 0, \['x'\]; row 1 has \['y'\]"):
        stack_rows([{"x": 1}, {"y": 1}])
    with pytest.raises(ValueError, match="at least one row"):
        stack_rows([])


@given(st.lists(st.integers(), max_size=20), st.integers(0, 4))
@settings(max_examples=30)
def test_reading_ahead_changes_nothing_in_the_result(items, num_threads):
    assert list(read_ahead(lambda item: 2 * item, items, num_threads)) == [
        2 * item for item in items
    ]


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
    assert [next(plain) for plain in [read_ahead(taken.append, iter([1, 2, 3]), 1)]] == [
        None
    ] and taken[-1] == 1, "without threads nothing is ahead"


def test_an_exception_of_a_thread_comes_in_its_place():
    ahead = read_ahead(lambda item: 1 // item, [1, 1, 0, 1], 3)
    assert [next(ahead), next(ahead)] == [1, 1]
    with pytest.raises(ZeroDivisionError):
        next(ahead)


def test_threads_are_for_encoded_images():
    ds = dataset()
    assert (
        threads_for(None, ds, ["pixels"]) == 1
        and 1 <= threads_for(None, ds, ["images"]) <= 4
        and threads_for(7, ds, ["pixels"]) == 7
    )
    for wrong in (-1, True, 2.5, "2"):
        with pytest.raises(ValueError, match="num_threads must be a whole number"):
            threads_for(wrong, ds, ["pixels"])


# Other frameworks. Where they are not installed a stand-in receives the calls; it cannot show that
# the real framework accepts them.


def without(monkeypatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize(
    "make, name, package",
    [(adapters.to_torch, "PyTorch", "torch"), (adapters.to_tensorflow, "TensorFlow", "tensorflow")],
)
def test_a_framework_that_is_missing_is_named_with_the_command(monkeypatch, make, name, package):
    without(monkeypatch, package)
    with pytest.raises(
        ImportError,
        match=f"{name} is not installed: python -m pip install {package}, or use .numpy",
    ):
        make()


def test_arrays_become_torch_tensors_and_the_rest_stays(monkeypatch):
    handed = []
    stand_in = types.SimpleNamespace(
        from_numpy=lambda array: handed.append(array) or ("tensor", array.shape)
    )
    monkeypatch.setitem(sys.modules, "torch", stand_in)
    fixed = np.arange(3)
    fixed.flags.writeable = False
    batch = adapters.to_torch()(
        {
            "x": np.zeros((2, 3)),
            "back": np.arange(4)[::-1],
            "fixed": fixed,
            "words": ["a", "b"],
            "parts": (np.ones(1), [np.float32(2)]),
        }
    )
    assert batch == {
        "x": ("tensor", (2, 3)),
        "back": ("tensor", (4,)),
        "fixed": ("tensor", (3,)),
        "words": ["a", "b"],
        "parts": (("tensor", (1,)), [("tensor", ())]),
    }
    # torch.from_numpy refuses negative strides and warns about read-only memory.
    assert all(array.flags.writeable and min(array.strides, default=0) >= 0 for array in handed)


def test_arrays_become_tensorflow_tensors(monkeypatch):
    monkeypatch.setitem(
        sys.modules,
        "tensorflow",
        types.SimpleNamespace(convert_to_tensor=lambda array: ("tensor", array.dtype)),
    )
    assert adapters.to_tensorflow()({"x": np.zeros(2, np.uint8), "words": ["a"]}) == {
        "x": ("tensor", np.uint8),
        "words": ["a"],
    }


@pytest.mark.torch
def test_a_real_torch_tensor_shares_the_array():
    import torch

    array = np.zeros((2, 3), np.float32)
    tensor = adapters.to_torch()({"x": array})["x"]
    array[0, 0] = 5
    assert isinstance(tensor, torch.Tensor) and tensor[0, 0] == 5


@pytest.mark.torch
def test_real_torch_takes_every_array_of_a_batch_and_leaves_text():
    import torch

    fixed = np.arange(3)
    fixed.flags.writeable = False
    batch = adapters.to_torch()(
        {"back": np.arange(4)[::-1], "fixed": fixed, "parts": (np.ones(1), ["a"])}
    )
    assert batch["back"].tolist() == [3, 2, 1, 0] and batch["fixed"].tolist() == [0, 1, 2]
    assert isinstance(batch["parts"][0], torch.Tensor) and batch["parts"][1] == ["a"]


@pytest.mark.torch
def test_real_torch_tells_the_rank_when_it_is_initialized(monkeypatch):
    from torch import distributed

    monkeypatch.setenv("RANK", "2")
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert adapters.rank_and_world() == (2, 4)
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    try:
        assert adapters.rank_and_world() == (0, 1)
    finally:
        distributed.destroy_process_group()


def test_the_rank_comes_from_torch_or_the_environment(monkeypatch):
    without(monkeypatch, "torch")
    without(monkeypatch, "torch.distributed")
    monkeypatch.setenv("RANK", "2")
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert adapters.rank_and_world() == (2, 4)
    distributed = types.ModuleType("torch.distributed")
    distributed.is_available = distributed.is_initialized = lambda: True
    distributed.get_rank, distributed.get_world_size = lambda: 1, lambda: 3
    torch = types.ModuleType("torch")
    torch.distributed = distributed
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch.distributed", distributed)
    assert adapters.rank_and_world() == (1, 3)


@pytest.mark.parametrize(
    "rank, world, says",
    [
        (None, None, "call torch.distributed.init_process_group first"),
        ("1", None, "init_process_group"),
        ("4", "4", "from 0 to WORLD_SIZE - 1"),
        ("-1", "4", "from 0 to"),
        ("x", "4", "from 0 to"),
    ],
)
def test_a_rank_that_is_unknown_or_makes_no_sense_is_refused(monkeypatch, rank, world, says):
    without(monkeypatch, "torch")
    without(monkeypatch, "torch.distributed")
    for name, value in (("RANK", rank), ("WORLD_SIZE", world)):
        (
            monkeypatch.delenv(name, raising=False)
            if value is None
            else monkeypatch.setenv(name, value)
        )
    with pytest.raises(RuntimeError, match=says):
        adapters.rank_and_world()


# The rules of the repository


def test_the_plumbing_imports_no_library_before_it_is_used():
    code = (
        "import sys\nimport tinytorch.data.columns, tinytorch.data.query, tinytorch.data.rows,"
        " tinytorch.data.adapters, tinytorch.data.images\nprint(sorted({'PIL', 'duckdb', 'torch',"
        " 'tensorflow', 'yaml', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_before_the_export_dataloader_says_how_to_build_it():
    if Path(tinytorch.data.__file__).with_name("pipeline.py").exists():
        pytest.skip("this checkout holds an export of module 08c")
    with pytest.raises(ModuleNotFoundError, match="tito export"):
        dataset().dataloader()
