"""Twenty loaders as they are found in training programs: photos, sound, text, tables, games."""

import atexit
import collections
import datetime
import functools
import gzip
import itertools
import json
import os
import random
import re
import shutil
import tempfile
import time
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from case import Case
from PIL import Image
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    TensorDataset,
    get_worker_info,
)


@functools.cache
def folder():
    path, owner = Path(tempfile.mkdtemp(prefix="unseen_6_")), os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(path, ignore_errors=True))
    return path


@functools.cache
def numbers(*shape, top=256, dtype=np.float32):
    return np.random.default_rng(1).integers(0, top, shape).astype(dtype)


def shuffled(dataset, batch_size, num_workers=0, **options):
    sampler = RandomSampler(dataset, generator=torch.Generator().manual_seed(0))
    return DataLoader(dataset, batch_size, sampler=sampler, num_workers=num_workers, **options)


def shuffled_by_batch(dataset, batch_size, num_workers=0):
    sampler = RandomSampler(dataset, generator=torch.Generator().manual_seed(0))
    sampler = BatchSampler(sampler, batch_size, drop_last=False)
    return DataLoader(dataset, batch_size=None, sampler=sampler, num_workers=num_workers)


class Items(Dataset):
    def __init__(self, items, helper=None):
        self.items, self.helper = items, helper

    def __len__(self):
        return len(self.items)


@functools.cache
def photos():
    paths = [folder() / f"{i}.jpg" for i in range(160)]
    for path, small in zip(paths, numbers(160, 32, 32, 3, dtype=np.uint8), strict=True):
        Image.fromarray(small).resize((512, 512), Image.Resampling.BICUBIC).save(path, quality=90)
    return paths


class Products(Items):
    def __getitem__(self, index):
        image = Image.open(self.items[index]).convert("RGB")
        image = image.resize((128, 128), Image.Resampling.BILINEAR)
        return torch.from_numpy(np.array(image)).permute(2, 0, 1), index % 10


class Flats(Items):
    def __getitem__(self, index):
        if index not in self.helper:
            image = Image.open(self.items[index]).convert("L").rotate(90)
            self.helper[index] = torch.from_numpy(np.array(image.reduce(4)))
        return self.helper[index]


def flats_read_ahead():
    cache = dict(enumerate(Flats(photos(), {})[index] for index in range(160)))
    return shuffled(Flats(photos(), cache), 16)


def mel_filters(bands=40, size=257, rate=16000):
    top = 2595 * np.log10(1 + rate / 2 / 700)
    edges = 700 * (10 ** (np.linspace(0, top, bands + 2) / 2595) - 1)
    filters = np.zeros((bands, size), np.float32)
    for band, k in itertools.product(range(bands), range(size)):
        low, middle, high = edges[band : band + 3]
        hertz = k * rate / 2 / (size - 1)
        rise, fall = (hertz - low) / (middle - low), (high - hertz) / (high - middle)
        filters[band, k] = max(0.0, min(rise, fall))
    return filters


class Commands(Items):
    def __getitem__(self, index):
        sound = self.items[index].astype(np.float32) / 32768
        frames = np.lib.stride_tricks.sliding_window_view(sound, 512)[::160] * np.hanning(512)
        power = np.abs(np.fft.rfft(frames)).astype(np.float32) ** 2
        filters = mel_filters() if self.helper is None else self.helper
        return torch.from_numpy(np.log(power @ filters.T + 1e-6))


@functools.cache
def support_tickets():
    rng, paths = random.Random(3), [folder() / f"{i}.json.gz" for i in range(160)]
    words = ["".join(rng.choices("abcdefghinorstu", k=7)) for _ in range(2000)]
    for path in paths:
        mails = [" ".join(rng.choices(words, k=150)) for _ in range(80)]
        path.write_bytes(gzip.compress(json.dumps(mails).encode(), 1))
    return paths


