"""Twenty loaders as they are found in training programs: boxes, users, genes, pages, masks."""

import fcntl
import functools
import itertools
import json
import random
import re
import sqlite3
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import datasets
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import scipy.sparse
import torch
from accelerate import Accelerator
from case import Case
from PIL import Image
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from unseen_6 import Items, folder, numbers, shuffled


def share(stream):
    worker = get_worker_info()
    return itertools.islice(stream, worker.id, None, worker.num_workers) if worker else stream


@functools.cache
def boxes():
    return [{"image": i * 7919 % 1500, "box": [i, i, i + 9, i + 9]} for i in range(15000)]


def boxes_of(image):
    return [each["box"] for each in boxes() if each["image"] == image]


class Detections(Items):
    def __getitem__(self, index):
        return self.items[index], np.array(self.helper(index)[:10], np.float32)


@functools.cache
def orders():
    return pd.DataFrame(numbers(150000, 3, top=1200), columns=["user", "time", "item"])


def orders_of(user):
    return orders()[orders()["user"] == user]


class Baskets(Items):
    def __getitem__(self, index):
        history = self.helper(self.items[index]).sort_values("time", kind="stable")
        return history["item"].to_numpy()[-40:].copy()


@functools.cache
def speech_features():
    return datasets.Dataset.from_dict({"x": list(numbers(6000, 2048))})


def stack_features(rows):
    return torch.from_numpy(np.array([row["x"] for row in rows], np.float32))


@functools.cache
def word_counts():
    rng = np.random.default_rng(4)
    return scipy.sparse.random(16000, 2000, 0.01, "csr", np.float32, random_state=rng)


class Articles(Items):
    def __getitem__(self, index):
        return self.helper[index].toarray().ravel()


class ArticlesByBatch(Articles):
    def __getitems__(self, indices):
        return self.helper[indices].toarray()


@functools.cache
def gene_windows():
    return ["".join(random.Random(i).choices("ACGT", k=600)) for i in range(1500)]


def one_hot(window):
    return [[1.0 if base == letter else 0.0 for letter in "ACGT"] for base in window]


def one_hot_by_comparison(window):
    return np.frombuffer(window.encode(), "S1")[:, None] == np.array(list("ACGT"), "S1")


class Genes(Items):
    def __getitem__(self, index):
        return torch.as_tensor(self.helper(self.items[index]), dtype=torch.float32)


@functools.cache
def corpus():
    lines = [json.dumps(row.tolist()) for row in numbers(12000, 128, top=30000, dtype=int)]
    (folder() / "corpus.jsonl").write_text("\n".join(lines))
    return folder() / "corpus.jsonl"


def line_of(path, index):
    with open(path) as file:
        return next(itertools.islice(file, index, None))


class Lines(Items):
    def __getitem__(self, index):
        return torch.tensor(json.loads(self.helper(self.items[index])))


def visit(line):
    pages = [f"page{page}" for page in json.loads(line)]
    return np.array([zlib.crc32(page.encode()) % 5000 for page in pages])


class Visits(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path) as file:
            yield from share(map(visit, file))


class VisitsOfShare(Visits):
    def __iter__(self):
        with open(self.path) as file:
            yield from map(visit, share(file))


@functools.cache
def reviews():
    rng = random.Random(7)
    words = ["".join(rng.choices("abcdefghinorstu", k=6)) for _ in range(3000)]
    return [" ".join(rng.choices(words, k=rng.randrange(20, 300))) for _ in range(5000)]


class Reviews(Items):
    def __getitem__(self, index):
        words = re.findall(r"[a-z]+", self.items[index].lower())
        return torch.tensor([len(word) + 31 * ord(word[0]) + ord(word[1]) for word in words])


class Buckets:
    def __init__(self, dataset, batch_size, lengths):
        self.dataset, self.batch_size, self.lengths = dataset, batch_size, lengths

    def __iter__(self):
        order = np.argsort(self.lengths or [len(review) for review in self.dataset], kind="stable")
        batches = [order[i : i + self.batch_size] for i in range(0, len(order), self.batch_size)]
        return iter(random.Random(0).sample(batches, len(batches)))


def bucketed(batch_size, num_workers=0, lengths=None):
    dataset, pad = Reviews(reviews()), torch.nn.utils.rnn.pad_sequence
    buckets = Buckets(dataset, batch_size, lengths)
    return DataLoader(dataset, batch_sampler=buckets, collate_fn=pad, num_workers=num_workers)


