"""CIFAR-10's "python version" on disk: reads it safely, and writes it as the authors' Python 2 did.

A folder `cifar-10-batches-py` holds five training files, one test file and the class names. Each
batch file is a pickled dict. `data` is uint8 (N, 3072): each row is an image as three planes R, G,
B of 32 x 32 pixels, row by row. `labels` is a list of N ints 0..9, `filenames` a list of N strings,
`batch_label` a string. The files were written by Python 2, so all strings are read as bytes.
Source: Krizhevsky 2009, "Learning multiple layers of features from tiny images",
https://www.cs.toronto.edu/~kriz/cifar.html
"""

from __future__ import annotations

import contextlib
import hashlib
import operator
import os
import reprlib
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tinytorch.datasets.how_to_get_cifar10 import how_to_get
from tinytorch.datasets.py2pickle import ArrayState, dump, load

FOLDER = "cifar-10-batches-py"
TRAIN_FILES = tuple(f"data_batch_{n}" for n in range(1, 6))
TEST_FILES = ("test_batch",)
META_FILE = "batches.meta"
BATCH_LABELS = {
    **{f"data_batch_{n}": f"training batch {n} of 5" for n in range(1, 6)},
    "test_batch": "testing batch 1 of 1",
}
README_FILE = "readme.html"
ALL_FILES = (*TRAIN_FILES, *TEST_FILES, META_FILE)
CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
NUM_CLASSES = 10
IMAGE_SHAPE = (3, 32, 32)
BYTES_PER_IMAGE = 3 * 32 * 32

# The files that the authors published: name -> (bytes, md5). The sums are those that torchvision
# checks (torchvision/datasets/cifar.py).
PUBLISHED = {
    "data_batch_1": (31_035_704, "c99cafc152244af753f735de768cd75f"),
    "data_batch_2": (31_035_320, "d4bba439e000b95fd0a9bffe97cbabec"),
    "data_batch_3": (31_035_999, "54ebc095f3ab1f0389bbae665268c751"),
    "data_batch_4": (31_035_696, "634d18415352ddfa80567beed471001a"),
    "data_batch_5": (31_035_623, "482c414d41f54cd18b22e5b47cb7c3cb"),
    "test_batch": (31_035_526, "40351d587109b95175f43aff81a1287e"),
    "batches.meta": (158, "5ff9c542aee3614f3951f8cda6e48888"),
}

_REMEDY = "Delete or move the folder that holds it and fetch or write the data again."


class DamagedFile(ValueError):
    """A data file that is damaged or has other content. The message names the file, what is wrong
    and what to do.
    """

    def __init__(self, path: str | os.PathLike, problem: str):
        super().__init__(f"{path}: {problem}. {_REMEDY}")


class MissingData(FileNotFoundError):
    """The CIFAR-10 folder, or a file in it, is missing."""


def read_batch(path: str | os.PathLike) -> dict:
    """Return one batch file as {"data": uint8 (N, 3072), "labels": int64 (N,), "filenames": list of
    str}.

    N is the number of images in the file. `data` is a new, writable array; `filenames` is empty
    where the file has none. The file is never executed: only arrays, strings, numbers, lists and
    dicts are read.

    Raises:
        DamagedFile: the file holds anything else, or it has the name and the size of one that the
            authors published and another checksum; the message names the file.
        OSError: the file cannot be opened.
    """
    with _naming(path):
        content = _read_dict(path)
        missing = " and ".join(key for key in ("data", "labels") if key not in content)
        if missing:
            raise ValueError(
                f"a batch file needs the keys data and labels; {missing} missing, keys are"
                f" {_short(sorted(content))}"
            )
        data, labels = _images(content["data"]), _labels(content["labels"])
        filenames = _strings("filenames", content.get("filenames", []))
        names = len(filenames) if "filenames" in content else len(data)
        if not len(data) == len(labels) == names:
            counts = f"{len(data)} images, {len(labels)} labels, {names} filenames"
            raise ValueError(f"counts disagree: {counts}")
    return {"data": data, "labels": labels, "filenames": filenames}


def read_meta(path: str | os.PathLike) -> list[str]:
    """Return the class names in `batches.meta`, label 0 first.

    Raises:
        DamagedFile: the file does not hold 10 names under `label_names`.
    """
    with _naming(path):
        content = _read_dict(path)
        if "label_names" not in content:
            keys = _short(sorted(content))
            raise ValueError(f"the class names need the key label_names; keys are {keys}")
        names = _strings("label_names", content["label_names"])
        if len(names) != NUM_CLASSES:
            raise ValueError(f"label_names must hold {NUM_CLASSES} names, got {len(names)}")
    return names


