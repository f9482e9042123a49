"""Loaders of the odd but real kind, of pytorch. Their author had not read the rules of the verdict;
they were frozen before the first run.
"""

from __future__ import annotations

import atexit
import functools
import io
import itertools
import math
import os
import shutil
import tempfile
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from case import Case
from PIL import Image
from torch.utils.data import DataLoader, Dataset, Sampler

FOLDER = Path(tempfile.mkdtemp(prefix="new_b_"))


OWNER = os.getpid()


@atexit.register
def remove_folder() -> None:
    if os.getpid() == OWNER:  # not at the exit of a forked worker
        shutil.rmtree(FOLDER, ignore_errors=True)


@functools.cache
def words(count, seed=0):
    """That many different words of three syllables."""
    rng = np.random.default_rng(seed)
    syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
    found = {}
    while len(found) < count:
        found["".join(rng.choice(syllables, 3))] = None
    return list(found)


@functools.cache
def texts(count, length, seed=0):
    """That many texts of `length` words each."""
    rng = np.random.default_rng(seed)
    vocabulary = np.array(words(3000))
    return [" ".join(vocabulary[rng.integers(0, 3000, length)]) for _ in range(count)]


def picture(height, width, seed):
    """An RGB image with coarse structure and some noise, as uint8."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 200, (height // 16 + 1, width // 16 + 1, 3), dtype=np.uint8)
    image = coarse.repeat(16, axis=0).repeat(16, axis=1)[:height, :width]
    return image + rng.integers(0, 16, image.shape, dtype=np.uint8)


class Items(Dataset):
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


class UnseenSampler(Sampler):
    """All rows in random order but those that are held out for the evaluation."""

    def __init__(self, length, holdout):
        self.length, self.holdout = length, holdout

    def __iter__(self):
        order = np.random.default_rng(2).permutation(self.length).tolist()
        return iter([row for row in order if row not in self.holdout])

    def __len__(self):
        return self.length - len(self.holdout)


def recommender(kind=list, batch_size=256, num_workers=0):
    log = torch.from_numpy(np.random.default_rng(1).integers(0, 50_000, (16_000, 4)))
    holdout = kind(np.random.default_rng(3).permutation(len(log))[:6000].tolist())
    return DataLoader(
        Items(log), batch_size, sampler=UnseenSampler(len(log), holdout), num_workers=num_workers
    )


def pad_by_point(clouds):
    batch = torch.zeros(len(clouds), max(map(len, clouds)), 4)
    for i, cloud in enumerate(clouds):
        for j, point in enumerate(cloud):
            batch[i, j] = torch.from_numpy(point)
    return batch


def pad_by_cloud(clouds):
    batch = torch.zeros(len(clouds), max(map(len, clouds)), 4)
    for row, cloud in zip(batch, clouds, strict=False):
        row[: len(cloud)] = torch.from_numpy(cloud)
    return batch


def point_clouds(collate=pad_by_point, batch_size=8, num_workers=0):
    rng = np.random.default_rng(4)  # LiDAR-like: x, y, z, intensity
    clouds = [
        rng.standard_normal((size, 4), dtype=np.float32) for size in rng.integers(300, 700, 400)
    ]
    return DataLoader(Items(clouds), batch_size, collate_fn=collate, num_workers=num_workers)


def sinc_kernel(old=441, new=160, zeros=6, rolloff=0.99):
    """The filters of a resampler, as torchaudio makes them."""
    base = min(old, new) * rolloff
    width = math.ceil(zeros * old / base)
    at = np.arange(-width, width + old) / old + np.arange(0, -new, -1)[:, None] / new
    at = np.clip(at * base, -zeros, zeros)
    kernel = np.sinc(at) * np.cos(at * np.pi / zeros / 2) ** 2 * base / old
    return torch.from_numpy(kernel.astype(np.float32))[:, None], width


@functools.cache
def kept_kernel():
    return sinc_kernel()


class Speech(Items):
    """Clips of 0.4 seconds at 44.1 kHz, resampled to 16 kHz."""

    def __init__(self, kernel):
        rng = np.random.default_rng(5)
        super().__init__(torch.from_numpy(rng.standard_normal((200, 17_640), dtype=np.float32)))
        self.kernel = kernel

    def resample(self, clip):
        kernel, width = self.kernel()
        padded = torch.nn.functional.pad(clip, (width, width + 441))
        return torch.nn.functional.conv1d(padded[None, None], kernel, stride=441)[0].T.reshape(-1)

    def __getitem__(self, index):
        return self.resample(self.items[index])[:6400]


def speech(kernel=sinc_kernel, batch_size=8, num_workers=0):
    return DataLoader(Speech(kernel), batch_size, num_workers=num_workers)


@functools.cache
def slices_file():
    """A zip archive of 1500 slices."""
    rng = np.random.default_rng(6)
    path = FOLDER / "slices.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(1500):
            stream = io.BytesIO()
            np.save(stream, rng.integers(0, 4000, (64, 64), dtype=np.int16))
            archive.writestr(f"patient/{number // 50:03}/slice{number:05}.npy", stream.getvalue())
    return path


class Slices(Items):
    """Slices out of the archive; an epoch is 160 of them, drawn from all patients."""

    def __init__(self, path):
        super().__init__(np.random.default_rng(7).permutation(1500)[:160])
        self.path = path

    def read(self, name):
        with zipfile.ZipFile(self.path) as archive:
            return archive.read(name)

    def __getitem__(self, index):
        number = self.items[index]
        data = self.read(f"patient/{number // 50:03}/slice{number:05}.npy")
        return np.clip(np.load(io.BytesIO(data)).astype(np.float32) / 2000 - 1, -0.8, 0.8)


class SlicesKeptOpen(Slices):
    opened = (None, None)  # process id, archive: workers do not share a file position

    def read(self, name):
        if self.opened[0] != os.getpid():
            self.opened = os.getpid(), zipfile.ZipFile(self.path)
        return self.opened[1].read(name)


def slices(dataset=Slices, batch_size=8, num_workers=0):
    return DataLoader(dataset(slices_file()), batch_size, num_workers=num_workers)


class Studies(Items):
    """Studies from a hospital's archive, which answers after 7 ms (stands for the network)."""

    def __getitem__(self, index):
        time.sleep(0.007)
        return torch.from_numpy(self.items[index]).float() / 255


