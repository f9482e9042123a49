"""Twenty loaders as people who train models write them, each with the fix of its main reason."""

from __future__ import annotations

import atexit
import json
import os
import pickle
import shutil
import sqlite3
import tempfile
import threading
import time
import wave
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import torch
from case import Case
from PIL import Image, ImageDraw
from scipy.signal import resample_poly
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, TensorDataset

rng = np.random.default_rng


@cache
def root():
    """The folder of all data, which the process that made it removes at its exit."""
    path, owner = Path(tempfile.mkdtemp(prefix="loaders-")), os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(path, ignore_errors=True))
    return path


def files(count, write):
    """A function that gives the paths of files, which its first call has `write(file, n)` write."""

    @cache
    def paths():
        folder = Path(tempfile.mkdtemp(dir=root()))
        for number in range(count):
            with (folder / f"{number:05}").open("wb") as file:
                write(file, number)
        return sorted(folder.iterdir())

    return paths


def memmapped(array):
    """The array, of a file that is mapped to memory."""
    path = Path(tempfile.mkdtemp(dir=root())) / "array.npy"
    np.save(path, array)
    return np.load(path, mmap_mode="r")


def picture(number, size):
    return Image.fromarray(rng(number).integers(0, 255, (size, size, 3), np.uint8))


def torch_case(name, causes, data, dataset, fixed, better=None, step_seconds=0.001, **options):
    """A case of `DataLoader(dataset(data()), **options)`, better with `fixed` and `better`."""
    options = {"batch_size": 32, "num_workers": 0} | options

    def loader(dataset, **options):
        options["generator"] = torch.Generator().manual_seed(0)
        return DataLoader(dataset(data()), **options)

    def make(batch_size=options["batch_size"], num_workers=options["num_workers"]):
        return loader(dataset, **options | {"batch_size": batch_size, "num_workers": num_workers})

    without = fixed and (lambda: loader(fixed, **options | (better or {})))
    return Case(f"pytorch: {name}", tuple(causes.split(", ")), make, without, step_seconds)


def plain_case(name, causes, data, loader, fixed, batch_size=32, step_seconds=0.001):
    """A case of a loader of plain Python, `loader(data(), batch_size)`."""

    def make(batch_size=batch_size):
        return loader(data(), batch_size)

    without = fixed and (lambda: fixed(data(), batch_size))
    return Case(f"plain: {name}", tuple(causes.split(", ")), make, without, step_seconds)


class Rows(Dataset):  # of a list or an array; how to read one of them, a subclass says
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)


class Chunks:
    """Batches of a list or an array, one after the other; how to read one, a subclass says."""

    def __init__(self, data, batch_size):
        self.data, self.batch_size = data, batch_size

    def __iter__(self):
        for start in range(0, len(self.data), self.batch_size):
            yield self.read(self.data[start : start + self.batch_size])


class PackedTokens(Rows):
    def __getitem__(self, index):
        row = torch.from_numpy(self.data[index].astype(np.int64))
        return row[:-1], row[1:]


class Clips(Rows):
    def __getitem__(self, index):
        top, left = rng(index).integers(0, 8, 2)
        return torch.from_numpy(self.data[index, ..., top : top + 64, left : left + 64].copy())


class Photos(Rows):
    def __getitem__(self, index):
        with Image.open(self.data[index]) as image:
            image = image.convert("RGB").resize((224, 224), Image.Resampling.BICUBIC)
        return torch.from_numpy(np.array(image)).permute(2, 0, 1), index % 5


def download(path):
    time.sleep(0.005)  # the answer of the object storage
    return path.read_bytes()


class Tiles(Rows):
    def __getitem__(self, index):
        tile = np.frombuffer(download(self.data[index]), np.int64).reshape(4, 64, 64)
        return torch.from_numpy(tile.astype(np.float32))


class Replays(Chunks):
    def fetch(self, paths):
        return [download(path) for path in paths]

    def read(self, paths):
        games = [pickle.loads(file) for file in self.fetch(paths)]
        return [list(game["moves"]) for game in games], [game["won"] for game in games]