class Masks(Items):
    def __getitem__(self, index):
        return self.helper[self.items[index]]


def download(number):
    time.sleep(0.004)  # the answer of a server
    return np.frombuffer(random.Random(number).randbytes(64 * 64), np.uint8).reshape(64, 64)


class Games:
    def __init__(self, batch_size):
        self.batch_size, self.lock, self.bytes = batch_size, threading.Lock(), 0

    def fetch(self, number):
        with self.lock:
            frame = download(number)
            self.bytes += frame.nbytes
            return frame

    def __iter__(self):
        with ThreadPoolExecutor(8) as pool:
            frames = pool.map(self.fetch, range(200))
            while batch := list(itertools.islice(frames, self.batch_size)):
                yield torch.from_numpy(np.stack(batch))


class GamesLockedBriefly(Games):
    def fetch(self, number):
        frame = download(number)
        with self.lock:
            self.bytes += frame.nbytes
        return frame


class LockedTiles(Items):
    def __getitem__(self, index):
        path, kind = self.helper
        with open(path / "lock", "w") as lock:
            fcntl.flock(lock, kind)
            time.sleep(0.005)  # the answer of the shared disk
            return torch.from_numpy(self.items[index])


class Recordings(Items):
    def __getitem__(self, index):
        time.sleep(0.008)  # the answer of a disk in the network
        return torch.from_numpy(self.items[index]).log1p()


class Coverage:
    def __init__(self):
        self.seen = []

    def __call__(self, rows):
        tokens = np.stack(rows).astype(int)
        self.seen.append(tokens)
        return torch.from_numpy(tokens), len(np.unique(np.concatenate(self.seen)))


class CoverageByMask:
    def __init__(self):
        self.seen = np.zeros(30000, bool)

    def __call__(self, rows):
        tokens = np.stack(rows).astype(int)
        self.seen[tokens] = True
        return torch.from_numpy(tokens), int(self.seen.sum())


@functools.cache
def scans():
    paths = [folder() / f"{i}.png" for i in range(150)]
    for i, path in enumerate(paths):
        size = (2560, 3200) if i % 15 == 7 else (128, 160)
        Image.fromarray(numbers(150, 40, 32, dtype="u1")[i]).resize(size, 0).save(path)
    return paths


def shrink(path):
    return Image.open(path).resize((64, 80), Image.Resampling.LANCZOS)


def small_scans():
    for path in scans():
        shrink(path).save(path.with_suffix(".small.png"))
    return [path.with_suffix(".small.png") for path in scans()]


class Scans(Items):
    def __getitem__(self, index):
        return torch.from_numpy(np.array(shrink(self.items[index])))


@functools.cache
def clicks():
    path = folder() / "clicks.parquet"
    pd.DataFrame(numbers(50000, 12), columns=list("abcdefghijkl")).to_parquet(path)
    return path