class Tickets(Items):
    def __getitem__(self, index):
        counts = np.zeros(1024, np.float32)
        for mail in json.loads(gzip.decompress(self.items[index].read_bytes())):
            for word, count in collections.Counter(re.findall(r"\w+", mail)).items():
                counts[zlib.crc32(word.encode()) % 1024] += count
        return torch.from_numpy(np.log1p(counts)), index % 8


@functools.cache
def payments():
    names = [f"v{i}" for i in range(24)]
    return pd.DataFrame(numbers(3000, 24), columns=names).assign(fraud=np.arange(3000) % 2)


class Payments(Items):
    def __getitem__(self, index):
        row = self.items.iloc[index]
        return row.drop("fraud").to_numpy(dtype=np.float32), int(row["fraud"])


def payments_as_tensors():
    features, labels = payments().drop(columns="fraud"), payments()["fraud"]
    return TensorDataset(torch.tensor(features.to_numpy()), torch.tensor(labels.to_numpy()))


@functools.cache
def film_histories():
    rng = random.Random(5)
    return [rng.sample(range(6000), 2000) for _ in range(4000 // 20)]


class Films(Items):
    def __len__(self):
        return 20 * len(self.items)

    def __getitem__(self, index):
        user, rng, unseen = index % len(self.items), random.Random(index), []
        while len(unseen) < 8:
            film = rng.randrange(6000)
            if film not in self.helper[user]:
                unseen.append(film)
        return user, self.items[user][index % 2000], np.array(unseen)


@functools.cache
def molecules():
    rng, found = random.Random(6), []
    for size in rng.choices(range(20, 40), k=320):
        bonds = [(i, rng.randrange(i)) for i in range(1, size)]
        found.append((rng.choices(range(1, 30), k=size), bonds + [(b, a) for a, b in bonds]))
    return found


def dense_graphs(found):
    longest = max(len(atoms) for atoms, _ in found)
    adjacency = torch.zeros(len(found), longest, longest)
    for number, (atoms, bonds) in enumerate(found):
        for i, j in itertools.product(range(len(atoms)), repeat=2):
            adjacency[number, i, j] = 1.0 if (i, j) in bonds else 0.0
    return adjacency


def dense_graphs_by_bond(found):
    longest = max(len(atoms) for atoms, _ in found)
    adjacency = torch.zeros(len(found), longest, longest)
    for number, (_, bonds) in enumerate(found):
        rows, columns = np.array(bonds).T
        adjacency[number, rows, columns] = 1.0
    return adjacency


@functools.cache
def ct_slices():
    paths = [folder() / f"{i}.raw.gz" for i in range(8)]
    for path, volume in zip(paths, numbers(8, 48, 128, 128, top=40, dtype=np.int16), strict=True):
        path.write_bytes(gzip.compress(volume.tobytes(), 1))
    return list(itertools.product(paths, range(0, 48, 4)))


def unpack_volume(path):
    volume = gzip.decompress(path.read_bytes())
    return np.frombuffer(volume, np.int16).reshape(48, 128, 128)


class CtSlices(Items):
    def __getitem__(self, index):
        path, plane = self.items[index]
        return torch.from_numpy(self.helper(path)[plane].astype(np.float32) / 40)


@functools.cache
def server_log():
    moments = pd.Timestamp("2024-05-01") + pd.to_timedelta(np.arange(5000) * 17, unit="s")
    lines = [f"{m} GET 200 {i}\n" for i, m in enumerate(moments.strftime("%Y-%m-%dT%H:%M:%S"))]
    (folder() / "access.log").write_text("".join(lines))
    return folder() / "access.log"


class Requests(IterableDataset):
    def __init__(self, path, moment):
        self.path, self.moment = path, moment

    def __iter__(self):
        worker = get_worker_info()
        share = slice(worker.id, None, worker.num_workers) if worker else slice(None)
        for line in self.path.read_text().splitlines()[share]:
            when, _, status, size = line.split()
            when = self.moment(when)
            second = when.hour * 3600 + when.minute * 60 + when.second
            yield np.array([when.weekday(), second, int(status), int(size)], np.float32)


@functools.cache
def key_frames():
    path = folder() / "frames.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for i, frame in enumerate(numbers(2400, 24, 32, top=60, dtype=np.uint8)):
            archive.writestr(f"{i}.raw", frame.tobytes())
    return [(path, f"{i}.raw") for i in range(0, 2400, 30)]


class KeyFrames(Items):
    def __getitem__(self, index):
        path, name = self.items[index]
        return np.frombuffer(self.helper(path).read(name), np.uint8).copy()


def farthest_points(cloud, count=40):
    chosen = [0]
    while len(chosen) < count:
        apart = ((cloud[:, None] - cloud[chosen][None]) ** 2).sum(-1)
        chosen.append(int(apart.min(1).argmax()))
    return cloud[chosen]


class Clouds(Items):
    def __getitem__(self, index):
        return torch.from_numpy(farthest_points(self.items[index]))


class Sensors:
    def __init__(self, path, batch_size):
        self.path, self.batch_size = path, batch_size
        if not path.exists():
            np.savetxt(path, numbers(18000, 16), "%d")

    def table(self):
        table = np.empty((0, 16))
        for line in self.path.read_text().splitlines():
            table = np.vstack([table, np.array(line.split(), dtype=float)])
        return table

    def __iter__(self):
        table = torch.from_numpy(self.table()).float()
        return iter(table.split(self.batch_size))


class SensorsReadOnce(Sensors):
    @functools.cache  # noqa: B019 - there is one such loader
    def table(self):
        return np.loadtxt(self.path)


@functools.cache
def lexicon_file():
    words = {f"word{i}": [i % 40, i % 39, i % 38, i % 37] for i in range(120000)}
    (folder() / "lexicon.json").write_text(json.dumps(words))
    return folder() / "lexicon.json"


class Pronunciations(Items):
    lexicon = None

    def __getitem__(self, index):
        if self.lexicon is None:
            self.lexicon = json.loads(self.helper.read_text())
        return np.array([self.lexicon[f"word{self.items[index] + i}"] for i in range(20)])


class Blocks(Items):
    def __getitem__(self, index):
        start = self.items[index]
        block = torch.from_numpy(self.helper[start : start + 257].astype(np.int64))
        return block[:-1], block[1:]


class Store:  # stands for one behind a network, which answers after some milliseconds
    def __init__(self, connect=0.0, answer=0.0):
        self.answer = answer
        time.sleep(connect)

    def get(self, key):
        time.sleep(self.answer)
        return np.frombuffer(random.Random(key).randbytes(64 * 64 * 3), np.uint8)


class StoredImages(Items):
    def __getitem__(self, index):
        image = self.helper.get(self.items[index]).reshape(64, 64, 3)
        return torch.from_numpy(image.astype(np.float32) / 255).permute(2, 0, 1)


class Customers(Items):
    def __getitem__(self, index):
        store = self.helper or Store(connect=0.008, answer=0.002)
        return store.get(self.items[index])[:64].astype(np.float32)


class Replay:
    def __init__(self, batch_size):
        self.batch_size, states = batch_size, numbers(50001, 8)
        self.steps = collections.deque(zip(states, states[1:], range(50000), strict=False))

    def take(self, chosen):
        before, after, rewards = zip(*[self.steps[i] for i in chosen], strict=True)
        return np.stack(before), np.stack(after), np.array(rewards)

    def __iter__(self):
        rng = np.random.default_rng(0)
        for _ in range(600):
            chosen = rng.integers(0, 50000, self.batch_size)
            yield tuple(torch.from_numpy(part) for part in self.take(chosen))


class ReplayOfArrays(Replay):
    def take(self, chosen):
        return numbers(50001, 8)[chosen], numbers(50001, 8)[chosen + 1], chosen


CASES = [
    # fix: two worker processes; decoding photos is the work itself
    Case(
        "pytorch: photos of products for a classifier",
        ("computes", "few workers"),
        lambda batch_size=16, num_workers=0: shuffled(Products(photos()), batch_size, num_workers),
        lambda: shuffled(Products(photos()), 16, 2),
    ),
    # fix: fill the cache before the workers start, which lose it with every epoch
    Case(
        "pytorch: grey photos of flats, kept in a dict",
        ("first epoch", "computes"),
        lambda batch_size=16, num_workers=2: shuffled(Flats(photos(), {}), batch_size, num_workers),
        flats_read_ahead,
    ),
    # fix: make the mel filters once, not for every clip
    Case(
        "pytorch: spectrograms of spoken commands",
        ("transform", "computes"),
        lambda batch_size=16, num_workers=0: shuffled(
            Commands(numbers(60, 16000, top=3000)), batch_size, num_workers
        ),
        lambda: shuffled(Commands(numbers(60, 16000, top=3000), mel_filters()), 16),
    ),
    # fix: two worker processes; each file has to be unpacked and counted
    Case(
        "pytorch: support tickets as counts of words",
        ("computes", "few workers"),
        lambda batch_size=8, num_workers=0: shuffled(
            Tickets(support_tickets() * 2), batch_size, num_workers
        ),
        lambda: shuffled(Tickets(support_tickets() * 2), 8, 2),
    ),
    # fix: turn the table into tensors once, instead of a pandas row per sample
    Case(
        "pytorch: card payments, fraud or not",
        ("computes", "many reads", "objects"),
        lambda batch_size=128, num_workers=0: shuffled(
            Payments(payments()), batch_size, num_workers
        ),
        lambda: shuffled(payments_as_tensors(), 128),
    ),
    # fix: look up the films that a user knows in a set, not in a list
    Case(
        "pytorch: films with eight that the user has not seen",
        ("computes", "transform"),
        lambda batch_size=64, num_workers=0: shuffled(
            Films(film_histories(), film_histories()), batch_size, num_workers
        ),
        lambda: shuffled(Films(film_histories(), [set(h) for h in film_histories()]), 64),
    ),
    # fix: set the entries of the bonds by index, not every pair of atoms in a Python loop
    Case(
        "pytorch: molecules as dense graphs",
        ("collate",),
        lambda batch_size=16, num_workers=0: shuffled(
            molecules(), batch_size, num_workers, collate_fn=dense_graphs
        ),
        lambda: shuffled(molecules(), 16, collate_fn=dense_graphs_by_bond),
    ),
    # fix: keep the few volumes unpacked, instead of unpacking a volume for every slice
    Case(
        "pytorch: slices of CT volumes",
        ("computes",),
        lambda batch_size=8, num_workers=0: shuffled(
            CtSlices(ct_slices(), unpack_volume), batch_size, num_workers
        ),
        lambda: shuffled(CtSlices(ct_slices(), functools.cache(unpack_volume)), 8),
    ),
    # fix: read ISO times by datetime.fromisoformat, not by pandas.to_datetime
    Case(
        "pytorch: requests in the log of a web server",
        ("computes",),
        lambda batch_size=256, num_workers=0: DataLoader(
            Requests(server_log(), pd.to_datetime), batch_size, num_workers=num_workers
        ),
        lambda: DataLoader(Requests(server_log(), datetime.datetime.fromisoformat), 256),
    ),
    # fix: none, the training step takes the time
    Case(
        "pytorch: satellite tiles, two workers that stay",
        ("step",),
        lambda batch_size=16, num_workers=2: shuffled(
            TensorDataset(torch.from_numpy(numbers(800, 4, 64, 64))),
            batch_size,
            num_workers,
            persistent_workers=num_workers > 0,
        ),
        step_seconds=0.04,
    ),
    # fix: open the archive once, not for every frame
    Case(
        "pytorch: key frames of a film in an archive",
        ("computes",),
        lambda batch_size=8, num_workers=0: shuffled(
            KeyFrames(key_frames(), zipfile.ZipFile), batch_size, num_workers
        ),
        lambda: shuffled(KeyFrames(key_frames(), functools.cache(zipfile.ZipFile)), 8),
    ),
    # fix: choose the points of every cloud once, before the training
    Case(
        "pytorch: clouds of points, thinned out",
        ("transform", "computes"),
        lambda batch_size=8, num_workers=0: shuffled(
            Clouds(numbers(60, 600, 3)), batch_size, num_workers
        ),
        lambda: shuffled([torch.from_numpy(farthest_points(c)) for c in numbers(60, 600, 3)], 8),
    ),
    # fix: read the file once for all epochs, and as a whole instead of growing an array by rows
    Case(
        "plain: measurements of sensors from a text file",
        ("all first", "start", "copies"),
        lambda batch_size=128, num_workers=0: Sensors(folder() / "sensors.txt", batch_size),
        lambda: SensorsReadOnce(folder() / "sensors.txt", 128),
    ),
    # fix: no worker processes; slicing an array in memory is cheaper than passing batches on
    Case(
        "pytorch: pressures in memory, read by whole batches",
        ("costly workers",),
        lambda batch_size=32, num_workers=2: shuffled_by_batch(
            TensorDataset(torch.from_numpy(numbers(60000, 16))), batch_size, num_workers
        ),
        lambda: shuffled_by_batch(TensorDataset(torch.from_numpy(numbers(60000, 16))), 32),
    ),
    # fix: keep the workers, which read the lexicon anew in every epoch
    Case(
        "pytorch: sentences as phonemes",
        ("start", "costly workers"),
        lambda batch_size=64, num_workers=2: shuffled(
            Pronunciations(range(3000), lexicon_file()), batch_size, num_workers
        ),
        lambda: shuffled(
            Pronunciations(range(3000), lexicon_file()), 64, 2, persistent_workers=True
        ),
    ),
    # fix: none, the training step takes the time
    Case(
        "pytorch: blocks of tokens for a language model",
        ("step",),
        lambda batch_size=32, num_workers=0: shuffled(
            Blocks(range(0, 512000, 256), numbers(512001, top=30000, dtype=np.uint16)),
            batch_size,
            num_workers,
        ),
        step_seconds=0.05,
    ),
    # fix: worker processes, which wait for the store at the same time
    Case(
        "pytorch: images from an object store",
        ("waits", "few workers"),
        lambda batch_size=16, num_workers=0: shuffled(
            StoredImages(range(160), Store(answer=0.006)), batch_size, num_workers
        ),
        lambda: shuffled(StoredImages(range(160), Store(answer=0.006)), 16, 4),
    ),
    # fix: keep the connection to the store, instead of a new one for every customer
    Case(
        "pytorch: customers from a feature store",
        ("waits", "few workers"),
        lambda batch_size=16, num_workers=0: shuffled(
            Customers(range(120)), batch_size, num_workers
        ),
        lambda: shuffled(Customers(range(120), Store(answer=0.002)), 16),
    ),
    # fix: keep the steps in arrays and index them by a whole batch
    Case(
        "plain: replay of the steps of a game",
        ("many reads", "collate", "objects"),
        lambda batch_size=256, num_workers=0: Replay(batch_size),
        lambda: ReplayOfArrays(256),
    ),
    # fix: none, the training step takes the time
    Case(
        "pytorch: table of flights, read by whole batches",
        ("step",),
        lambda batch_size=512, num_workers=0: shuffled_by_batch(
            TensorDataset(torch.from_numpy(numbers(60000, 40))), batch_size, num_workers
        ),
        step_seconds=0.02,
    ),
]
