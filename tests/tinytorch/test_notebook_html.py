"""Batches, loaders and Tensors as HTML: real values, safe on any page, no sample is read."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tinytorch.core.tensor import Tensor
from tinytorch.notebook.batches import batch_html, tensor_html
from tinytorch.notebook.image_grid import MOST_IMAGES, pictures_of
from tinytorch.notebook.loader_html import MOST_BOXES, loader_html
from tinytorch.notebook.stages import stages_html
from tinytorch.testing import ReadLog

LAW = settings(max_examples=50)
TAGS = set("div strong table thead tbody tr th td figure figcaption img pre span".split())


class Page:
    """A part of a page, as another library reads it."""

    def __init__(self, text: str):
        self.tags = BeautifulSoup(text, "html.parser").find_all(True)
        self.words = BeautifulSoup(text, "html.parser").get_text()
        self.captions = [caption.get_text() for caption in self.all("figcaption")]
        self.rows = [
            [cell.get_text() for cell in row.find_all(["th", "td"])] for row in self.all("tr")
        ]

    def all(self, name: str) -> list:
        return [tag for tag in self.tags if tag.name == name]

    def row(self, name: str) -> str:
        return next(row[1] for row in self.rows if row[0] == name)

    def picture(self) -> str:
        """What a reader hears of the drawing."""
        return next(tag["aria-label"] for tag in self.tags if tag.get("role") == "img")


def shown(image: dict[str, str]) -> np.ndarray:
    """The pixels of an <img>, decoded by another library."""
    head, _, data = image["src"].partition(",")
    assert head == "data:image/png;base64"
    with Image.open(io.BytesIO(base64.b64decode(data, validate=True))) as picture:
        return np.array(picture)


def images(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


PIXELS = images(20, 3, 8, 8)


# Batches


def test_a_batch_shows_count_shapes_dtypes_sizes_values_and_its_own_images_with_their_labels():
    labels = np.arange(20)
    page = Page(batch_html((Tensor(PIXELS), Tensor(labels), np.array([["a"]] * 20))))
    assert page.words.startswith("Batch of 20 samples  ·  4.08 kB")
    values = f"{PIXELS.min()} to {PIXELS.max()}"
    assert page.rows[1] == ["[0]", "(20, 3, 8, 8)", "uint8", "3.84 kB", values]
    assert page.rows[2] == ["[1]", "(20,)", "int64", "160 B", "0 1 2 3 4 5 6 7 ..."]
    assert page.rows[3][-1] == ""  # values without an order
    assert Page(batch_html((Tensor(labels[:8]),))).rows[1][-1] == "0 1 2 3 4 5 6 7"
    assert page.captions == [str(label) for label in labels[:MOST_IMAGES]]
    assert len(page.all("img")) == MOST_IMAGES
    for number, image in enumerate(page.all("img")):
        assert np.array_equal(shown(image), np.moveaxis(PIXELS[number], 0, 2))
        assert image["alt"] == f"image {number}, label {number}"
    assert "the first 16 of 20 images, 8 x 8 pixels, color, [1] below" in page.words


class Sides:
    inputs, outputs = {"input": PIXELS[:2]}, {"output": np.array([7, 8])}


MEANING = {"label": np.array([4, 5]), "file": ["a", "b"]}


@pytest.mark.parametrize(
    "batch, names, captions",
    [
        (
            {"image": PIXELS[:2], "meta": MEANING},
            ["['image']", "['meta']['label']", "['meta']['file']"],
            ["4", "5"],
        ),
        (Sides(), ["inputs['input']", "outputs['output']"], ["7", "8"]),
        ((Tensor(PIXELS[0]), Tensor(np.int64(7))), ["[0]", "[1]"], ["7"]),  # one sample
    ],
)
def test_dicts_named_sides_and_one_sample_are_shown_too(batch, names, captions):
    page = Page(batch_html(batch))
    assert [row[0] for row in page.rows[1:]] == names and page.captions == captions
    assert page.words.startswith("Sample" if len(captions) == 1 else "Batch of 2")


# Values to colors, and Tensors


def test_fractions_are_black_to_white_other_values_stretched_and_those_not_finite_black():
    found = pictures_of(np.full((1, 1, 8, 8), 0.5, np.float32))
    assert (found.pixels == 128).all() and found.note == "0 is black, 1 is white"
    found = pictures_of(np.linspace(-2, 2, 64, dtype=np.float32).reshape(1, 1, 8, 8))
    assert (found.pixels.min(), found.pixels.max()) == (0, 255)
    assert found.note == "-2 is black, 2 is white"
    odd = np.ones((1, 1, 8, 8), np.float32)
    odd[0, 0, 0, :3] = [np.nan, np.inf, -np.inf]
    found = pictures_of(odd)
    assert (found.pixels[0, 0, :3] == 0).all() and (found.pixels[0, 1:] == 255).all()
    assert "3 values that are not finite" in found.note
    assert "no finite value" in pictures_of(odd * np.nan).note


def test_what_is_an_image_is_shown_small_and_other_tensors_with_their_facts():
    last = images(2, 8, 8, 3)
    assert np.array_equal(pictures_of(last).pixels, last)
    large = pictures_of(images(1, 1, 300, 200))
    assert large.pixels.shape == (1, 75, 50)
    assert large.size == "200 x 300 pixels, gray, every 4th pixel shown"
    for shape in ((2, 3, 7, 8), (2, 2, 8, 8), (0, 3, 8, 8)):
        assert pictures_of(images(*shape)) is None
    assert Tensor(np.zeros(100))._repr_html_() is None
    numbers = Tensor(np.arange(200, dtype=np.float32).reshape(2, 100), requires_grad=True)
    words = Page(numbers._repr_html_()).words
    facts = "Tensor (2, 100)  ·  float32  ·  800 B  ·  requires_grad  ·  0 to 199"
    assert words.startswith(facts) and "[[" in words
    for pixels, count in ((PIXELS[:3], 3), (PIXELS[0], 1)):
        assert len(Page(Tensor(pixels)._repr_html_()).all("img")) == count


# Loaders


class Loader:
    """The attributes by which a student's DataLoader is recognized."""

    def __init__(self, dataset, batch_size=4, shuffle=False, drop_last=False, **more):
        self.dataset, self.batch_size = dataset, batch_size
        self.shuffle, self.drop_last = shuffle, drop_last
        vars(self).update(more)

    def __len__(self):
        full, rest = divmod(len(self.dataset), self.batch_size)
        return full + bool(rest and not self.drop_last)


