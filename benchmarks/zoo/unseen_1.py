"""Loaders as engineers write them in projects of images, sound, text and tables. Their author had
not read the rules of the verdict; they were frozen before the first run.
"""

from __future__ import annotations

import atexit
import functools
import gzip
import io
import json
import os
import shutil
import sqlite3
import tempfile
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from case import Case
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


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


def words(count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmwfgypbvk"))
    return ["".join(rng.choice(letters, size)) for size in rng.integers(2, 10, count)]


def spans(total: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]


def spectrogram(signal: np.ndarray, window: int = 400, hop: int = 80) -> np.ndarray:
    """Frames x 50 bands, from the first window that fits in the signal to the last."""
    frames = np.lib.stride_tricks.sliding_window_view(signal, window)[::hop]
    power = np.abs(np.fft.rfft(frames * np.hanning(window).astype(np.float32)))[:, :200]
    return np.log1p(power.reshape(len(power), 50, 4).mean(2)).astype(np.float32)


@functools.cache
def photo_paths(count: int = 48) -> tuple[list[Path], list[Path]]:
    rng = np.random.default_rng(1)
    photos, thumbnails = [], []
    for i in range(count):
        small = rng.integers(0, 256, (45, 60, 3), dtype=np.uint8)
        photos.append(folder() / f"photo{i}.jpg")
        Image.fromarray(small).resize((1600, 1200), Image.BICUBIC).save(photos[-1], quality=90)
        thumbnails.append(folder() / f"thumbnail{i}.png")
        Image.open(photos[-1]).convert("RGB").resize((128, 128), Image.BILINEAR).save(
            thumbnails[-1]
        )
    return photos, thumbnails


class Photos(Rows):
    def __getitem__(self, i):
        image = Image.open(self.rows[i]).convert("RGB")
        if image.size != (128, 128):
            image = image.resize((128, 128), Image.BILINEAR)
        return torch.from_numpy(np.array(image)).permute(2, 0, 1), i % 10


@functools.cache
def clips(count: int = 320) -> np.ndarray:
    return np.random.default_rng(2).standard_normal((count, 32000), np.float32)


@functools.cache
def clip_features() -> np.ndarray:
    path = folder() / "clips.npy"
    np.save(path, np.stack([spectrogram(clip) for clip in clips()]))
    return np.load(path, mmap_mode="r+")


class CachedClips(Rows):
    def __init__(self, rows):
        super().__init__(rows)
        self.cache = {}

    def __getitem__(self, i):
        if i not in self.cache:
            self.cache[i] = torch.from_numpy(spectrogram(self.rows[i]))
        return self.cache[i], i


class StoredClips(Rows):
    def __getitem__(self, i):
        return torch.from_numpy(self.rows[i]), i


@functools.cache
def tracks(count: int = 1280) -> np.ndarray:
    return np.random.default_rng(3).standard_normal((count, 200, 3)).cumsum(1).astype(np.float32)


class Tracks(Rows):  # rows: an array, or what json.load gives: lists of [x, y, t]
    def __getitem__(self, i):
        return {"id": i, "points": self.rows[i]}


def track_lists() -> list:
    return json.loads(json.dumps(tracks().tolist()))


def as_lists(samples):
    return {key: [sample[key] for sample in samples] for key in samples[0]}


@functools.cache
def click_shards(count: int = 4) -> list[Path]:
    rng = np.random.default_rng(4)
    paths = [folder() / f"clicks{i}.jsonl.gz" for i in range(count)]
    for shard, path in enumerate(paths):
        with gzip.open(path, "wt", compresslevel=1) as file:
            for i in range(1536):
                values = rng.standard_normal(160).round(5).tolist()
                file.write(json.dumps({"id": shard * 1536 + i, "values": values}) + "\n")
    return paths


class Clicks(IterableDataset):
    def __init__(self, paths, shard=False):
        self.paths = paths
        self.shard = shard

    def __iter__(self):
        paths, worker = self.paths, get_worker_info()
        if self.shard and worker is not None:
            paths = paths[worker.id :: worker.num_workers]
        for path in paths:
            with gzip.open(path, "rt") as file:
                for line in file:
                    record = json.loads(line)
                    yield record["id"], torch.tensor(record["values"])


@functools.cache
def reviews(count: int = 3200) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    lengths = np.clip(rng.lognormal(4.1, 1.2, count), 5, 2500).astype(int)
    return [rng.integers(1, 20000, length) for length in lengths]


@functools.cache
def word_vectors() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    return rng.standard_normal((20000, 300), np.float32), rng.standard_normal(
        (2500, 300), np.float32
    )


class Reviews(Rows):
    def __getitem__(self, i):
        return self.rows[i], i


def pad_and_embed(samples):
    """Frozen vectors of the words and of their positions: batch x longest x 300; a mask; labels."""
    words, labels = zip(*samples, strict=True)
    ids = np.zeros((len(words), max(map(len, words))), int)
    for row, text in zip(ids, words, strict=True):
        row[: len(text)] = text
    vectors, positions = word_vectors()
    batch = vectors[ids] + positions[: ids.shape[1]]
    return torch.from_numpy(batch), torch.from_numpy(ids > 0), torch.tensor(labels)


def reviews_bucketed():
    order = np.argsort([len(text) for text in reviews()], kind="stable")
    batches = [order[span].tolist() for span in spans(len(order), 32)]
    np.random.default_rng(5).shuffle(batches)
    return DataLoader(Reviews(reviews()), batch_sampler=batches, collate_fn=pad_and_embed)


@functools.cache
def scan_archive(count: int = 256) -> Path:
    path = folder() / "scans.zip"
    rng = np.random.default_rng(6)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(count):
            archive.writestr(
                f"{i}.raw", np.repeat(rng.integers(0, 99, 1024, np.uint8), 4).tobytes()
            )
    return path


class SlowDisk(io.FileIO):
    """An archive on a network drive: a seek to another place costs 2 ms."""

    def seek(self, position, whence=0):
        if whence == 0 and position != self.tell():
            time.sleep(0.002)
        return super().seek(position, whence)


class ArchiveLocked:
    def __init__(self, path, size=16):
        self.archive = zipfile.ZipFile(SlowDisk(path))
        self.names, self.size = self.archive.namelist(), size
        np.random.default_rng(6).shuffle(self.names)
        self.lock = threading.Lock()

    def read(self, name):
        with self.lock:
            return np.frombuffer(self.archive.read(name), np.uint8).reshape(64, 64)

    def __iter__(self):
        with ThreadPoolExecutor(8) as pool:
            for span in spans(len(self.names), self.size):
                yield np.stack(list(pool.map(self.read, self.names[span])))


class ArchivePerThread(ArchiveLocked):
    def __init__(self, path, size=16):
        super().__init__(path, size)
        self.path, self.own = path, threading.local()

    def read(self, name):
        if not hasattr(self.own, "archive"):
            self.own.archive = zipfile.ZipFile(SlowDisk(self.path))
        return np.frombuffer(self.own.archive.read(name), np.uint8).reshape(64, 64)


class ObjectStore:
    """A bucket in the cloud; each request takes 5 ms."""

    def get(self, key):
        time.sleep(0.005)
        return np.random.default_rng(key).bytes(4096)


class Bucket(Rows):
    store = ObjectStore()

    def __getitem__(self, i):
        return torch.frombuffer(bytearray(self.store.get(self.rows[i])), dtype=torch.uint8), i


class BucketAtOnce(Bucket):
    def __getitems__(self, indices):
        with ThreadPoolExecutor(16) as pool:
            return list(pool.map(self.__getitem__, indices))


@functools.cache
def customers(rows: int = 3000) -> pd.DataFrame:
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.standard_normal((rows, 12)), columns=[f"f{i}" for i in range(12)])
    frame["age"] = rng.integers(18, 90, rows)
    frame["country"] = rng.choice(["DE", "FR", "PL"], rows)
    frame["churn"] = rng.integers(0, 2, rows)
    return frame