class ThreadedReplays(Replays):
    def fetch(self, paths):
        with ThreadPoolExecutor(16) as pool:
            return list(pool.map(download, paths))


@cache
def ratings():
    with sqlite3.connect(root() / "ratings.db") as database:
        database.execute("CREATE TABLE ratings (user INTEGER, item INTEGER, stars INTEGER)")
        rows = rng(4).integers(1, 5_000, (8_000, 3)).tolist()
        database.executemany("INSERT INTO ratings VALUES (?, ?, ?)", rows)
    return range(1, 8_001)


class Ratings(Rows):
    def __getitem__(self, index):
        query = "SELECT user, item, stars FROM ratings WHERE rowid = ?"
        with sqlite3.connect(root() / "ratings.db") as database:
            return torch.tensor(database.execute(query, (self.data[index],)).fetchone())


def ratings_in_memory(ids):
    table = sqlite3.connect(root() / "ratings.db").execute("SELECT * FROM ratings ORDER BY rowid")
    return torch.tensor(table.fetchall())


@cache
def scan():
    slices = np.cumsum(rng(5).integers(-3, 4, (96, 192, 192)), axis=2).astype(np.int16)
    with h5py.File(root() / "scan.h5", "w") as file:
        file.create_dataset("mri", data=slices, chunks=(16, 192, 192), compression=1)
    return [(root() / "scan.h5", number) for number in range(96)]


class Slices(Rows):
    def __getitem__(self, index):
        path, number = self.data[index]
        with h5py.File(path) as file:
            return torch.from_numpy(file["mri"][number]).float()


def slices_in_memory(slices):
    with h5py.File(slices[0][0]) as file:
        return torch.from_numpy(file["mri"][:]).float()


@cache
def glyphs():
    with zipfile.ZipFile(root() / "glyphs.zip", "w") as archive:
        for number in range(500):
            with archive.open(f"{number:05}.png", "w") as file:
                picture(number, 24).save(file, "png")
    return [f"{number:05}.png" for number in range(500)]


class Glyphs(Rows):
    def archive(self):
        return zipfile.ZipFile(root() / "glyphs.zip")

    def __getitem__(self, index):
        with self.archive().open(self.data[index]) as file:
            return torch.from_numpy(np.array(Image.open(file)))


class GlyphsOfOpenFile(Glyphs):
    opened = None  # by each worker process

    def archive(self):
        self.opened = self.opened or super().archive()
        return self.opened


class Loans(Rows):
    def __getitem__(self, index):
        row = self.data.iloc[index]
        return row.drop("m").to_numpy(np.float32), torch.tensor(row["m"] > 0)


def loan_tensors(frame):
    features = torch.tensor(frame.drop(columns="m").to_numpy(np.float32))
    return TensorDataset(features, torch.tensor((frame["m"] > 0).to_numpy()))


def draw_streets(path):
    image = Image.new("L", (512, 512))
    for house in json.loads(path.read_bytes()):
        ImageDraw.Draw(image).polygon([tuple(corner) for corner in house], fill=255)
    return torch.from_numpy(np.array(image.resize((128, 128), Image.Resampling.LANCZOS)))


def all_streets(paths):
    return [draw_streets(path) for path in paths]


class Streets(Rows):
    def __init__(self, paths):
        self.data, self.drawn = paths, {}

    def __getitem__(self, index):
        if index not in self.drawn:
            self.drawn[index] = draw_streets(self.data[index])
        return self.drawn[index]


class Readings(Rows):
    def __getitem__(self, index):
        return torch.tensor(self.data[index])