def not_solved(loader):
    raise NotImplementedError("your turn: data_loader.__len__")


SHORT, STUB = (type("L", (Loader,), {"__len__": told}) for told in (lambda loader: 2, not_solved))


def boxes(page):
    """Samples, width in pixels and whether it is dashed, of each drawn batch."""
    for box in page.all("span"):
        if box.has_attr("title"):
            width = int(re.search(r"width:(\d+)px", box["style"])[1])
            yield int(box["title"].split()[0]), width, "dashed" in box["style"]


@LAW
@given(samples=st.integers(0, 40), batch_size=st.integers(1, 12), drop_last=st.booleans())
def test_the_drawn_batches_hold_every_sample_and_the_short_one_is_last_and_shorter(
    samples, batch_size, drop_last
):
    page = Page(loader_html(Loader(range(samples), batch_size, drop_last=drop_last)))
    drawn, (full, rest) = list(boxes(page)), divmod(samples, batch_size)
    want = [(batch_size, False)] * full + [(rest, drop_last)] * bool(rest)
    if len(want) > MOST_BOXES:
        assert f"... {len(want) - MOST_BOXES + 1} more ..." in page.words
        want = want[: MOST_BOXES - 2] + want[-1:]
    assert [(count, dashed) for count, _, dashed in drawn] == want
    if full and rest:
        assert drawn[-1][1] < drawn[0][1] or rest > 0.9 * batch_size


TEN = range(10)
ALL_SET = {"seed": 3, "prefetch": 2, "collate_fn": len, "epoch": 5}
REPEATABLE = "shuffled, a new order each epoch, repeatable with seed 3"
DROPPED = "2 of 4; drop_last leaves out the last 2 samples of each epoch's order"


@pytest.mark.parametrize(
    "loader, row, says",
    [
        (Loader(TEN), "order", "0, 1, 2, ... in every epoch"),
        (Loader(TEN), "batches", "3: 2 of 4, the last of 2"),
        (Loader(TEN, 4, True, True, **ALL_SET), "order", REPEATABLE),
        (Loader(TEN, 4, True, True, **ALL_SET), "batches", DROPPED),
        (Loader(TEN, 4, **ALL_SET), "prefetch", "2 batches read ahead"),
        (Loader(TEN, 4, **ALL_SET), "epoch", "the next loop is epoch 5, counted from 0"),
        (Loader(TEN, 4, **ALL_SET), "collate_fn", "len"),
        (Loader(TEN, shuffle=True), "order", "no seed: other orders in another run"),
        (Loader([]), "batches", "none: the dataset is empty"),
        (Loader([1], sampler=object()), "order", "chosen by object"),
        (SHORT(TEN), "len(loader)", "2, yet dataset and batch_size make 3"),
        (STUB(TEN), "len(loader)", "fails: your turn: data_loader.__len__"),
    ],
)
def test_a_loader_is_described_in_words(loader, row, says):
    assert says in Page(loader_html(loader)).row(row)