class StudiesAtOnce(Studies):
    def __getitems__(self, indices):
        with ThreadPoolExecutor(len(indices)) as pool:
            return list(pool.map(self.__getitem__, indices))


def studies(dataset=Studies, batch_size=8, num_workers=0):
    images = np.random.default_rng(8).integers(0, 255, (128, 64, 64), dtype=np.uint8)
    return DataLoader(dataset(images), batch_size, num_workers=num_workers)


@functools.cache
def scene_files():
    paths = [FOLDER / f"scene{number}.png" for number in range(6)]
    for number, path in enumerate(paths):
        Image.fromarray(picture(640, 640, number)).save(path, compress_level=1)
    return paths


@functools.lru_cache(maxsize=4)
def read_scene(path):
    return np.asarray(Image.open(path))


@functools.lru_cache(maxsize=16)
def read_scene_kept(path):
    return np.asarray(Image.open(path))


class Tiles(Items):
    """Tiles of 128 x 128; neighbouring samples come from different scenes, in turn."""

    def __init__(self, read):
        super().__init__(np.random.default_rng(9).integers(0, 640 - 128, (96, 2)))
        self.paths, self.read = scene_files(), read

    def __getitem__(self, index):
        top, left = self.items[index]
        scene = self.read(self.paths[index % len(self.paths)])
        return torch.from_numpy(scene[top : top + 128, left : left + 128].copy()).float() / 255


