"""The other loaders of the author of `unseen_3`."""

from __future__ import annotations

import functools
import gzip
import queue
import re
import threading
import time
import zlib

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from case import Case
from torch.utils.data import DataLoader, Dataset
from unseen_3 import FOLDER, texts, words

END = object()


def chunks(sequence, size):
    """Slices of that size, one after the other."""
    for start in range(0, len(sequence), size):
        yield sequence[start : start + size]


def background(source, size):
    """Gives what `source` gives, which a thread reads into a queue of that size."""
    ready, stop = queue.Queue(size), threading.Event()

    def fill():
        for item in source:
            if stop.is_set():
                return
            ready.put(item)
        ready.put(END)

    threading.Thread(target=fill, daemon=True).start()
    try:
        while (item := ready.get()) is not END:
            yield item
    finally:  # also where the loop over this was left early: frees a thread that waits in put
        stop.set()
        while not ready.empty():
            ready.get()


class Replay(Dataset):
    def __init__(self):
        rng = np.random.default_rng(12)
        sizes = {"observation": 17, "action": 6, "reward": 1, "next": 17}
        self.fields = {
            name: torch.from_numpy(rng.standard_normal((1600, size), dtype=np.float32))
            for name, size in sizes.items()
        }

    def __len__(self):
        return 1600

    def __getitem__(self, index):
        return {name: values[index] for name, values in self.fields.items()}


def replay(batch_size=2, num_workers=2):
    return DataLoader(Replay(), batch_size, num_workers=num_workers)


@functools.cache
def shard_files():
    paths = [FOLDER / f"shard{number}.z" for number in range(120)]
    for number, path in enumerate(paths):
        tokens = np.random.default_rng(number).integers(0, 300, 16 * 256, dtype=np.uint16)
        path.write_bytes(zlib.compress(tokens.tobytes(), 1))
    return paths


def fetch(path):
    time.sleep(0.005)  # the object store
    tokens = np.frombuffer(zlib.decompress(path.read_bytes()), dtype=np.uint16)
    return tokens.reshape(16, 256).astype(np.int64)


class LockedGenerator:
    """Four threads take samples from one generator; a lock, as a generator bears one at a time."""

    def __init__(self, paths):
        self.paths = paths
        self.lock = threading.Lock()

    def source(self):
        for number, path in enumerate(self.paths):
            yield number, fetch(path)

    def work(self, source, ready, stop):
        while not stop.is_set():
            with self.lock:
                item = next(source, END)
            if item is END:
                return
            ready.put(item)

    def __iter__(self):
        source, ready, stop, early = self.source(), queue.Queue(), threading.Event(), {}
        for _ in range(4):
            threading.Thread(target=self.work, args=(source, ready, stop), daemon=True).start()
        try:
            for number in range(len(self.paths)):  # in the order of the shards
                while number not in early:
                    key, batch = ready.get()
                    early[key] = batch
                yield early.pop(number)
        finally:
            stop.set()


class LockedNames(LockedGenerator):
    """The lock guards only which shard is next."""

    def work(self, source, ready, stop):
        while not stop.is_set():
            with self.lock:
                number, path = next(source, (None, None))
            if path is None:
                return
            ready.put((number, fetch(path)))

    def source(self):
        return iter(enumerate(self.paths))


class ClickShards:
    """A thread reads shards of 12 batches each; a shard takes 50 ms (stands for a network disk)."""

    def __init__(self, size):
        self.size = size
        self.clicks = np.random.default_rng(13).integers(0, 9999, (8, 12, 512, 8))

    def read(self):
        for shard in self.clicks:
            time.sleep(0.05)
            yield from shard

    def __iter__(self):
        return background(self.read(), self.size)


@functools.cache
def recording_files():
    """One long recording, as gzip and as plain samples."""
    sound = np.random.default_rng(14).normal(0, 300, 1_500_000).astype(np.int16)
    with gzip.open(FOLDER / "recording.gz", "wb", compresslevel=1) as file:
        file.write(sound.tobytes())
    sound.tofile(FOLDER / "recording.raw")
    return FOLDER / "recording.gz", FOLDER / "recording.raw"


