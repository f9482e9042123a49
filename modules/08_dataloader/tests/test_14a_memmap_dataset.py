"""Laws of exercise 14a, MemmapDataset."""

import numpy as np

from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import Case, law

DTYPES = ("uint8", "float32", "int16", "float64")
LABELS = ("uint8", "int32", "int64", "int16")
MAP = 'np.load(path, mmap_mode="r") opens the map: is it kept as it is?'


def saved(folder, images, labels):
    """The paths of two new files with these arrays: a file that is mapped stays."""
    number = len(list(folder.iterdir()))
    paths = folder / f"images{number}.npy", folder / f"labels{number}.npy"
    np.save(paths[0], images)
    np.save(paths[1], labels)
    return paths


def drawn(draw, n, image="uint8", label="int32"):
    images = draw.integers(0, 100, (n, 1, 2, 2)).astype(image)
    return images, draw.permutation(n).astype(label)


@law(1, "row i of both", look="the same index for both, and Tensor(...) around both")
def test_a_sample_is_a_row_of_both_files(tt, tmp_path, draw):
    n = int(draw.integers(9, 20))
    images, labels = drawn(draw, n)
    ds = tt.MemmapDataset(*saved(tmp_path, images, labels))
    yield f"len(ds), files of {n} rows", lambda: len(ds), n

    def parts(i):
        image, label = ds[i]
        kinds = [type(part).__name__ for part in (image, label)]
        values = [getattr(part, "data", part) for part in (image, label)]
        return kinds, [np.asarray(one).tolist() for one in values]

    for i in (0, n - 1, *draw.integers(0, n, 3).tolist()):
        want = ["Tensor", "Tensor"], [images[i].tolist(), int(labels[i])]
        yield f"ds[{i}]: types and values", lambda: parts(i), want


@law(2, "labels are int64", look="astype(np.int64) for the labels; images stay as is")
def test_the_dtypes(tt, tmp_path, draw):
    for image, label in zip(DTYPES, draw.permutation(LABELS).tolist(), strict=True):
        images, labels = drawn(draw, 4, image, label)
        if image.startswith("float"):
            images += images.dtype.type(0.25)
        ds = tt.MemmapDataset(*saved(tmp_path, images, labels))
        call = f"ds[2], files of {image} and {label}: dtypes, the first pixel"
        got = lambda: [str(part.data.dtype) for part in ds[2]]  # noqa: E731
        pixel = lambda: float(ds[2][0].data[0, 0, 0])  # noqa: E731
        want = [image, "int64"], float(images[2, 0, 0, 0])
        yield call, lambda: (got(), pixel()), want


def allocated(tt, paths, index):
    """The bytes that were allocated to open the files and to read a sample, and one
    pixel of it.
    """
    import tracemalloc

    tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        image = tt.MemmapDataset(*paths)[index][0]
        used = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    return used, float(image.data[0, 0, 0])


@law(
    3,
    "the whole image file",
    look='np.load(path, mmap_mode="r") reads nothing; index the map first, then copy',
)
def test_one_sample_takes_the_memory_of_one_sample(inside, tmp_path, draw):
    images = np.zeros((600, 3, 32, 32), np.uint8)
    i, pixel = int(draw.integers(600)), int(draw.integers(1, 256))
    images[i] = pixel
    used, got = inside(allocated, saved(tmp_path, images, np.arange(600)), i)
    call = f"MemmapDataset(a file of 1843 kB, ...)[{i}]"
    yield f"{call}: one pixel", got, float(pixel)
    told = f"{used / 1e3:.0f} kB allocated"
    yield call, told, "less than 180 kB allocated", used < 180_000