class RowByRow:
    features = [*(f"f{i}" for i in range(12)), "age"]  # noqa: RUF012 (pandas takes a tuple for one key)

    def __init__(self, frame, size=64):
        self.frame, self.size = frame, size

    def __iter__(self):
        order = np.random.default_rng(8).permutation(len(self.frame))
        for span in spans(len(order), self.size):
            rows = [self.frame.iloc[i] for i in order[span]]
            x = np.stack([row[self.features].to_numpy(np.float32) for row in rows])
            yield x, np.array([row["churn"] for row in rows])


class Columns(RowByRow):
    def __init__(self, frame, size=64):
        super().__init__(frame, size)
        self.x, self.y = frame[self.features].to_numpy(np.float32), frame["churn"].to_numpy()

    def __iter__(self):
        order = np.random.default_rng(8).permutation(len(self.frame))
        for span in spans(len(order), self.size):
            yield self.x[order[span]], self.y[order[span]]


GROUP = 100


@functools.cache
def sensor_file(rows: int = 500) -> Path:
    path = folder() / "sensors.parquet"
    values = np.random.default_rng(9).standard_normal((rows, 24)).astype(np.float32)
    table = pa.table({f"s{i}": values[:, i] for i in range(24)})
    pq.write_table(table, path, row_group_size=GROUP, compression="zstd")
    return path