class Utterances:
    """Utterances of one second in random order, four in a batch."""

    def __init__(self, packed):
        self.packed, (self.zipped, self.raw) = packed, recording_files()
        self.starts = np.random.default_rng(15).integers(0, 1_480_000, 96).tolist()

    def __iter__(self):
        with gzip.open(self.zipped) if self.packed else open(self.raw, "rb") as file:
            for starts in chunks(self.starts, 4):
                yield np.stack([self.utterance(file, start) for start in starts])

    def utterance(self, file, start):
        file.seek(start * 2)
        return np.frombuffer(file.read(32_000), dtype=np.int16) / np.float32(32768)


class Reports:
    """Doctors' reports in which the names of a list are blacked out."""

    def __init__(self):
        self.reports = texts(80, 60, seed=16)
        self.names = words(3000)[:540]

    def clean(self, text):
        for name in self.names:
            text = re.sub(rf"\b{name}\b", "[NAME]", text)
        return text

    def __iter__(self):
        for reports in chunks(self.reports, 4):
            cleaned = [self.clean(report).encode()[:400].ljust(400) for report in reports]
            yield np.frombuffer(b"".join(cleaned), dtype=np.uint8).reshape(len(cleaned), 400)


class ReportsOnePattern(Reports):
    def __init__(self):
        super().__init__()
        self.pattern = re.compile(rf"\b(?:{'|'.join(self.names)})\b")

    def clean(self, text):
        return self.pattern.sub("[NAME]", text)


@functools.cache
def readings():
    """Rows of sensors in three cities: local time as text, zone, value."""
    rng = np.random.default_rng(17)
    times = pd.Timestamp("2024-07-01") + pd.to_timedelta(rng.integers(0, 10**6, 40_000), unit="s")
    zones = rng.choice(["Europe/Berlin", "America/New_York", "Asia/Tokyo"], 40_000)
    return times.strftime("%Y-%m-%d %H:%M:%S").tolist(), zones.tolist(), rng.random(40_000)


class Sensors:
    def __init__(self):
        self.times, self.zones, self.values = readings()

    def seconds(self, times, zones):
        return np.array(
            [
                pd.Timestamp(text, tz=zone).tz_convert("UTC").timestamp()
                for text, zone in zip(times, zones, strict=False)
            ]
        )

    def __iter__(self):
        for rows in chunks(range(len(self.times)), 2000):
            part = slice(rows.start, rows.stop)
            yield self.seconds(self.times[part], self.zones[part]), self.values[part]


class SensorsByZone(Sensors):
    def seconds(self, times, zones):
        local, zones = pd.to_datetime(times, format="%Y-%m-%d %H:%M:%S"), np.array(zones)
        result = np.empty(len(zones))
        for zone in np.unique(zones):
            utc = local[zones == zone].tz_localize(zone).tz_convert("UTC")
            result[zones == zone] = utc.as_unit("s").asi8
        return result


class Rollouts:
    """Observations, normalized by the mean and deviation of all that were seen in the epoch."""

    def __init__(self):
        rng = np.random.default_rng(18)
        self.steps = rng.standard_normal((150, 512, 64), dtype=np.float32)

    def __iter__(self):
        self.seen = []
        for batch in self.steps:
            self.seen.append(batch)
            seen = np.concatenate(self.seen)
            yield (batch - seen.mean(axis=0)) / (seen.std(axis=0) + np.float32(1e-6))


class RolloutsBySums(Rollouts):
    def __iter__(self):
        count, total, squares = 0, np.zeros(64), np.zeros(64)
        for batch in self.steps:
            count += len(batch)
            total += batch.sum(axis=0)
            squares += (batch * batch).sum(axis=0)
            mean = total / count
            deviation = np.sqrt(squares / count - mean**2)
            yield (batch - mean.astype(np.float32)) / (deviation + 1e-6).astype(np.float32)


class Windows:
    """Windows of 256 steps of 64 channels, each a step after the one before."""

    def __init__(self, dtype):
        series = np.random.default_rng(19).standard_normal((64_000, 64)).astype(dtype)
        self.series, self.starts = series, np.arange(64_000 - 256)

    def __iter__(self):
        for starts in chunks(self.starts, 32):
            windows = self.series[starts[:, None] + np.arange(256)]
            yield torch.from_numpy(windows.astype(np.float32, copy=False))