@law(3, "the whole image file", look="is there a sum or a maximum of all images?")
def test_a_large_file_stays_on_disk(tt, tmp_path, peak_memory):
    paths = saved(tmp_path, 0, np.zeros(21_000, np.uint8))
    # a file of holes: it takes no room
    shape = 21_000, 3, 32, 32
    np.lib.format.open_memmap(paths[0], mode="w+", dtype=np.uint8, shape=shape)
    before = peak_memory()
    image = tt.MemmapDataset(*paths)[20_999][0].data
    grown = (peak_memory() - before) / 1e6
    call = "MemmapDataset(a file of 64 MB, ...)[20999]"
    yield f"{call}: shape", image.shape, shape[1:]
    # one image costs some 0.1 MB, the whole file 64 MB
    yield call, f"{grown:.0f} MB more in memory", "about 0 MB", grown < 16


def written(tt, paths):
    """Whether `images` is a memory map, after somebody tried to write into it."""
    import numpy as np

    images = tt.MemmapDataset(*paths).images
    try:
        images[0] = 200
        images.flush()
    except (ValueError, AttributeError, OSError):
        pass
    return isinstance(images, np.memmap), len(images)


@law(4, "read-only memory map", look=MAP)
def test_the_file_stays_as_it_is(inside, tmp_path, draw):
    images, labels = drawn(draw, int(draw.integers(4, 20)))
    paths = saved(tmp_path, images, labels)
    call = "ds.images[0] = 200: is ds.images a memory map, its length, row 0 in the"
    call += " file afterwards"
    row = lambda: np.load(paths[0])[0].ravel().tolist()  # noqa: E731
    got = lambda: (*inside(written, paths), row())  # noqa: E731
    yield call, got, (True, len(images), images[0].ravel().tolist())


def memory_of(tt, paths, i, *transforms):
    """Whose memory an image has, and a sample again after the first was overwritten."""
    import numpy as np

    given = (lambda image: image) if "as it is" in transforms else None
    ds = tt.MemmapDataset(*paths, transform=given)
    image, label = ds[i]
    root = image.data
    while isinstance(root, np.ndarray) and root.base is not None:
        root = root.base
    own = isinstance(root, np.ndarray) and not isinstance(root, np.memmap)
    if own:
        image.data[...] = 101
        label.data[...] = 101
    again = [part.data.tolist() for part in ds[i]]
    return "its own" if own else f"of a {type(root).__name__}", again


@law(
    5,
    "not a view of",
    look="np.array(row) copies, np.asarray does not; is what is handed out kept?",
)
def test_a_sample_is_a_copy(inside, tmp_path, draw):
    n = int(draw.integers(4, 20))
    images, labels = drawn(draw, n)
    paths, i = saved(tmp_path, images, labels), int(draw.integers(n))
    call = f"image, label = ds[{i}]: the image's memory; both become 101: ds[{i}] again"
    want = "its own", [images[i].tolist(), int(labels[i])]
    yield call, lambda: inside(memory_of, paths, i), want
    call = f"transform=lambda image: image; {call}"
    look = "is the row copied with a transform, too? It may return what it was given"
    got = lambda: inside(memory_of, paths, i, "as it is")  # noqa: E731
    yield Case(call, got, want, look=look)


@law(6, "its image from the file", look=f"is a row kept from the time before? {MAP}")
def test_the_file_is_read_each_time(tt, tmp_path, draw):
    images, labels = drawn(draw, 6)
    paths, i = saved(tmp_path, images, labels), int(draw.integers(6))
    ds = tt.MemmapDataset(*paths)
    on_disk = np.lib.format.open_memmap(paths[0], mode="r+")
    for pixel in draw.permutation(np.arange(100, 250))[:3].tolist():
        on_disk[i] = pixel
        on_disk.flush()
        call = f"row {i} of the file becomes {pixel}: ds[{i}][0]"
        yield call, lambda: ds[i][0].data.tolist(), [[[pixel] * 2] * 2]


