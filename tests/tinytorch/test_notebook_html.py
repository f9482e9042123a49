"""Batches, loaders and Tensors as HTML: it shows the real values, is safe on any page, and is made
without reading a sample.
"""

from __future__ import annotations

import base64
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tinytorch.core.tensor import Tensor
from tinytorch.notebook.batches import batch_html, tensor_html
from tinytorch.notebook.loaders import MOST_BOXES, loader_html
from tinytorch.notebook.pictures import MOST_IMAGES, pictures_of
from tinytorch.notebook.png import png
from tinytorch.notebook.stages import stages_html
from tinytorch.testing import ReadLog

LAW = settings(max_examples=50)
TAGS = {
    "div",
    "strong",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "figure",
    "figcaption",
    "img",
    "pre",
    "span",
}


class Page(HTMLParser):
    """The tags with their attributes, the text, and the text of each cell and caption."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words, self.captions, self.open = "", [], []
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "img":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data
        if "figcaption" in self.open:
            self.captions.append(data)
        if self.open and self.open[-1] in ("th", "td"):
            self.rows[-1][-1] += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def row(self, name: str) -> str:
        return next(row[1] for row in self.rows if row[0] == name)


def shown(image: dict[str, str]) -> np.ndarray:
    """The pixels of an <img>, decoded by another library."""
    head, _, data = image["src"].partition(",")
    assert head == "data:image/png;base64"
    with Image.open(io.BytesIO(base64.b64decode(data, validate=True))) as picture:
        picture.verify()
    with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
        return np.array(picture)


def images(count, channels=3, height=8, width=8, seed=0):
    return np.random.default_rng(seed).integers(
        0, 256, (count, channels, height, width), dtype=np.uint8
    )


# PNG


@LAW
@given(
    height=st.integers(1, 9), width=st.integers(1, 9), color=st.booleans(), seed=st.integers(0, 99)
)
def test_a_png_holds_just_the_pixels(height, width, color, seed):
    pixels = np.random.default_rng(seed).integers(
        0, 256, (height, width, *([3] if color else [])), dtype=np.uint8
    )
    with Image.open(io.BytesIO(png(pixels))) as picture:
        assert picture.mode == ("RGB" if color else "L") and np.array_equal(
            np.array(picture), pixels
        )


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((2, 2)),
        np.zeros((2, 2, 4), np.uint8),
        np.zeros((0, 2), np.uint8),
        np.zeros(3, np.uint8),
    ],
)
def test_what_is_no_picture_is_refused(pixels):
    with pytest.raises(ValueError, match="a PNG is made of uint8 pixels"):
        png(pixels)


# Batches


def test_a_batch_shows_count_shapes_dtypes_sizes_and_values():
    page = Page(batch_html((Tensor(images(20)), Tensor(np.arange(20)))))
    assert page.words.startswith("Batch of 20 samples  ·  4 kB")
    assert page.rows[1] == [
        "[0]",
        "(20, 3, 8, 8)",
        "uint8",
        "3.84 kB",
        f"{images(20).min()} to {images(20).max()}",
    ]
    assert page.rows[2] == ["[1]", "(20,)", "int64", "160 B", "0 1 2 3 4 5 6 7 ..."]


def test_the_images_are_the_batchs_own_each_with_its_label():
    pixels, labels = images(20), np.arange(20) + 100
    page = Page(batch_html((Tensor(pixels), Tensor(labels))))
    assert len(page.all("img")) == MOST_IMAGES and page.captions == [
        str(label) for label in labels[:MOST_IMAGES]
    ]
    for number, image in enumerate(page.all("img")):
        assert np.array_equal(shown(image), np.moveaxis(pixels[number], 0, 2))
        assert image["alt"] == f"image {number}, label {labels[number]}"
    assert "the first 16 of 20 images, 8 x 8 pixels, color, [1] below" in page.words


def test_dicts_nested_batches_and_named_sides_are_batches_too():
    named = Page(
        batch_html(
            {"image": images(3), "meta": {"label": np.array([4, 5, 6]), "file": ["a", "b", "c"]}}
        )
    )
    assert [row[0] for row in named.rows[1:]] == [
        "['image']",
        "['meta']['label']",
        "['meta']['file']",
    ] and named.captions == ["4", "5", "6"]
    sides = type(
        "Batch", (), {"inputs": {"input": images(2)}, "outputs": {"output": np.array([7, 8])}}
    )()
    assert [row[0] for row in Page(batch_html(sides)).rows[1:]] == [
        "inputs['input']",
        "outputs['output']",
    ]


def test_one_sample_is_shown_with_its_label():
    page = Page(batch_html((Tensor(images(1)[0]), Tensor(np.int64(7)))))
    assert page.words.startswith("Sample") and page.captions == ["7"] and len(page.all("img")) == 1


@pytest.mark.parametrize(
    "thing",
    [
        (1, 2),
        (),
        {},
        ("a", "b"),
        {"a": 1},
        np.unique([1, 1, 2], return_counts=True),
        (np.zeros(3), np.zeros(3)),
        np.meshgrid([1, 2], [3, 4]),
        (Tensor([1, 2]), Tensor([1, 2, 3])),
        (Tensor(1.0),),
        (Tensor(np.zeros((2, 3))), Tensor(1.0)),
        list(range(1000)),
        {"a": {"b": {"c": {}}}},
    ],
    ids=[
        "numbers",
        "empty",
        "no keys",
        "words",
        "a number",
        "unique",
        "plain arrays",
        "meshgrid",
        "unequal",
        "scalar",
        "scalar beside",
        "long",
        "deep",
    ],
)
def test_what_is_no_batch_is_left_to_the_notebook(thing):
    assert batch_html(thing) is None


@pytest.mark.parametrize(
    "values",
    [
        np.array([["a"], ["b"]]),
        np.array([[None], [1]]),
        np.array([[1j], [2]]),
        np.zeros((2, 0)),
        np.array([["2026-11-21"], ["NaT"]], "M8[D]"),
    ],
    ids=["words", "objects", "complex", "none", "dates"],
)
def test_values_without_an_order_get_no_range(values):
    page = Page(batch_html({"x": Tensor([1, 2]), "y": values}))
    assert page.rows[2][0] == "['y']" and page.rows[2][-1] == ""


def test_a_dict_that_holds_itself_many_times_is_left_alone_soon():
    class Counted(dict):
        looks = 0

        def items(self):
            Counted.looks += 1
            return super().items()

    own = Counted()
    # 7 to the power of 6 values, if all were visited
    own.update({str(number): own for number in range(7)})
    assert batch_html(own) is None and Counted.looks <= 500


_LEAVES = st.one_of(
    st.none(),
    st.integers(),
    st.text(max_size=5),
    st.floats(),
    st.builds(
        lambda shape, kind: np.zeros(shape, kind),
        st.lists(st.integers(0, 9), max_size=4),
        st.sampled_from(["u1", "f4", "i8", "?", "O", "U3", "c8"]),
    ),
    st.builds(
        lambda shape: Tensor(np.full(shape, np.nan, np.float32)),
        st.lists(st.integers(0, 9), max_size=4),
    ),
)


@LAW
@given(
    st.recursive(
        _LEAVES,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.tuples(inner, inner),
            st.dictionaries(st.text(max_size=3), inner, max_size=3),
        ),
        max_leaves=6,
    )
)
def test_whatever_is_shown_no_error_comes_of_it(thing):
    for found in (
        batch_html(thing),
        loader_html(thing),
        tensor_html(thing) if isinstance(thing, Tensor) else None,
    ):
        assert found is None or Page(found).tags


# Values to colors


def test_fractions_go_from_black_to_white_and_other_values_are_stretched():
    half = np.full((1, 1, 8, 8), 0.5, np.float32)
    found = pictures_of(half)
    assert (found.pixels == 128).all() and found.note == "0 is black, 1 is white"
    normal = np.linspace(-2, 2, 64, dtype=np.float32).reshape(1, 1, 8, 8)
    found = pictures_of(normal)
    assert (found.pixels.min(), found.pixels.max()) == (
        0,
        255,
    ) and found.note == "-2 is black, 2 is white"


def test_values_that_are_not_finite_are_counted_and_black():
    odd = np.ones((1, 1, 8, 8), np.float32)
    odd[0, 0, 0, :3] = [np.nan, np.inf, -np.inf]
    found = pictures_of(odd)
    assert (
        (found.pixels[0, 0, :3] == 0).all()
        and (found.pixels[0, 1:] == 255).all()
        and "3 values that are not finite" in found.note
    )
    assert "no finite value" in pictures_of(odd * np.nan).note


def test_bytes_with_the_channels_last_are_images_and_large_ones_are_thinned_out():
    last = images(2, 8, 8, 3).reshape(2, 8, 8, 3)
    assert np.array_equal(pictures_of(last).pixels, last)
    large = pictures_of(images(1, 1, 300, 200))
    assert (
        large.pixels.shape == (1, 75, 50)
        and large.size == "200 x 300 pixels, gray, every 4th pixel shown"
    )
    assert (
        pictures_of(images(2, 3, 7, 8)) is None
        and pictures_of(images(2, 2)) is None
        and pictures_of(images(0)) is None
    )


# Tensors


def test_a_small_tensor_is_left_to_its_text_and_a_large_one_gets_its_facts():
    assert Tensor(np.zeros(100))._repr_html_() is None
    page = Page(
        Tensor(np.arange(200, dtype=np.float32).reshape(2, 100), requires_grad=True)._repr_html_()
    )
    assert (
        page.words.startswith(
            "Tensor (2, 100)  ·  float32  ·  800 B  ·  requires_grad  ·  0 to 199"
        )
        and "[[" in page.words
    )
    assert (
        len(Page(Tensor(images(3))._repr_html_()).all("img")) == 3
        and len(Page(Tensor(images(1)[0])._repr_html_()).all("img")) == 1
    )


# Loaders


class Loader:
    """The attributes by which a student's DataLoader is recognized."""

    def __init__(self, dataset, batch_size=4, shuffle=False, drop_last=False, **more):
        self.dataset, self.batch_size, self.shuffle, self.drop_last = (
            dataset,
            batch_size,
            shuffle,
            drop_last,
        )
        vars(self).update(more)

    def __len__(self):
        full, rest = divmod(len(self.dataset), self.batch_size)
        return full + bool(rest and not self.drop_last)