class Rows:
    """A shuffled Arrow table, read a row at a time, as examples for data sets show it."""

    def __init__(self):
        rng = np.random.default_rng(20)
        columns = rng.random((12, 16_384), dtype=np.float32)
        self.table = pa.table({f"column{i}": column for i, column in enumerate(columns)})
        self.order = rng.permutation(16_384)

    def read(self, rows):
        read = [self.table.slice(row, 1).to_pydict() for row in rows.tolist()]
        return np.array([[row[name][0] for name in row] for row in read], dtype=np.float32)

    def __iter__(self):
        return map(self.read, chunks(self.order, 512))


class RowsByBatch(Rows):
    def read(self, rows):
        return np.stack([column.to_numpy() for column in self.table.take(rows).columns], axis=1)


class HiddenTiles:
    """Tiles from a slow store, 6 ms each, behind a step of 18 ms; a thread reads them ahead."""

    def __init__(self):
        self.tiles = np.random.default_rng(21).integers(0, 255, (36, 96, 96, 4), dtype=np.uint8)

    def read(self):
        for tile in self.tiles:
            time.sleep(0.006)
            yield tile.astype(np.float32).transpose(2, 0, 1) / 255

    def __iter__(self):
        return background(self.read(), 4)


CASES = [
    # fix: larger batches (here 128 times), no workers; the time goes into what a batch costs
    # between processes (queue, shared memory), for two transitions each. `without` gives the same
    # rows in the same order, but in larger batches
    Case(
        "pytorch: replay buffer, two transitions per batch",
        ("small batches", "costly workers"),
        replay,
        lambda: replay(256, 0),
        step_seconds=0.0002,
    ),
    # fix: take only the name of the next shard under the lock, and fetch outside; the time goes
    # in next(source) in LockedGenerator.work, which waits for the store while it holds the lock
    Case(
        "plain: language model, a generator behind a lock",
        ("contention", "waits"),
        lambda: LockedGenerator(shard_files()),
        lambda: LockedNames(shard_files()),
    ),
    # fix: a queue for at least a shard's 12 batches, so that the next shard is read meanwhile; the
    # time goes in ready.get(), while the thread reads a shard, having waited in ready.put before.
    # Shows only beside the step. (No cause says "too short a queue": waits is the nearest)
    Case(
        "plain: click log, shards through a queue of size 1",
        ("waits", "stragglers"),
        lambda: ClickShards(1),
        lambda: ClickShards(24),
        step_seconds=0.005,
    ),
    # fix: unpack the recording once, offline (or a format with an index); the time goes in
    # file.seek in Utterances.utterance: a seek back decompresses from the start
    Case(
        "plain: speech, seeks in a gzip file",
        ("computes",),
        lambda: Utterances(True),
        lambda: Utterances(False),
    ),
    # fix: one pattern with all names, compiled once; the time goes in re.sub in Reports.clean:
    # 540 patterns in turn are more than re's cache of 512 holds, so that each call compiles
    Case(
        "plain: reports, more regular expressions than re's cache",
        ("transform",),
        Reports,
        ReportsOnePattern,
    ),
    # fix: parse a batch's times at once, per zone, with pd.to_datetime; the time goes in
    # pd.Timestamp(text, tz=zone) in Sensors.seconds
    Case(
        "plain: sensors, time zones parsed per row", ("computes", "objects"), Sensors, SensorsByZone
    ),
    # fix: running sums rather than all observations; the time goes in np.concatenate, mean and std
    # over a list that grows, in Rollouts.__iter__. Equal but for rounding
    Case(
        "plain: rollouts, a normalizer that keeps all it saw",
        ("leak", "transform"),
        Rollouts,
        RolloutsBySums,
        step_seconds=0.0005,
    ),
    # fix: hold the series as float32; the time goes in the gather of float64 and in astype in
    # Windows.__iter__, where each value is read and written twice, at double width
    Case(
        "plain: time series windows out of a float64 table",
        ("wide", "copies"),
        lambda: Windows(np.float64),
        lambda: Windows(np.float32),
        step_seconds=0.00005,
    ),
    # fix: take a batch's rows in one call; the time goes in table.slice(row, 1).to_pydict() in
    # Rows.read
    Case("plain: tabular, an Arrow table row by row", ("many reads", "objects"), Rows, RowsByBatch),
    # fix: none: the thread reads ahead, and the store's 6 ms hide behind the step's 18
    Case(
        "plain: satellite tiles, a slow store behind a step",
        ("step",),
        HiddenTiles,
        step_seconds=0.018,
    ),
]