@functools.cache
def sensor_reader(path: Path) -> pq.ParquetFile:
    return pq.ParquetFile(path)  # open once per process


class Sensors(Dataset):
    def __init__(self, path):
        self.path = path
        self.rows = pq.read_metadata(path).num_rows

    def group(self, number):
        table = sensor_reader(self.path).read_row_group(number, use_threads=False)
        return np.stack([column.to_numpy() for column in table.columns], axis=1)

    def __len__(self):
        return self.rows

    def __getitem__(self, i):
        return torch.from_numpy(self.group(i // GROUP)[i % GROUP])


class SensorsKept(Sensors):
    kept, values = -1, None

    def __getitem__(self, i):
        if i // GROUP != self.kept:
            self.kept, self.values = i // GROUP, self.group(i // GROUP)
        return torch.from_numpy(self.values[i % GROUP])


@functools.cache
def payments(index: bool, users: int = 400, each: int = 80) -> Path:
    path = folder() / f"payments{index}.sqlite"
    rng = np.random.default_rng(10)
    rows = zip(
        rng.permutation(users * each) % users, rng.random(users * each).round(4), strict=True
    )
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE payments (id INTEGER PRIMARY KEY, user INTEGER, amount REAL)")
        insert = "INSERT INTO payments (user, amount) VALUES (?, ?)"
        base.executemany(insert, ((int(user), float(amount)) for user, amount in rows))
        if index:
            base.execute("CREATE INDEX by_user ON payments (user, amount)")
    base.close()
    return path


class Payments:
    query = "SELECT amount FROM payments WHERE user = ? ORDER BY amount DESC LIMIT 32"

    def __init__(self, path, users=400, size=20):
        self.path, self.users, self.size = path, users, size

    def __iter__(self):
        base = sqlite3.connect(self.path)
        for span in spans(self.users, self.size):
            rows = [base.execute(self.query, (u,)).fetchall() for u in range(span.start, span.stop)]
            yield np.array(rows, np.float32)[..., 0]
        base.close()


@functools.cache
def title_tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {
        word: i for i, word in enumerate(dict.fromkeys(["[PAD]", "[UNK]", *words(3000, 11)]))
    }
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]")


@functools.cache
def titles(count: int = 4800) -> list[str]:
    rng, vocabulary = np.random.default_rng(11), np.array(words(3000, 11))
    return [" ".join(rng.choice(vocabulary, size)) for size in rng.integers(4, 12, count)]


FORM = {"padding": "max_length", "truncation": True, "max_length": 16, "return_tensors": "pt"}


class Titles(Rows):
    def __init__(self, rows, tokenizer):
        super().__init__(rows)
        self.tokenizer = tokenizer

    def __getitem__(self, i):
        tokens = self.tokenizer(self.rows[i], **FORM)
        return {key: value[0] for key, value in tokens.items()}


def tokenize_batch(texts):
    return dict(title_tokenizer()(texts, **FORM))


CASES = [
    # fix: shrink the photos to the size in use once, offline; time is in Image.convert (JPEG
    # decoding) in Photos.__getitem__
    Case(
        "pytorch: photos decoded at full size for thumbnails",
        ("computes", "few workers"),
        loader(lambda: Photos(photo_paths()[0]), 8),
        loader(lambda: Photos(photo_paths()[1]), 8),
    ),
    # extra: first epoch
    # fix: compute the features once and memory-map them from disk; time is in spectrogram, called
    # by CachedClips.__getitem__ when the cache misses
    Case(
        "pytorch: cache that the first epoch fills",
        ("first epoch", "computes"),
        loader(lambda: CachedClips(clips()), 16),
        loader(lambda: StoredClips(clip_features()), 16),
    ),
    # fix: hold the points in one array and give tensors; time is in pickling nested lists in the
    # workers and unpickling them in the main process
    Case(
        "pytorch: nested lists of points from workers",
        ("objects",),
        loader(lambda: Tracks(track_lists()), 32, workers=2, shuffle=False, collate=as_lists),
        loader(lambda: Tracks(tracks()), 32, workers=2, shuffle=False),
    ),
    # extra: duplicates
    # fix: split the shards by get_worker_info() in Clicks.__iter__; half of all json.loads calls
    # and batches are repeats (twice the batches)
    Case(
        "pytorch: IterableDataset not split among workers",
        ("repeated", "costly workers"),
        loader(lambda: Clicks(click_shards()), 64, workers=2, shuffle=False),
        loader(lambda: Clicks(click_shards(), shard=True), 64, workers=2, shuffle=False),
        step_seconds=0.0005,
    ),
    # extra: padding
    # fix: batch texts of like length (a bucketing batch_sampler); time is in pad_and_embed, on
    # padding (same samples, other batches)
    Case(
        "pytorch: unsorted texts padded to the longest",
        ("padding", "collate"),
        loader(lambda: Reviews(reviews()), 32, collate=pad_and_embed),
        reviews_bucketed,
    ),
    # fix: give each thread an open archive of its own, so that seeks overlap; time is in `with
    # self.lock` in ArchiveLocked.read
    Case(
        "plain: eight threads read one zip archive under a lock",
        ("contention", "waits"),
        lambda: ArchiveLocked(scan_archive()),
        lambda: ArchivePerThread(scan_archive()),
    ),
    # fix: fetch the samples of a batch at once, by threads in __getitems__ (or many workers);
    # time is in ObjectStore.get, which sleeps
    Case(
        "pytorch: object store asked for one sample at a time",
        ("waits", "few workers"),
        loader(lambda: Bucket(range(160)), 16),
        loader(lambda: BucketAtOnce(range(160)), 16),
    ),
    # fix: convert the columns to arrays once and index those with the whole batch; time is in
    # DataFrame.iloc and row[features] in RowByRow.__iter__
    Case(
        "plain: pandas iloc per row",
        ("many reads", "objects"),
        lambda: RowByRow(customers()),
        lambda: Columns(customers()),
    ),
    # extra: amplification
    # fix: keep the row group last read (the order is sequential), or read by group; time is in
    # ParquetFile.read_row_group in Sensors.group
    Case(
        "pytorch: parquet row group read per sample",
        ("computes", "many reads"),
        loader(lambda: Sensors(sensor_file()), 20, shuffle=False),
        loader(lambda: SensorsKept(sensor_file()), 20, shuffle=False),
    ),
    # extra: amplification
    # fix: CREATE INDEX on (user, amount); time is in execute and fetchall in Payments.__iter__,
    # each of which scans the table
    Case(
        "plain: sqlite query without an index",
        ("computes", "many reads"),
        lambda: Payments(payments(False)),
        lambda: Payments(payments(True)),
    ),
    # fix: give texts and tokenize the batch in collate_fn, in one call; time is in the
    # tokenizer's __call__ in Titles.__getitem__
    Case(
        "pytorch: tokenizer called per title",
        ("many reads", "transform"),
        loader(lambda: Titles(titles(), title_tokenizer()), 64),
        loader(titles, 64, collate=tokenize_batch),
    ),
]