def boxes(page):
    """Samples and width in pixels of each drawn batch."""
    return [
        (
            int(box["title"].split()[0]),
            int(re.search(r"width:(\d+)px", box["style"])[1]),
            "dashed" in box["style"],
        )
        for box in page.all("span")
        if "title" in box
    ]


@LAW
@given(samples=st.integers(0, 40), batch_size=st.integers(1, 12), drop_last=st.booleans())
def test_the_drawn_batches_hold_every_sample_and_the_short_one_is_last_and_shorter(
    samples, batch_size, drop_last
):
    page = Page(loader_html(Loader(range(samples), batch_size, drop_last=drop_last)))
    drawn, (full, rest) = boxes(page), divmod(samples, batch_size)
    if full + bool(rest) <= MOST_BOXES:
        assert [count for count, _, _ in drawn] == [batch_size] * full + [rest] * bool(rest)
    else:
        assert (
            len(drawn) == MOST_BOXES - 1
            and f"... {full + bool(rest) - len(drawn)} more ..." in page.words
        )
    assert [dashed for _, _, dashed in drawn] == [False] * (len(drawn) - bool(rest)) + [
        drop_last
    ] * bool(rest)
    if full and rest:
        assert all(drawn[-1][1] <= width for _, width, _ in drawn) and (
            drawn[-1][1] < drawn[0][1] or rest > 0.9 * batch_size
        )