class Clicks(IterableDataset):
    def __init__(self, path, batch_size, rows_at_once):
        self.path, self.batch_size, self.rows_at_once = path, batch_size, rows_at_once

    def __iter__(self):
        stream = share(pq.ParquetFile(self.path).iter_batches(self.rows_at_once))
        while parts := list(itertools.islice(stream, self.batch_size // self.rows_at_once)):
            parts = [rows.to_pandas().to_numpy(np.float32) for rows in parts]
            yield torch.from_numpy(np.concatenate(parts))


@functools.cache
def readings(kind):
    with sqlite3.connect(folder() / f"{kind}.db") as database:
        database.execute(f"CREATE TABLE readings (sensor {kind}, value BLOB)")
        rows = [(f"sensor-{i}", row.tobytes()) for i, row in enumerate(numbers(6000, 32))]
        database.executemany("INSERT INTO readings VALUES (?, ?)", rows)
    return folder() / f"{kind}.db"


class Readings(Items):
    database = None

    def __getitem__(self, index):
        self.database = self.database or sqlite3.connect(self.helper)
        query = "SELECT value FROM readings WHERE sensor = ?"
        row = self.database.execute(query, (f"sensor-{self.items[index]}",)).fetchone()
        return np.frombuffer(row[0], np.float32).copy()


@functools.cache
def mri():
    return [zlib.compress(each, 1) for each in numbers(70, 640, 640, top=99, dtype=np.uint16)]


class Mri(Items):
    def __getitem__(self, index):
        plane = np.frombuffer(zlib.decompress(self.items[index]), np.uint16).reshape(640, 640)
        low, high = np.percentile(plane, (1, 99))
        return torch.from_numpy((plane.clip(low, high)[::2, ::2] / high).astype(np.float32))


def scaled(images):
    batch = np.array(images).astype(np.float32) / np.float32(255)
    return torch.tensor(np.array(batch)).clone().contiguous()


def scaled_once(images):
    return torch.from_numpy(np.stack(images)).div_(255)


CASES = [
    # fix: group the boxes by image once, instead of a search through all for every image
    Case(
        "pytorch: photos with boxes around objects",
        ("computes",),
        lambda batch_size=32, num_workers=0: shuffled(
            Detections(numbers(len(boxes()) // 10, 64), boxes_of), batch_size, num_workers
        ),
        lambda: shuffled(
            Detections(
                numbers(1500, 64), pd.DataFrame(boxes()).groupby("image")["box"].agg(list).get
            ),
            32,
        ),
    ),
    # fix: group the table by user once, instead of a comparison of all its rows for every user
    Case(
        "pytorch: the last orders of a user",
        ("computes",),
        lambda batch_size=32, num_workers=0: shuffled(
            Baskets(range(orders()["user"].nunique()), orders_of), batch_size, num_workers
        ),
        lambda: shuffled(Baskets(range(1200), dict(list(orders().groupby("user"))).get), 32),
    ),
    # fix: with_format("numpy"), so that rows are not lists of Python numbers
    Case(
        "pytorch: features of speech by Hugging Face datasets",
        ("objects", "collate", "computes"),
        lambda batch_size=32, num_workers=0: shuffled(
            speech_features(), batch_size, num_workers, collate_fn=stack_features
        ),
        lambda: shuffled(speech_features().with_format("numpy"), 32, collate_fn=stack_features),
    ),
    # fix: take a batch of rows from the sparse matrix at once, by __getitems__
    Case(
        "pytorch: articles as sparse counts of words",
        ("many reads", "computes", "collate"),
        lambda batch_size=128, num_workers=0: shuffled(
            Articles(range(16000), word_counts()), batch_size, num_workers
        ),
        lambda: shuffled(
            ArticlesByBatch(range(16000), word_counts()), 128, collate_fn=torch.from_numpy
        ),
    ),
    # fix: encode bases by a comparison in numpy, not letter by letter in lists
    Case(
        "pytorch: windows of a genome",
        ("computes", "transform", "objects"),
        lambda batch_size=32, num_workers=0: shuffled(
            Genes(gene_windows(), one_hot), batch_size, num_workers
        ),
        lambda: shuffled(Genes(gene_windows(), one_hot_by_comparison), 32),
    ),
    # fix: keep the lines in memory (or their offsets), instead of reading from the top of the file
    Case(
        "pytorch: lines of a corpus, by number",
        ("computes",),
        lambda batch_size=32, num_workers=0: shuffled(
            Lines(range(2000), functools.partial(line_of, corpus())), batch_size, num_workers
        ),
        lambda: shuffled(Lines(range(2000), corpus().read_text().splitlines().__getitem__), 32),
    ),
    # fix: measure the lengths once, not in every epoch
    Case(
        "pytorch: reviews in buckets of like lengths",
        ("start",),
        lambda batch_size=32, num_workers=0: bucketed(batch_size, num_workers),
        lambda: bucketed(32, lengths=[len(review) for review in Reviews(reviews())]),
    ),
    # fix: a table of bytes, so that masks do not have eight bytes per class and pixel
    Case(
        "pytorch: masks of organs, one channel per class",
        ("wide", "transform", "collate"),
        lambda batch_size=8, num_workers=0: shuffled(
            Masks(numbers(96, 256, 256, top=16, dtype="u1"), np.eye(16)), batch_size, num_workers
        ),
        lambda: shuffled(
            Masks(numbers(96, 256, 256, top=16, dtype="u1"), np.eye(16, dtype="u1")), 8
        ),
    ),
    # fix: hold the lock while counting only, so that the threads wait at the same time
    Case(
        "plain: frames of games, fetched by eight threads",
        ("contention", "waits"),
        lambda batch_size=16, num_workers=0: Games(batch_size),
        lambda: GamesLockedBriefly(16),
    ),
    # fix: a shared lock for reading, so that workers wait for the disk at the same time
    Case(
        "pytorch: tiles of maps from a shared disk",
        ("contention", "waits"),
        lambda batch_size=8, num_workers=4: shuffled(
            LockedTiles(numbers(160, 64, 64), (folder(), fcntl.LOCK_EX)), batch_size, num_workers
        ),
        lambda: shuffled(LockedTiles(numbers(160, 64, 64), (folder(), fcntl.LOCK_SH)), 8, 4),
    ),
    # fix: mark the tokens seen in a mask, instead of keeping all batches
    Case(
        "pytorch: sentences and how many words were seen",
        ("leak", "collate"),
        lambda batch_size=32, num_workers=0: shuffled(
            numbers(2500, 64, top=30000), batch_size, num_workers, collate_fn=Coverage()
        ),
        lambda: shuffled(numbers(2500, 64, top=30000), 32, collate_fn=CoverageByMask()),
    ),
    # fix: shrink the few large scans once, before the training
    Case(
        "pytorch: scanned pages",
        ("stragglers", "computes"),
        lambda batch_size=8, num_workers=0: shuffled(Scans(scans()), batch_size, num_workers),
        lambda: shuffled(Scans(small_scans()), 8),
    ),
    # fix: read as many rows at once as a batch has
    Case(
        "pytorch: clicks from a Parquet file",
        ("many reads", "small batches", "computes"),
        lambda batch_size=1024, num_workers=0: DataLoader(
            Clicks(clicks(), batch_size, min(32, batch_size)), None, num_workers=num_workers
        ),
        lambda: DataLoader(Clicks(clicks(), 1024, 1024), None),
    ),
    # fix: an index on the column by which rows are looked up
    Case(
        "pytorch: readings of sensors from SQLite",
        ("computes", "many reads"),
        lambda batch_size=32, num_workers=0: shuffled(
            Readings(range(0, 6000, 3), readings("TEXT")), batch_size, num_workers
        ),
        lambda: shuffled(Readings(range(0, 6000, 3), readings("TEXT PRIMARY KEY")), 32),
    ),
    # fix: every worker parses its own lines only
    Case(
        "pytorch: visits of pages, a stream",
        ("costly workers", "repeated", "computes"),
        lambda batch_size=128, num_workers=2: DataLoader(
            Visits(corpus()), batch_size, num_workers=num_workers
        ),
        lambda: DataLoader(VisitsOfShare(corpus()), 128, num_workers=2),
    ),
    # fix: two worker processes; slices have to be unpacked and scaled
    Case(
        "pytorch: slices of MRI, packed",
        ("computes", "few workers"),
        lambda batch_size=8, num_workers=0: shuffled(Mri(mri() * 2), batch_size, num_workers),
        lambda: shuffled(Mri(mri() * 2), 8, 2),
    ),
    # fix: more worker processes, which only wait for the disk
    Case(
        "pytorch: recordings of birds from a disk in the network",
        ("waits", "few workers"),
        lambda batch_size=8, num_workers=2: shuffled(
            Recordings(numbers(320, 4000)), batch_size, num_workers
        ),
        lambda: shuffled(Recordings(numbers(320, 4000)), 8, 8),
    ),
    # fix: none, the training step takes the time
    Case(
        "plain: measurements of weather, cut into batches",
        ("step",),
        lambda batch_size=64, num_workers=0: torch.from_numpy(numbers(6400, 500)).split(batch_size),
        step_seconds=0.03,
    ),
    # fix: stack the photos once and scale them in place, without further copies
    Case(
        "pytorch: photos of streets, stacked and scaled",
        ("copies", "collate"),
        lambda batch_size=32, num_workers=0: shuffled(
            list(numbers(99, 3, 256, 256)) * 9, batch_size, num_workers, collate_fn=scaled
        ),
        lambda: shuffled(list(numbers(99, 3, 256, 256)) * 9, 32, collate_fn=scaled_once),
    ),
    # fix: none, the training step takes the time
    Case(
        "pytorch: energy use, prepared by accelerate",
        ("step",),
        lambda batch_size=32, num_workers=0: Accelerator(cpu=True).prepare_data_loader(
            shuffled(numbers(3200, 96), batch_size, num_workers)
        ),
        step_seconds=0.03,
    ),
]