@law(
    7,
    "of unequal length",
    look="compare both lengths: too many labels are as wrong as too few. Put both"
    " numbers into the message",
)
def test_unequal_lengths_are_refused(tt, tmp_path, draw):
    n = int(draw.integers(200, 300))
    images, labels = drawn(draw, n)
    ds = lambda count: tt.MemmapDataset(  # noqa: E731
        *saved(tmp_path, images, np.resize(labels, count))
    )
    yield f"len(MemmapDataset({n} images, {n} labels))", lambda: len(ds(n)), n
    for count in (n - 1, n + 1, 100 + int(draw.integers(99)), 1):
        call = f"MemmapDataset({n} images, {count} labels)"
        yield Case(call, lambda: ds(count), [str(n), str(count)], raises=ValueError)


@law(
    8,
    "An index outside",
    look="is the index compared with both ends before the file is read? A memory map"
    " counts negative indices from the end",
)
def test_an_index_outside_is_refused(tt, tmp_path, draw):
    n = int(draw.integers(20, 40))
    images, labels = drawn(draw, n)
    ds = tt.MemmapDataset(*saved(tmp_path, images, labels))
    for i in (0, n - 1):
        yield f"ds[{i}] of {n}: label", lambda: int(ds[i][1].data), int(labels[i])
    for i in (n, -1, -n, -n - 1, n + int(draw.integers(50, 900))):
        says = [str(i), str(n)]
        yield Case(f"ds[{i}] of {n}", lambda: ds[i], says, raises=IndexError)


@law(9, "calls the transform once", look="the last line of the stub calls it already")
def test_a_transform_is_called_once_an_image(tt, tmp_path, draw):
    images, labels = drawn(draw, 6)
    number, seen = int(draw.integers(100, 200)), []

    def shifted(image):
        seen.append(image.data.tolist())
        return image.data + np.uint8(number)

    paths = saved(tmp_path, images, labels)
    ds = tt.MemmapDataset(*paths, transform=shifted)

    def parts(i):
        seen.clear()
        image, label = ds[i]
        values = np.asarray(getattr(image, "data", image)).tolist()
        return values, int(np.asarray(label.data)), list(seen)

    i = int(draw.integers(6))
    for k in (i, i, 5 - i):
        call = f"ds[{k}], the transform adds {number}: image, label, what it got"
        want = (images[k] + np.uint8(number)).tolist(), int(labels[k])
        yield call, lambda: parts(k), (*want, [images[k].tolist()])


def unreadable(tt, paths, i):
    """What comes of a sample whose file is gone, and how often the file was read."""
    ds, reads = tt.MemmapDataset(*paths), []
    shape = ds.images.shape

    class Gone:
        dtype, ndim = ds.images.dtype, len(shape)

        def __len__(self):
            return shape[0]

        def __getitem__(self, index):
            reads.append(index)
            raise OSError("the disk is gone")

    Gone.shape, ds.images = shape, Gone()
    try:
        return type(ds[i]).__name__, len(reads)
    except Exception as error:  # noqa: BLE001 - any may come
        return f"{type(error).__name__}: {error}", len(reads)


@law(10, "without a retry", look="is there a try around the files or the transform?")
def test_errors_pass_through(tt, inside, tmp_path, draw):
    images, labels = drawn(draw, 6)
    paths, i = saved(tmp_path, images, labels), int(draw.integers(6))
    for error in ERRORS:
        calls = []

        def fails(image):
            calls.append("asked")
            raise error

        got = lambda: (raised_by(lambda: ds[i]), len(calls))  # noqa: E731
        ds = tt.MemmapDataset(*paths, transform=fails)
        call = f"ds[{i}], the transform raises {shown(error)}: error, calls of it"
        yield call, got, (shown(error), 1)
    call = f'ds[{i}], ds.images[{i}] raises OSError("the disk is gone"): error, reads'
    want = "OSError: the disk is gone", 1
    yield call, lambda: inside(unreadable, paths, i), want
    none = tmp_path / "none.npy"
    for call, files in (
        ('MemmapDataset("none.npy", labels_path)', (none, paths[1])),
        ('MemmapDataset(images_path, "none.npy")', (paths[0], none)),
    ):
        opened = lambda: tt.MemmapDataset(*files)  # noqa: E731
        yield Case(call, opened, ["none.npy"], raises=FileNotFoundError)
