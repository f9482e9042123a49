"""The other loaders of the author of `unseen_1`."""

from __future__ import annotations

import copy
import functools
import gzip
import json
import logging
import wave
from pathlib import Path

import numpy as np
import torch
from case import Case
from torch.utils.data import TensorDataset
from unseen_1 import Rows, clips, folder, loader, spans, spectrogram


@functools.cache
def annotations(count: int = 1024) -> list[dict]:
    rng = np.random.default_rng(12)
    return [
        {
            "file_name": f"{i:012}.jpg",
            "annotations": [
                {"bbox": box, "category_id": i % 80, "segmentation": [outline]}
                for box, outline in zip(
                    rng.random((20, 4)).tolist(), rng.random((20, 60)).tolist(), strict=True
                )
            ],
        }
        for i in range(count)
    ]


class Boxes(Rows):
    def record(self, i):
        return copy.deepcopy(self.rows[i])  # "the code below modifies it"

    def __getitem__(self, i):
        record = self.record(i)
        boxes = torch.tensor([object["bbox"] for object in record["annotations"]])
        if i % 2:
            boxes[:, 0] = 1 - boxes[:, 0]  # flip
        return boxes, torch.tensor([object["category_id"] for object in record["annotations"]])


class BoxesDirect(Boxes):
    def record(self, i):
        return self.rows[i]


@functools.cache
def sample_log(path: Path) -> logging.Logger:
    log = logging.getLogger("zoo_a.samples")
    log.setLevel(logging.DEBUG)
    log.propagate = False
    log.addHandler(logging.FileHandler(path))
    return log


class Embeddings(Rows):
    def __init__(self, rows, log_path=None):
        super().__init__(rows)
        self.log_path = log_path

    def __getitem__(self, i):
        x = self.rows[i] / self.rows[i].norm()
        if self.log_path:
            sample_log(self.log_path).debug("sample %d of %d: %s", i, len(self), x)
        return x


def embeddings(count: int = 512) -> torch.Tensor:
    return torch.randn(count, 256, generator=torch.Generator().manual_seed(13))


@functools.cache
def recordings(count: int = 96) -> list[Path]:
    rng = np.random.default_rng(14)
    paths = [folder() / f"recording{i}.wav" for i in range(count)]
    for i, path in enumerate(paths):
        seconds = 75 if i % 16 == 5 else 1.5
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 2, 16000, 0, "NONE", ""))
            file.writeframes(rng.integers(-9999, 9999, int(16000 * seconds), np.int16).tobytes())
    return paths


class Recordings(Rows):
    def length(self, file):
        return file.getnframes()

    def __getitem__(self, i):
        with wave.open(str(self.rows[i])) as file:
            signal = np.frombuffer(file.readframes(self.length(file)), np.int16) / np.float32(32768)
        return torch.from_numpy(spectrogram(signal)[:196]), i  # the first second


class RecordingsCropped(Recordings):
    def length(self, file):
        return 16000


@functools.cache
def fastq(reads: int = 4800) -> Path:
    path, rng = folder() / "reads.fastq.gz", np.random.default_rng(15)
    with gzip.open(path, "wb", compresslevel=1) as file:
        for i in range(reads):
            bases = rng.choice(
                np.frombuffer(b"ACGTN", np.uint8), 150, p=[0.25, 0.25, 0.24, 0.24, 0.02]
            )
            quality = rng.integers(35, 74, 150).astype(np.uint8)
            file.write(b"@read%d\n%b\n+\n%b\n" % (i, bases.tobytes(), quality.tobytes()))
    return path


class Reads:
    def __init__(self, path, size=64):
        self.path, self.size = path, size

    def encode(self, bases, quality):
        hot = [[1.0 if base == letter else 0.0 for letter in "ACGT"] for base in bases.decode()]
        error = [10 ** (-(ord(letter) - 33) / 10) for letter in quality.decode()]
        return np.array([[*row, value] for row, value in zip(hot, error, strict=True)], np.float32)

    def __iter__(self):
        batch = []
        with gzip.open(self.path, "rb") as file:
            for _, bases, _, quality in zip(file, file, file, file, strict=True):
                batch.append(self.encode(bases.rstrip(), quality.rstrip()))
                if len(batch) == self.size:
                    yield np.stack(batch)
                    batch = []


class ReadsByTable(Reads):
    hot = (np.arange(256)[:, None] == np.frombuffer(b"ACGT", np.uint8)).astype(np.float32)
    error = (10 ** (-(np.arange(256) - 33) / 10)).astype(np.float32)

    def encode(self, bases, quality):
        hot, error = (np.frombuffer(letters, np.uint8) for letters in (bases, quality))
        return np.concatenate([self.hot[hot], self.error[error][:, None]], axis=1)


@functools.cache
def server_log(lines: int = 50000) -> Path:
    path, rng = folder() / "server.jsonl", np.random.default_rng(16)
    with open(path, "w") as file:
        for status in rng.choice([200, 500], lines, p=[0.9, 0.1]).tolist():
            record = {"status": status, "times": rng.random(40).round(4).tolist()}
            file.write(json.dumps(record) + "\n")
    return path


def line_index(path):
    """status -> the offsets of its lines"""
    index, offset = {}, 0
    with open(path, "rb") as file:
        for line in file:
            index.setdefault(json.loads(line)["status"], []).append(offset)
            offset += len(line)
    return {status: np.array(offsets) for status, offsets in sorted(index.items())}