def test_dataset_order_and_batches_are_in_words():
    page = Page(loader_html(Loader(range(10), 4)))
    assert (page.row("dataset"), page.row("order"), page.row("batches")) == (
        "range, 10 samples",
        "0, 1, 2, ... in every epoch",
        "3: 2 of 4, the last of 2",
    )
    assert (
        next(box["aria-label"] for box in page.all("div") if box.get("role") == "img")
        == "2 batches of 4 and a last one of 2"
    )
    left = Page(
        loader_html(Loader(range(10), 4, True, True, seed=3, prefetch=2, collate_fn=len, epoch=5))
    )
    assert left.row("order") == "shuffled, a new order each epoch, repeatable with seed 3"
    assert (
        left.row("batches")
        == "2 of 4; drop_last leaves out the last 2 samples of each epoch's order"
    )
    assert (left.row("prefetch"), left.row("collate_fn"), left.row("epoch")) == (
        "2 batches read ahead",
        "len",
        "the next loop is epoch 5, counted from 0",
    )
    assert "no seed: other orders in another run" in Page(
        loader_html(Loader(range(10), shuffle=True))
    ).row("order")
    assert Page(loader_html(Loader([], 4))).row("batches") == "none: the dataset is empty"
    assert Page(loader_html(Loader([1], 4, sampler=object()))).row("order") == "chosen by object"


