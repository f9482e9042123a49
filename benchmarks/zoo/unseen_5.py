"""Loaders of thirteen small programs: archives, tables, sound, pictures, replay and caches.
They were frozen, with their fixes, before the first report on them.
"""

from __future__ import annotations

import atexit
import collections
import csv
import functools
import hashlib
import os
import queue
import random
import shutil
import sqlite3
import tempfile
import threading
import time
from pathlib import Path

import h5py
import numpy as np
import torch
from case import Case
from PIL import Image, ImageFilter
from scipy import signal
from torch.utils.data import DataLoader, Dataset, Sampler


@functools.cache
def folder() -> Path:
    path = Path(tempfile.mkdtemp(prefix="zoo_a_data_"))
    atexit.register(remove, path, os.getpid())
    return path


def remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked worker
        shutil.rmtree(path, ignore_errors=True)


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)


def loader(data, size, workers=0, shuffle=True, collate=None):
    """A function that returns the DataLoader of data(), in an order which is always the same."""

    def make(batch_size=size, num_workers=workers):
        order = {"shuffle": True, "generator": torch.Generator().manual_seed(7)} if shuffle else {}
        return DataLoader(data(), batch_size, num_workers=num_workers, collate_fn=collate, **order)

    return make


def spans(total: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]


@functools.cache
def spectra_file(count: int = 2048) -> str:
    path = str(folder() / "spectra.h5")
    values = np.random.default_rng(1).integers(0, 99, (count, 512)).astype(np.float32)
    with h5py.File(path, "w") as file:
        file.create_dataset("spectra", data=values, chunks=(128, 512), compression="gzip")
    return path


class Spectra(Rows):
    def __init__(self, path, count=2048):
        self.path = path
        super().__init__(range(count))

    def __getitem__(self, i):
        with h5py.File(self.path) as file:
            return torch.from_numpy(file["spectra"][i])


class SpectraInMemory(Spectra):
    def __init__(self, path, count=2048):
        super().__init__(path, count)
        with h5py.File(path) as file:
            self.values = torch.from_numpy(file["spectra"][:])

    def __getitem__(self, i):
        return self.values[i]


@functools.cache
def game_files(count: int = 256) -> list:
    rng = np.random.default_rng(2)
    paths = [folder() / f"game{i}.npz" for i in range(count)]
    for path in paths:
        board = rng.integers(0, 3, (19, 19, 17)).astype(np.float32)
        history = rng.integers(0, 9, (200, 19, 19)).astype(np.float32)
        np.savez_compressed(path, board=board, history=history, result=rng.integers(0, 2))
    return paths


class Games(Rows):
    def __getitem__(self, i):
        game = dict(np.load(self.rows[i]))
        return torch.from_numpy(game["board"]), int(game["result"])


class GamesNeeded(Rows):
    def __getitem__(self, i):
        with np.load(self.rows[i]) as game:
            return torch.from_numpy(game["board"]), int(game["result"])


@functools.cache
def meter_file(rows: int = 8000):
    path, rng = folder() / "meter.csv", np.random.default_rng(3)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time", *(f"v{i}" for i in range(20)), "load"])
        writer.writerows(rng.random((rows, 22)).round(5).tolist())
    return path


class Meter:
    def __init__(self, path, size=128):
        self.path, self.size = path, size

    def __iter__(self):
        rows = []
        with open(self.path, newline="") as file:
            for record in csv.DictReader(file):
                rows.append([float(record[name]) for name in record])
                if len(rows) == self.size:
                    yield np.array(rows, np.float32)
                    rows = []