class BalancedLog:
    def __init__(self, path, size=60, count=3000):
        self.path, self.size, self.count = path, size, count

    def index(self):
        return line_index(self.path)

    def __iter__(self):
        rng = np.random.default_rng(16)
        classes = [rng.choice(offsets, self.count // 2) for offsets in self.index().values()]
        order = rng.permutation(np.concatenate(classes))
        with open(self.path, "rb") as file:
            for span in spans(len(order), self.size):
                records = []
                for offset in order[span]:
                    file.seek(offset)
                    records.append(json.loads(file.readline()))
                yield (
                    np.array([r["times"] for r in records]),
                    np.array([r["status"] for r in records]),
                )


class BalancedLogIndexed(BalancedLog):
    def __init__(self, path):
        super().__init__(path)
        self.kept = line_index(path)

    def index(self):
        return self.kept


@functools.cache
def tile_file(count: int = 160) -> Path:
    path = folder() / "tiles.npy"
    np.save(path, np.random.default_rng(17).integers(0, 256, (count, 4, 224, 224), np.uint8))
    return path


class Tiles:
    """Tiles drawn with replacement."""

    mean = np.array([0.41, 0.43, 0.39, 0.5])[:, None, None]
    std = np.array([0.2, 0.19, 0.21, 0.25])[:, None, None]

    def __init__(self, path, size=16):
        self.tiles, self.size = np.load(path, mmap_mode="r"), size

    def draws(self, count=800):
        order = np.random.default_rng(17).integers(0, len(self.tiles), count)
        return [order[span] for span in spans(count, self.size)]

    def __iter__(self):
        for batch in self.draws():
            yield np.stack([(tile / 255.0 - self.mean) / self.std for tile in self.tiles[batch]])


class TilesNarrow(Tiles):
    scale = (1 / (255 * Tiles.std)).astype(np.float32)
    shift = (Tiles.mean / Tiles.std).astype(np.float32)

    def __iter__(self):
        for batch in self.draws():
            tiles = self.tiles[batch] * self.scale
            tiles -= self.shift
            yield tiles


def digits() -> TensorDataset:
    images = torch.rand(2560, 1, 28, 28, generator=torch.Generator().manual_seed(18))
    return TensorDataset(images, torch.arange(2560) % 10)


class Clips(Rows):
    def __getitem__(self, i):
        return torch.from_numpy(spectrogram(self.rows[i])), i


@functools.cache
def genome() -> Path:
    path = folder() / "genome.npy"
    np.save(path, np.random.default_rng(19).integers(0, 4, 4_000_000, np.uint8))
    return path


class Windows:
    def __init__(self, path, size=64, length=1024, batches=80):
        self.genome = np.load(path, mmap_mode="r")
        self.size, self.length, self.batches = size, length, batches

    def __iter__(self):
        rng = np.random.default_rng(19)
        windows = np.lib.stride_tricks.sliding_window_view(self.genome, self.length)
        for _ in range(self.batches):
            yield windows[rng.integers(0, len(windows), self.size)]


CASES = [
    # fix: do not copy the record, only the tensor made from it is changed; time is in
    # copy.deepcopy in Boxes.record
    Case(
        "pytorch: annotations deep-copied per sample",
        ("copies", "transform"),
        loader(lambda: Boxes(annotations()), 32),
        loader(lambda: BoxesDirect(annotations()), 32),
    ),
    # extra: logging
    # fix: log per epoch, or turn DEBUG off; time is in Logger.debug (formatting a tensor) in
    # Embeddings.__getitem__
    Case(
        "pytorch: debug message with the tensor per sample",
        ("computes",),
        loader(lambda: Embeddings(embeddings(), folder() / "samples.log"), 32),
        loader(lambda: Embeddings(embeddings()), 32),
    ),
    # fix: read and transform only the second in use; time is in spectrogram in
    # Recordings.__getitem__, for the six long recordings
    Case(
        "pytorch: few long recordings among short ones",
        ("stragglers", "computes"),
        loader(lambda: Recordings(recordings()), 8, shuffle=False),
        loader(lambda: RecordingsCropped(recordings()), 8, shuffle=False),
    ),
    # fix: look letters up in a table by numpy (frombuffer); time is in the list comprehensions in
    # Reads.encode
    Case(
        "plain: DNA reads one-hot encoded letter by letter",
        ("transform", "objects"),
        lambda: Reads(fastq()),
        lambda: ReadsByTable(fastq()),
    ),
    # fix: build the index once, in __init__ or in a file beside the log; time is in line_index,
    # called by BalancedLog.__iter__ before the first batch
    Case(
        "plain: index of the log built at each epoch's start",
        ("start",),
        lambda: BalancedLog(server_log()),
        lambda: BalancedLogIndexed(server_log()),
    ),
    # fix: keep uint8 to the batch, then scale it in float32, in place; time is in the float64
    # arithmetic and np.stack in Tiles.__iter__
    Case(
        "plain: satellite tiles scaled in float64",
        ("wide", "copies"),
        lambda: Tiles(tile_file()),
        lambda: TilesNarrow(tile_file()),
    ),
    # fix: none; the step takes nearly all of the time
    Case(
        "pytorch: small images beside a long step", ("step",), loader(digits, 64), step_seconds=0.02
    ),
    # fix: none; two workers compute spectrograms faster than the step needs them
    Case(
        "pytorch: spectrograms that two workers prepare in time",
        ("step",),
        loader(lambda: Clips(clips()[:, :16000]), 8, workers=2, shuffle=False),
        step_seconds=0.03,
    ),
    # fix: none; the windows of a batch are gathered from a memory map by one call
    Case(
        "plain: windows of a memory-mapped genome",
        ("step",),
        lambda: Windows(genome()),
        step_seconds=0.008,
    ),
]