class Scenes(Rows):
    dtype = np.float64

    def __len__(self):
        return 8 * len(self.data)

    def __getitem__(self, index):
        scene = self.data[index // 8].astype(self.dtype) / 8192 - 1
        return torch.from_numpy(np.clip(np.roll(scene, index % 8, axis=2), -0.5, 0.5))


class Float32Scenes(Scenes):
    dtype = np.float32


class Promoters(Rows):
    def __getitem__(self, index):
        return torch.from_numpy(self.one_hot(self.data[index]))

    def one_hot(self, sequence):
        rows = np.zeros((4, len(sequence)), np.float32)
        for position, base in enumerate(sequence):
            rows["ACGT".index(base), position] = 1
        return rows


class PromotersByTable(Promoters):
    def one_hot(self, sequence):
        letters = np.frombuffer(sequence.encode(), np.uint8)
        return (letters == np.frombuffer(b"ACGT", np.uint8)[:, None]).astype(np.float32)


def pad_by_loops(rows):
    batch = torch.zeros(len(rows), max(len(row) for row in rows), dtype=torch.long)
    for number, row in enumerate(rows):
        for position, token in enumerate(row):
            batch[number, position] = int(token)
    return batch


class Clicks(Chunks):
    history = np.zeros((0, 32), int)  # all rows until now

    def read(self, rows):
        self.history = np.concatenate([self.history, rows])
        return rows / self.history.max(axis=0)


class ClicksWithPeak(Chunks):
    peak = 0

    def read(self, rows):
        self.peak = np.maximum(self.peak, rows.max(axis=0))
        return rows / self.peak


def write_recording(file, number):
    seconds = 300 if number % 25 == 7 else 1.1
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(rng(number).integers(-9999, 9999, int(8000 * seconds), np.int16))


class Recordings(Rows):
    frames = 1 << 30

    def __getitem__(self, index):
        with wave.open(str(self.data[index])) as file:
            sound = np.frombuffer(file.readframes(self.frames), np.int16).astype(np.float32)
        return torch.from_numpy(resample_poly(sound, 2, 1)[:16_000] / 32768)


class RecordingStarts(Recordings):
    frames = 8_100  # the filter looks a few frames on


class Molecules(Chunks):
    lock = threading.Lock()

    def fetch(self, path):
        with self.lock:
            return download(path)

    def read(self, paths):
        with ThreadPoolExecutor(8) as pool:
            return np.stack([np.frombuffer(atoms) for atoms in pool.map(self.fetch, paths)])


class FreeMolecules(Molecules):
    fetch = staticmethod(download)


class Histories(Rows):
    def __len__(self):
        return 2_000

    def __getitem__(self, user):
        items = self.data[self.data["user"] == user]["item"]
        return torch.from_numpy(items.to_numpy()[-20:])


def grouped_histories(events):
    users = events.groupby("user")["item"]
    return [torch.from_numpy(items.to_numpy()[-20:]) for _, items in users]


@cache
def patches():
    np.savez_compressed(root() / "tissue.npz", patches=draw(23, 9, (150, 64, 64, 3), np.uint8))
    return [(root() / "tissue.npz", number) for number in range(150)]


class Patches(Rows):
    def __getitem__(self, index):
        path, number = self.data[index]
        with np.load(path) as archive:
            return torch.from_numpy(archive["patches"][number])


def patches_in_memory(patches):
    return torch.from_numpy(np.load(patches[0][0])["patches"])


def draw(seed, most, shape, dtype=np.int64):
    return rng(seed).integers(0, most, shape, dtype)


tokens = cache(lambda: memmapped(draw(0, 50_257, (6_000, 257), np.uint16)))
clips = cache(lambda: memmapped(draw(1, 255, (320, 8, 3, 72, 72), np.uint8)))
photos = files(240, lambda file, n: picture(n, 40).resize((400, 400)).save(file, "jpeg"))
tiles = files(300, lambda file, n: file.write(draw(n, 4096, (4, 64, 64)).tobytes()))
replays = files(256, lambda file, n: pickle.dump({"moves": rng(n).bytes(400), "won": n % 2}, file))
loans = cache(lambda: pd.DataFrame(rng(7).normal(size=(4_000, 13)), columns=[*"abcdefghijklm"]))
corners = cache(lambda: draw(9, 500, (250, 1, 2)) + draw(10, 30, (5, 2)))
streets = files(320, lambda file, n: file.write(json.dumps((corners() + n).tolist()).encode()))
meters = cache(lambda: rng(11).gamma(2.0, 1.5, (14_000, 336)).tolist())
scenes = cache(lambda: memmapped(draw(12, 16_384, (200, 12, 64, 64), np.uint16)))
promoters = cache(lambda: ["".join(row) for row in rng(13).choice([*"ACGT"], (4_000, 1_000))])
chats = cache(lambda: [torch.arange(50 + n % 250) * n % 32_000 + 1 for n in range(1_500)])
pad = partial(pad_sequence, batch_first=True)
clicks = cache(lambda: rng(14).poisson(3, (32_000, 32)) + 1)
recordings = files(300, write_recording)
molecules = files(256, lambda file, n: file.write(rng(n).normal(size=(60, 4)).tobytes()))
digits = cache(lambda: torch.from_numpy(draw(19, 255, (20_000, 28, 28), np.uint8)))
buyers = cache(lambda: np.append(np.repeat(np.arange(2_000), 20), draw(20, 2_000, 90_000)))
events = cache(lambda: pd.DataFrame({"user": buyers(), "item": rng(21).permutation(130_000)}))

CASES = [
    # fix: none; the windows are cut from memory, and the model takes nearly all of the time
    torch_case("token windows", "step", tokens, PackedTokens, None, None, 0.02, shuffle=True),
    # fix: none; two workers crop the clips while the model computes
    torch_case("video clips", "step", clips, Clips, None, None, 0.2, num_workers=2),
    # fix: decode in two worker processes
    torch_case("photos", "few workers, computes", photos, Photos, Photos, {"num_workers": 2}),
    # fix: eight worker processes, so that eight answers are waited for at a time
    torch_case("remote tiles", "few workers, waits", tiles, Tiles, Tiles, {"num_workers": 8}),
    # fix: fetch the replays of a batch by threads
    plain_case("replays of a card game", "waits", replays, Replays, ThreadedReplays),
    # fix: read the small table once, instead of a connection and a query for each row
    torch_case("ratings in SQLite", "many reads, computes", ratings, Ratings, ratings_in_memory),
    # fix: read the volume once; one slice unpacks the 16 slices of its chunk
    torch_case("MRI in HDF5", "computes", scan, Slices, slices_in_memory, batch_size=8),
    # fix: open the archive once for each process, so that its directory is not parsed every time
    torch_case("glyphs in a zip", "computes, many reads", glyphs, Glyphs, GlyphsOfOpenFile),
    # fix: turn the columns of the frame into tensors once
    torch_case("loans in a data frame", "many reads, computes", loans, Loans, loan_tensors),
    # fix: draw the tiles before the workers start, as each epoch's new workers have empty caches
    torch_case("street map", "first epoch, computes", streets, Streets, all_streets, num_workers=2),
    # fix: hold the readings in a tensor instead of lists of numbers
    torch_case("meter readings", "objects, computes", meters, Readings, torch.tensor),
    # fix: float32 instead of float64, all through
    torch_case("multispectral scenes", "wide", scenes, Scenes, Float32Scenes, batch_size=8),
    # fix: compare all letters with the four bases at once
    torch_case("DNA", "transform, computes", promoters, Promoters, PromotersByTable, shuffle=True),
    # fix: pad_sequence copies each row at once
    torch_case("chats", "collate", chats, list, list, {"collate_fn": pad}, collate_fn=pad_by_loops),
    # fix: keep the largest counts, not every row that was seen
    plain_case("click counts, scaled by peaks", "leak", clicks, Clicks, ClicksWithPeak, 64),
    # fix: read only the start of the few long recordings, which is all that is used
    torch_case("bird song", "stragglers, computes", recordings, Recordings, RecordingStarts),
    # fix: no lock around the download, which needs none
    plain_case("molecules by threads", "contention, waits", molecules, Molecules, FreeMolecules),
    # fix: no worker processes; to slice memory costs less than to send a batch
    torch_case(
        "digits", "costly workers", digits, list, list, {"num_workers": 0}, 0.0002, num_workers=2
    ),
    # fix: group the events by user once
    torch_case("purchases", "computes, many reads", events, Histories, grouped_histories),
    # fix: load the archive once; each access to an .npz array unpacks all of it
    torch_case("tissue in an .npz", "computes", patches, Patches, patches_in_memory, batch_size=10),
]