def tiles(read=read_scene, batch_size=8, num_workers=0):
    return DataLoader(Tiles(read), batch_size, num_workers=num_workers)


class Tokenizer:
    """Learns pairs of letters from a corpus when it is made, which takes a while."""

    def __init__(self):
        counts = {}
        for text in texts(5000, 120):
            for pair in itertools.pairwise(text):
                counts[pair] = counts.get(pair, 0) + 1
        ranked = sorted(counts, key=lambda pair: (-counts[pair], pair))
        self.ids = {pair: number for number, pair in enumerate(ranked)}

    def encode(self, text):
        pairs = zip(text[::2], text[1::2], strict=False)
        return np.array([self.ids[pair] for pair in pairs], dtype=np.int64)


class Sentences(Items):
    tokenizer = None

    def __getitem__(self, index):
        if self.tokenizer is None:  # "a tokenizer cannot be pickled", so each worker makes its own
            self.tokenizer = Tokenizer()
        return self.tokenizer.encode(self.items[index][:160])


class SentencesReady(Sentences):
    def __init__(self, items):
        super().__init__(items)
        self.tokenizer = Tokenizer()


def sentences(dataset=Sentences, keep=False, batch_size=32, num_workers=2):
    return DataLoader(
        dataset(texts(5000, 120)[:400]),
        batch_size,
        num_workers=num_workers,
        persistent_workers=keep and num_workers > 0,
    )


@functools.cache
def token_file():
    path = FOLDER / "tokens.bin"
    np.random.default_rng(10).integers(0, 500, 400_000, dtype=np.uint16).tofile(path)
    return path


class Packed(Dataset):
    """Windows of packed documents; token 0 ends a document, where positions begin anew."""

    def __init__(self, path, length=1024):
        self.tokens, self.length = np.memmap(path, dtype=np.uint16, mode="r"), length

    def __len__(self):
        return 320

    def __getitem__(self, index):
        window = self.tokens[index * self.length : (index + 1) * self.length].astype(np.int64)
        positions, position = [], 0
        for token in window.tolist():
            positions.append(position)
            position = 0 if token == 0 else position + 1
        return window, np.array(positions)


def packed(batch_size=8, num_workers=1):
    return DataLoader(Packed(token_file()), batch_size, num_workers=num_workers)


class Triples(Items):
    """Edges of a knowledge graph, each with the table of all entities beside it."""

    def __init__(self):
        rng = np.random.default_rng(11)
        super().__init__(torch.from_numpy(rng.integers(0, 10_000, (3200, 3))))
        self.entities = torch.from_numpy(rng.standard_normal((10_000, 32), dtype=np.float32))

    def __getitem__(self, index):
        return {"triple": self.items[index], "entities": self.entities.clone()}


class TriplesOnly(Triples):
    def __getitem__(self, index):
        return self.items[index]

    def collate(self, rows):
        return {"triple": torch.stack(rows), "entities": self.entities.expand(len(rows), -1, -1)}


def triples(dataset=Triples, batch_size=16, num_workers=0):
    dataset = dataset()
    return DataLoader(
        dataset, batch_size, collate_fn=getattr(dataset, "collate", None), num_workers=num_workers
    )


@functools.cache
def photo_files(shrunk):
    """384 small photos, but each 64th is a panorama; `shrunk`: those are made small beforehand."""
    kind = "shrunk" if shrunk else "panorama"
    paths = [
        FOLDER / (f"{kind}{number}.png" if number % 64 == 5 else f"photo{number}.png")
        for number in range(384)
    ]
    panorama = Image.fromarray(picture(1400, 2800, 0))
    for number, path in enumerate(paths):
        if number % 64 == 5 and number != 5:
            shutil.copy(paths[5], path)
        elif not path.exists():
            image = panorama if number == 5 else Image.fromarray(picture(96, 96, number))
            image = image.resize((64, 64)) if shrunk and number == 5 else image
            image.save(path, compress_level=1)
    return paths