def is_complete(folder: str | os.PathLike) -> bool:
    """Whether `folder` holds all seven files. Only names are checked; content is checked on
    reading.
    """
    return all((Path(folder) / name).is_file() for name in ALL_FILES)


def refuse_copies(folder: str | os.PathLike) -> None:
    """Raise ValueError where `folder` has a file `data_batch_*` whose name does not end with a
    number: who reads all data_batch_* would train on a backup copy, `data_batch_1.bak`, too.
    """
    for path in sorted(Path(folder).glob("data_batch_*")):
        if not path.name.removeprefix("data_batch_").isdecimal():
            raise ValueError(
                f"{path}: a training file is called data_batch_ and a number, and this one would"
                " be read as one; move it to another folder"
            )


def locate(root: str | os.PathLike) -> Path:
    """Return the folder with the batch files: `root/cifar-10-batches-py`, or `root` itself if it is
    that folder.

    Raises:
        MissingData: the folder is missing or incomplete; the message says how to get the data.
    """
    root = Path(root).expanduser()
    for folder in (root / FOLDER, root):
        if is_complete(folder):
            return folder
    folder = root / FOLDER
    absent = [name for name in ALL_FILES if not (folder / name).is_file()]
    lack = f"{folder} lacks {', '.join(absent)}" if folder.is_dir() else f"no folder {folder}"
    raise MissingData(f"CIFAR-10's files are not in {root}: {lack}.\n{how_to_get(root)}")


def batch(data: np.ndarray, labels: np.ndarray, filenames: Iterable[str], batch_label: str) -> dict:
    """Return the dict of one batch file from uint8 images (N, 3, 32, 32) or (N, 3072), N labels
    0..9 and N names.
    """
    data = np.asarray(data)
    classes = [operator.index(label) for label in labels]
    names = [name.encode("utf-8") for name in filenames]
    if data.dtype != np.uint8 or data.shape[1:] not in (IMAGE_SHAPE, (BYTES_PER_IMAGE,)):
        raise ValueError(
            f"images must be uint8 (N, 3, 32, 32) or (N, {BYTES_PER_IMAGE}),"
            f" got {data.dtype} {data.shape}"
        )
    if not len(data) == len(classes) == len(names):
        raise ValueError(
            f"counts must agree, got {len(data)} images, {len(classes)} labels,"
            f" {len(names)} filenames"
        )
    if not all(0 <= label < NUM_CLASSES for label in classes):
        raise ValueError(f"labels must be 0..{NUM_CLASSES - 1}, got {min(classes)}..{max(classes)}")
    return {
        b"batch_label": batch_label.encode("utf-8"),
        b"labels": classes,
        b"data": data.reshape(-1, BYTES_PER_IMAGE),
        b"filenames": names,
    }