def test_showing_a_loader_reads_no_sample_and_begins_no_epoch(reference_package):
    log = ReadLog(range(10))
    loader = reference_package.module.DataLoader(log, batch_size=4, shuffle=True, seed=0)
    page = Page(loader_html(loader))
    assert log.reads == [] and loader.epoch == 0
    assert page.picture() == "2 batches of 4 and a last one of 2"
    # a length that agrees has no row
    assert not any(row[0] == "len(loader)" for row in page.rows)


ITSELF = {}
ITSELF.update({str(number): ITSELF for number in range(7)})  # 7**6 values, if all were visited


@pytest.mark.parametrize(
    "shows, thing",
    [
        *((batch_html, one) for one in ((1, 2), ("a", "b"), {"a": 1}, ITSELF, (Tensor(1.0),))),
        (batch_html, np.meshgrid([1, 2], [3, 4])),
        *((batch_html, (Tensor([1, 2]), Tensor([1, 2, 3]))), (loader_html, 3)),
        *((loader_html, Loader(range(3), size)) for size in (0, True, 2.5)),
        *((loader_html, Loader(iter(range(3)))), (loader_html, type("L", (), {"dataset": [1]})())),
    ],
)
def test_what_is_no_batch_and_no_loader_is_left_to_the_notebook(shows, thing):
    assert shows(thing) is None


# Stages


def test_the_stages_are_a_bar_whose_parts_are_as_long_as_their_shares():
    words, text = stages_html({"fetch": 3.0, "transform": 0.0, "collate": 0.5, "other": 1.5})
    page, said = Page(text), "Fetch takes 60% of the loading time"
    assert words == f"{said}: fetch 60%, transform 0%, collate 10%, other 30%" == page.picture()
    assert [float(share) for share in re.findall(r'style="width:([\d.]+)%', text)] == [60, 10, 30]
    assert said in page.words and "collate 10%" in page.words and "transform" not in page.words
    rest, _ = stages_html({"fetch": 0.0, "other": 2.0})
    assert rest.startswith("The rest of the loader takes 100% of the loading time")
    assert stages_html({"fetch": 0.0}) is None and stages_html({}) is None


# Any page

HOSTILE = '"><script>alert(1)</script>'
CRUEL = type(HOSTILE, (list,), {})
HOSTILE_LOADER = type(HOSTILE, (Loader,), {})
SETTINGS = {"collate_fn": CRUEL(), "seed": HOSTILE, "shuffle": True}


@pytest.mark.parametrize(
    "text, hostile",
    [
        (batch_html({HOSTILE: Tensor(PIXELS[:2]), "label": [1, 2], "text": [HOSTILE] * 2}), True),
        (batch_html((Tensor(np.zeros((2, 3, 3))), HOSTILE)), True),
        (tensor_html(Tensor(PIXELS[:2])), False),
        (tensor_html(Tensor(np.zeros((20, 20)))), False),
        (loader_html(HOSTILE_LOADER(CRUEL([1, 2, 3]), 2, **SETTINGS)), True),
        (stages_html({"fetch": 1.0, "other": 2.0})[1], False),
    ],
    ids="batch pair images numbers loader stages".split(),
)
def test_names_are_text_no_server_is_asked_and_text_can_be_read_on_a_dark_page(text, hostile):
    page = Page(text)
    assert {tag.name for tag in page.tags} <= TAGS and "<script" not in text
    assert (HOSTILE in page.words) == hostile
    for tag in page.tags:
        for name, value in tag.attrs.items():
            assert not name.startswith("on")
            assert name == "src" or not re.search(r"https?:|url\(|//", str(value))
        style = tag.get("style", "")
        # a text color is set only together with a background, else a dark page would hide the text
        assert bool(re.search(r"(?<![-\w])color:#", style)) == ("background:#" in style)
    for image in page.all("img"):
        assert image["alt"].strip() and image["src"].startswith("data:")