class Photos(Items):
    def __getitem__(self, index):
        image = Image.open(self.items[index]).resize((64, 64))
        return torch.from_numpy(np.array(image)).permute(2, 0, 1).float() / 255


def photos(shrunk=False, batch_size=16, num_workers=2):
    return DataLoader(Photos(photo_files(shrunk)), batch_size, num_workers=num_workers)


CASES = [
    # fix: hold `holdout` as a set; the time goes in `row not in self.holdout`, O(n) for a list, in
    # UnseenSampler.__iter__, before the first batch of each epoch
    Case(
        "pytorch: recommender log, the sampler looks up a list",
        ("start",),
        recommender,
        lambda: recommender(set),
    ),
    # fix: assign each cloud as one slice; the time goes in the inner loop of pad_by_point, which
    # makes a tensor of each point
    Case(
        "pytorch: point clouds, padded point by point",
        ("collate",),
        point_clouds,
        lambda: point_clouds(pad_by_cloud),
    ),
    # fix: compute the resampler's filters once (torchaudio.transforms.Resample, or a cache); the
    # time goes in sinc_kernel, called by Speech.resample for each clip
    Case(
        "pytorch: speech, the resampler's kernel anew per clip",
        ("transform",),
        speech,
        lambda: speech(kept_kernel),
    ),
    # fix: keep the archive open, once per process; the time goes in zipfile.ZipFile(...) in
    # Slices.read, which parses the list of all 1500 members for each slice. (No cause says
    # "opening": computes is the nearest, since it is parsing; many reads is next)
    Case(
        "pytorch: medical slices, the zip opened for each",
        ("computes", "many reads"),
        slices,
        lambda: slices(SlicesKeptOpen),
    ),
    # fix: let a batch's samples wait at once: threads in __getitems__, or worker processes; the
    # time goes in time.sleep in Studies.__getitem__, one sample after the other
    Case(
        "pytorch: medical archive, waits one by one",
        ("waits", "few workers"),
        studies,
        lambda: studies(StudiesAtOnce),
    ),
    # fix: a cache for all six scenes, or samples ordered by scene; the time goes in np.asarray of
    # the image in read_scene: with room for 4 of 6 in turn, an LRU cache never hits
    Case(
        "pytorch: satellite tiles, lru_cache too small",
        ("computes",),
        tiles,
        lambda: tiles(read_scene_kept),
    ),
    # fix: make the tokenizer once, before workers fork, and keep the workers between epochs; the
    # time goes in Tokenizer.__init__, called in each new worker by Sentences.__getitem__
    Case(
        "pytorch: language model, each new worker trains its tokenizer",
        ("start", "costly workers"),
        sentences,
        lambda: sentences(SentencesReady, keep=True),
    ),
    # fix: none: one worker makes batches in a third of the step or less. The Python loop in
    # Packed.__getitem__ looks bad but is hidden
    Case(
        "pytorch: packed tokens, a Python loop behind a long step",
        ("step",),
        packed,
        step_seconds=0.03,
    ),
    # fix: give the table once per batch, as a view, in a collate of one's own; the time goes in
    # self.entities.clone() in Triples.__getitem__ and in default_collate's stack of the 16 copies.
    # (copies means copies of a batch; here it is a constant that is copied into each sample)
    Case(
        "pytorch: knowledge graph, the entity table in each sample",
        ("copies", "collate"),
        triples,
        lambda: triples(TriplesOnly),
        step_seconds=0.0005,
    ),
    # fix: shrink the panoramas once, offline; the time goes in decoding them in
    # Photos.__getitem__. They all fall into batches of worker 0, so worker 1 waits
    Case(
        "pytorch: photos with a panorama now and then",
        ("stragglers", "computes"),
        photos,
        lambda: photos(shrunk=True),
    ),
]