def write_batch(
    path: str | os.PathLike,
    data: np.ndarray,
    labels: np.ndarray,
    filenames: Iterable[str] | None = None,
    batch_label: str = "training batch 1 of 1",
) -> None:
    """Write one batch file as Python 2 would have written it. The write is atomic: afterwards
    `path` is the whole new file, or what it was before.

    The arguments are those of `batch`. Without `filenames`, the names are image_s_000000.png and so
    on.
    """
    if filenames is None:
        filenames = [f"image_s_{n:06d}.png" for n in range(len(data))]
    content = batch(data, labels, filenames, batch_label)
    with replaced(Path(path)) as file:
        dump(content, file)


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` when this `with` block ends without an error."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_layout(
    root: str | os.PathLike,
    classes: Iterable[str],
    batches: Iterable[tuple[str, dict]],
    description: str,
) -> Path:
    """Write `root/cifar-10-batches-py` whole or not at all, and return it. If it exists already, it
    is left as it is.

    Args:
        classes: 10 class names.
        batches: (file name, dict from `batch`) for every batch file; read one by one, so that only
            one is in memory.
        description: one line that is stored in readme.html; by it an existing folder is recognized
            as this data set.

    Raises:
        FileExistsError: the folder exists and holds something else. It is not changed.
    """
    root = Path(root).expanduser()
    folder, readme = root / FOLDER, f"<html><body><p>{description}</p></body></html>\n"
    if folder.exists():
        return _same(folder, readme)
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root, prefix=f".{FOLDER}-") as private:
        temporary, per_file = Path(private, FOLDER), 0
        temporary.mkdir()
        for name, content in batches:
            per_file = max(per_file, len(content[b"labels"]))
            with open(temporary / name, "wb") as file:
                dump(content, file)
        meta = {
            b"num_cases_per_batch": per_file,
            b"label_names": [name.encode("utf-8") for name in classes],
            b"num_vis": BYTES_PER_IMAGE,
        }
        with open(temporary / META_FILE, "wb") as file:
            dump(meta, file)
        (temporary / README_FILE).write_text(readme, encoding="utf-8", newline="\n")
        publish(temporary, folder)
    return _same(folder, readme)


def publish(temporary: Path, folder: Path) -> None:
    """Rename a finished directory to `folder`, in one step. If another process was first, its
    folder stays.
    """
    # mkdtemp made the directory private; the data is for everyone who may read the root
    os.chmod(temporary, 0o755)
    try:
        os.rename(temporary, folder)
    except OSError:
        if not is_complete(folder):
            raise


def _same(folder: Path, readme: str) -> Path:
    try:
        same = is_complete(folder) and (folder / README_FILE).read_text(encoding="utf-8") == readme
    except (OSError, UnicodeDecodeError):
        same = False
    if not same:
        raise FileExistsError(
            f"{folder} holds other or incomplete data; it was left as it is."
            " Choose another root, or move it away."
        )
    return folder


@contextlib.contextmanager
def _naming(path: str | os.PathLike) -> Iterator[None]:
    """Turn a ValueError into a DamagedFile, which names the file and says what to do."""
    try:
        yield
    except ValueError as error:
        raise DamagedFile(path, str(error)) from None


def _read_dict(path: str | os.PathLike) -> dict:
    """The pickled dict in a file, with its keys as str."""
    blob = Path(path).read_bytes()
    if not blob:
        raise ValueError("the file is empty")
    _refuse_changed(Path(path).name, blob)
    content = load(blob)
    if not isinstance(content, dict):
        raise ValueError(f"the file must hold a dict, got {type(content).__name__}")
    return {
        key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key): value
        for key, value in content.items()
    }


def _refuse_changed(name: str, blob: bytes) -> None:
    """Among the pixels every byte is valid, so only the published checksum can find one that has
    changed. Name and size tell a published file from one that this course writes.
    """
    size, published = PUBLISHED.get(name, (None, ""))
    digest = hashlib.md5(blob, usedforsecurity=False).hexdigest() if len(blob) == size else ""
    if digest and digest != published:
        raise ValueError(
            f"the file has the size of CIFAR-10's {name} and another checksum: md5 is {digest},"
            f" published is {published}"
        )


def _images(value: Any) -> np.ndarray:
    if not isinstance(value, ArrayState) or value.dtype != "u1":
        got = value.dtype if isinstance(value, ArrayState) else type(value).__name__
        raise ValueError(f"data must be an array of uint8, got {got}")
    if len(value.shape) != 2 or value.shape[1] != BYTES_PER_IMAGE:
        raise ValueError(f"data must be (N, {BYTES_PER_IMAGE}), got {_short(value.shape)}")
    needed = value.shape[0] * BYTES_PER_IMAGE
    if len(value.raw) != needed:
        raise ValueError(f"data of shape {value.shape} needs {needed} bytes, got {len(value.raw)}")
    order: Any = "F" if value.fortran else "C"
    return np.frombuffer(value.raw, np.uint8).reshape(value.shape, order=order).copy(order="C")


def _labels(value: Any) -> np.ndarray:
    if not isinstance(value, list):
        raise ValueError(f"labels must be a list of ints, got {type(value).__name__}")
    for position, label in enumerate(value):
        if type(label) is not int or not 0 <= label < NUM_CLASSES:
            got = f"{_short(label)} at position {position}"
            raise ValueError(f"labels must be ints 0..{NUM_CLASSES - 1}, got {got}")
    return np.array(value, dtype=np.int64)


def _strings(key: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, (bytes, str)) for item in value):
        raise ValueError(f"{key} must be a list of strings")
    return [item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in value]


def _short(value: Any) -> str:
    """A short text for any value, to be shown in an error message."""
    if not isinstance(value, (int, bytes, str, list, tuple)):
        return type(value).__name__
    return reprlib.repr(value)