def test_showing_a_loader_reads_no_sample_and_begins_no_epoch(reference_package):
    log = ReadLog(range(10))
    loader = reference_package.module.DataLoader(log, batch_size=4, shuffle=True, seed=0)
    assert "3: 2 of 4, the last of 2" in Page(loader_html(loader)).words
    assert log.reads == [] and loader.epoch == 0


def test_a_length_that_disagrees_or_is_not_written_yet_is_said():
    class Short(Loader):
        def __len__(self):
            return 2

    class Stub(Loader):
        def __len__(self):
            raise NotImplementedError("your turn: data_loader.__len__")

    assert (
        Page(loader_html(Short(range(10), 4))).row("len(loader)")
        == "2, yet dataset and batch_size make 3"
    )
    assert (
        Page(loader_html(Stub(range(10), 4))).row("len(loader)")
        == "fails: your turn: data_loader.__len__"
    )
    assert not any(row[0] == "len(loader)" for row in Page(loader_html(Loader(range(10), 4))).rows)


@pytest.mark.parametrize(
    "loader",
    [
        3,
        [1, 2],
        Loader(range(3), 0),
        Loader(range(3), True),
        Loader(range(3), 2.5),
        Loader(iter(range(3))),
        type("L", (), {"dataset": [1]})(),
    ],
)
def test_what_is_no_loader_is_left_to_the_notebook(loader):
    assert loader_html(loader) is None


# Stages


def test_the_stages_are_a_bar_whose_parts_are_as_long_as_their_shares():
    words, text = stages_html({"fetch": 3.0, "transform": 0.0, "collate": 0.5, "other": 1.5})
    page = Page(text)
    bar = next(box for box in page.all("div") if box.get("role") == "img")
    assert (
        bar["aria-label"]
        == words
        == "Fetch takes 60% of the loading time: fetch 60%, transform 0%, collate 10%, other 30%"
    )
    assert [float(share) for share in re.findall(r'style="width:([\d.]+)%', text)] == [60, 10, 30]
    assert (
        "Fetch takes 60% of the loading time" in page.words
        and "collate 10%" in page.words
        and "transform" not in page.words
    )
    assert stages_html({"fetch": 0.0, "other": 2.0})[0].startswith(
        "The rest of the loader takes 100% of the loading time"
    )
    assert stages_html({"fetch": 0.0}) is None and stages_html({}) is None


# Any page

HOSTILE = '"><script>alert(1)</script>'


def everything():
    cruel = type(HOSTILE, (list,), {})
    return [
        batch_html({HOSTILE: Tensor(images(2)), "label": np.array([1, 2]), "text": [HOSTILE]}),
        batch_html((Tensor(np.zeros((2, 3, 3))), HOSTILE)),
        tensor_html(Tensor(images(2))),
        tensor_html(Tensor(np.zeros((20, 20)))),
        loader_html(
            type(HOSTILE, (Loader,), {})(
                cruel([1, 2, 3]), 2, collate_fn=cruel(), seed=HOSTILE, shuffle=True
            )
        ),
        stages_html({"fetch": 1.0, "other": 2.0})[1],
    ]


@pytest.mark.parametrize("number", range(6))
def test_names_and_values_are_text_never_markup(number):
    text = everything()[number]
    page = Page(text)
    assert {tag for tag, _ in page.tags} <= TAGS and "<script" not in text
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert number not in (0, 1, 4) or HOSTILE in page.words


@pytest.mark.parametrize("number", range(6))
def test_a_page_needs_no_server_every_image_has_words_and_text_takes_the_pages_color(number):
    page = Page(everything()[number])
    values = [
        value or ""
        for tag, attributes in page.tags
        for name, value in attributes.items()
        if (tag, name) != ("img", "src")
    ]
    assert not any(re.search(r"https?:|url\(|//", value) for value in values)
    assert all(
        image["alt"].strip() and image["src"].startswith("data:") for image in page.all("img")
    )
    for tag, attributes in page.tags:
        style = attributes.get("style", "")
        fixed = re.findall(r"(?<![-\w])color:#", style), re.findall(r"background:#", style)
        # a text color is set only together with a background, else a dark page would hide the text
        assert bool(fixed[0]) == bool(fixed[1]), (tag, style)