class MeterOnce(Meter):
    def __init__(self, path, size=128):
        super().__init__(path, size)
        self.values = np.loadtxt(path, np.float32, delimiter=",", skiprows=1)

    def __iter__(self):
        for span in spans(len(self.values) // self.size * self.size, self.size):
            yield self.values[span]


def transitions(kind, count=300_000):
    rng = np.random.default_rng(4)
    states = rng.standard_normal((count, 8), np.float32)
    return kind((states[i], i % 4, float(i % 7), states[i - 1]) for i in range(count))


class Memory:
    """The replay memory of a DQN tutorial."""

    def __init__(self, kind, size=64, batches=40):
        self.steps, self.size, self.batches = transitions(kind), size, batches

    def __iter__(self):
        rng = random.Random(4)
        for _ in range(self.batches):
            state, action, reward, later = zip(*rng.sample(self.steps, self.size), strict=True)
            yield np.stack(state), np.array(action), np.array(reward), np.stack(later)


@functools.cache
def speech(count: int = 96) -> np.ndarray:
    return np.random.default_rng(5).standard_normal((count, 44_101), np.float32)


class Speech(Rows):
    def __getitem__(self, i):
        return torch.from_numpy(signal.resample(self.rows[i], 16_001).astype(np.float32))


class SpeechStored(Rows):
    def __getitem__(self, i):
        return torch.from_numpy(self.rows[i])


@functools.cache
def speech_16k() -> np.ndarray:
    return np.stack([signal.resample(one, 16_001) for one in speech()]).astype(np.float32)


@functools.cache
def icons(count: int = 1500):
    place = folder() / "icons"
    place.mkdir()
    rng = np.random.default_rng(6)
    for i in range(count):
        Image.fromarray(rng.integers(0, 256, (16, 16), np.uint8)).save(place / f"{i:05}.png")
    return place


class Icons(Rows):
    def __init__(self, place):
        self.place = place
        super().__init__(range(len(list(place.iterdir()))))

    def __getitem__(self, i):
        path = sorted(self.place.glob("*.png"))[i]
        return torch.from_numpy(np.array(Image.open(path)))


class IconsListed(Icons):
    def __init__(self, place):
        super().__init__(place)
        self.paths = sorted(place.glob("*.png"))

    def __getitem__(self, i):
        return torch.from_numpy(np.array(Image.open(self.paths[i])))


@functools.cache
def scenes(count: int = 32) -> list[Image.Image]:
    rng = np.random.default_rng(7)
    return [Image.fromarray(rng.integers(0, 256, (512, 512, 3), np.uint8)) for _ in range(count)]


class Blurred(Rows):
    """Crops of 64 pixels, blurred a little, as augmentation."""

    def __init__(self, rows, first):
        super().__init__(rows * 4)
        self.first = first

    def __getitem__(self, i):
        x, y = (i * 37) % 440, (i * 91) % 440
        blur, box = ImageFilter.GaussianBlur(1 + i % 3), (x, y, x + 64, y + 64)
        if self.first == "blur":
            image = self.rows[i].filter(blur).crop(box)
        else:
            image = self.rows[i].crop(box).filter(blur)
        return torch.from_numpy(np.array(image))


@functools.cache
def tickets(count: int = 20_000):
    path = folder() / "tickets.sqlite"
    rng = np.random.default_rng(8)
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE tickets (id INTEGER PRIMARY KEY, a REAL, b REAL, c REAL)")
        rows = ((i, *rng.random(3).tolist()) for i in range(count))
        base.executemany("INSERT INTO tickets VALUES (?, ?, ?, ?)", rows)
    base.close()
    return path


class Tickets(Rows):
    query = "SELECT a, b, c FROM tickets LIMIT 1 OFFSET ?"

    def __init__(self, path, count=20_000):
        super().__init__(range(count))
        self.base = sqlite3.connect(path)

    def __getitem__(self, i):
        return np.array(self.base.execute(self.query, (i,)).fetchone(), np.float32)


class TicketsById(Tickets):
    query = "SELECT a, b, c FROM tickets WHERE id = ?"


@functools.cache
def tokens(kind):
    import datasets

    rows = np.random.default_rng(9).integers(0, 30_000, (1600, 512))
    table = datasets.Dataset.from_dict({"ids": rows.tolist()})
    return table.with_format(kind) if kind else table


def ids_of_lists(samples):
    return torch.tensor([sample["ids"] for sample in samples])


def ids_of_tensors(samples):
    return torch.stack([sample["ids"] for sample in samples])


class Cached(Rows):
    """Normalized scans, in a cache whose key is the content of the raw scan."""

    def __init__(self, rows):
        super().__init__(rows)
        self.cache = {}

    def key(self, i):
        return hashlib.sha256(self.rows[i].tobytes()).hexdigest()

    def __getitem__(self, i):
        key = self.key(i)
        if key not in self.cache:
            self.cache[key] = self.rows[i][::8, ::8] / np.float32(self.rows[i].max())
        return torch.from_numpy(self.cache[key])


class CachedByNumber(Cached):
    def key(self, i):
        return i


@functools.cache
def scans() -> np.ndarray:
    return np.random.default_rng(10).integers(0, 4096, (128, 512, 512), np.uint16)


class Polled:
    """A thread prepares batches; the loop looks every 10 ms whether one is there."""

    def __init__(self, polls, batches=100):
        self.polls, self.rows = polls, np.random.default_rng(11).random((batches, 64, 32))

    def fill(self, ready):
        for batch in self.rows:
            ready.put(batch.astype(np.float32))

    def take(self, ready):
        while self.polls and ready.empty():
            time.sleep(0.01)
        return ready.get()

    def __iter__(self):
        ready = queue.Queue(1)
        threading.Thread(target=self.fill, args=(ready,), daemon=True).start()
        for _ in self.rows:
            yield self.take(ready)


class Balanced(Sampler):
    """Draws each class as often as the others."""

    def __init__(self, labels):
        self.labels = labels

    def weights(self):
        return [1 / self.labels.count(label) for label in self.labels]

    def __iter__(self):
        draw = torch.Generator().manual_seed(12)
        weights = torch.tensor(self.weights())
        return iter(torch.multinomial(weights, len(self.labels), True, generator=draw).tolist())

    def __len__(self):
        return len(self.labels)


class BalancedByCounts(Balanced):
    def weights(self):
        counts = collections.Counter(self.labels)
        return [1 / counts[label] for label in self.labels]


def balanced(sampler, batch_size=64, num_workers=0):
    rng = np.random.default_rng(12)
    rows = torch.from_numpy(rng.standard_normal((4000, 16), np.float32))
    labels = rng.integers(0, 50, 4000).tolist()
    return DataLoader(Rows1(rows), batch_size, sampler=sampler(labels), num_workers=num_workers)


class Rows1(Rows):
    def __getitem__(self, i):
        return self.rows[i]


class Simple:
    """Rows of a table that is in memory, gathered by one call."""

    def __init__(self, size=256):
        self.table, self.size = np.random.default_rng(13).random((20_000, 64), np.float32), size

    def __iter__(self):
        order = np.random.default_rng(13).permutation(len(self.table))
        for span in spans(len(order), self.size):
            yield self.table[order[span]]


CASES = [
    # a chunk of 128 rows is unpacked for one row, and the file opened for it; fix: into memory once
    Case(
        "pytorch: spectra of a compressed HDF5 file, row by row",
        ("computes", "many reads"),
        loader(lambda: Spectra(spectra_file()), 32),
        loader(lambda: SpectraInMemory(spectra_file()), 32),
    ),
    # dict(np.load(...)) unpacks all arrays, of which one is used; fix: read the one
    Case(
        "pytorch: games in npz files, all arrays unpacked",
        ("computes",),
        loader(lambda: Games(game_files()), 16),
        loader(lambda: GamesNeeded(game_files()), 16),
    ),
    # fix: parse the file once into one array
    Case(
        "plain: meter readings, csv parsed in each epoch",
        ("computes", "objects"),
        lambda: Meter(meter_file()),
        lambda: MeterOnce(meter_file()),
        step_seconds=0.0005,
    ),
    # an item in the middle of a deque is found step by step; fix: a list
    Case(
        "plain: replay memory that samples from a deque",
        ("computes", "many reads"),
        lambda: Memory(collections.deque),
        lambda: Memory(list),
        step_seconds=0.0002,
    ),
    # fix: resample once, offline
    Case(
        "pytorch: speech resampled by a long FFT",
        ("computes", "few workers"),
        loader(lambda: Speech(speech()), 8),
        loader(lambda: SpeechStored(speech_16k()), 8),
    ),
    # fix: list the folder once
    Case(
        "pytorch: a folder listed for each icon",
        ("computes",),
        loader(lambda: Icons(icons()), 16),
        loader(lambda: IconsListed(icons()), 16),
    ),
    # fix: crop, then blur
    Case(
        "pytorch: whole pictures blurred before they are cropped",
        ("computes", "transform"),
        loader(lambda: Blurred(scenes(), "blur"), 8),
        loader(lambda: Blurred(scenes(), "crop"), 8),
    ),
    # fix: WHERE id = ?
    Case(
        "pytorch: tickets of a database, by OFFSET",
        ("computes", "many reads"),
        loader(lambda: Tickets(tickets()), 32),
        loader(lambda: TicketsById(tickets()), 32),
    ),
    # fix: with_format("torch")
    Case(
        "pytorch: token ids of an Arrow data set, as lists",
        ("objects", "many reads", "computes"),
        loader(lambda: tokens(None), 32, collate=ids_of_lists),
        loader(lambda: tokens("torch"), 32, collate=ids_of_tensors),
    ),
    # the key costs more than what is kept; fix: the number of the scan as the key
    Case(
        "pytorch: a cache whose key is a hash of the data",
        ("computes",),
        loader(lambda: Cached(scans()), 16),
        loader(lambda: CachedByNumber(scans()), 16),
    ),
    # fix: queue.get(), which returns as soon as there is something
    Case(
        "plain: a loop that looks every 10 ms for its batch",
        ("waits",),
        lambda: Polled(True),
        lambda: Polled(False),
        step_seconds=0.0005,
    ),
    # labels.count for each label, before each epoch; fix: count once
    Case(
        "pytorch: weights of a sampler counted label by label",
        ("start",),
        lambda batch_size=64, num_workers=0: balanced(Balanced, batch_size, num_workers),
        lambda: balanced(BalancedByCounts),
    ),
    # fix: none
    Case("plain: rows of a table beside a long step", ("step",), Simple, step_seconds=0.01),
]
