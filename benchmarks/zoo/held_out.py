"""24 loaders as people write them, each with one known fault, or with none. Their author had not
read the rules of the verdict.

Data is generated with fixed seeds into a temporary folder on first use, and removed at exit.
"""

from __future__ import annotations

import atexit
import collections
import csv
import gzip
import io
import itertools
import json
import pickle
import queue
import random
import shutil
import tempfile
import threading
import time
import zlib
from functools import cache, partial
from pathlib import Path

import numpy as np
from case import Case, spin  # noqa: F401


@cache
def root() -> Path:
    path = Path(tempfile.mkdtemp(prefix="loaders_"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


@cache
def uniform(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).random(shape, dtype=np.float32)


@cache
def integers(high: int, dtype: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, high, shape, dtype=dtype)


@cache
def jpeg_files(count: int, size: int) -> list[Path]:
    from PIL import Image

    files = [root() / f"{size}_{index:05d}_{index % 10}.jpg" for index in range(count)]
    for file, coarse in zip(
        files, integers(256, "uint8", count, size // 8, size // 8, 3), strict=True
    ):
        image = Image.fromarray(coarse).resize((size, size), Image.Resampling.BICUBIC)
        image.save(file, quality=90)
    return files


@cache
def pickle_files(count: int) -> list[Path]:
    files = [root() / f"{index:05d}.pkl" for index in range(count)]
    for file, image in zip(files, uniform(count, 3, 48, 48), strict=True):
        file.write_bytes(pickle.dumps({"x": image, "y": 1}))
    return files


@cache
def chunk_store(count: int, chunk: int) -> tuple[Path, list[tuple[int, int]]]:
    rows, places, packed = integers(12, "uint8", count, 96, 96), [], io.BytesIO()
    for begin in range(0, count, chunk):
        data = zlib.compress(rows[begin : begin + chunk].tobytes(), 4)
        places.append((packed.tell(), len(data)))
        packed.write(data)
    (root() / "chunks.bin").write_bytes(packed.getvalue())
    return root() / "chunks.bin", places


@cache
def json_lines(rows: int, width: int) -> Path:
    with gzip.open(root() / "rows.jsonl.gz", "wt", compresslevel=1) as file:
        for index, row in enumerate(uniform(rows, width)):
            file.write(json.dumps({"id": index, "signal": row.tolist()}) + "\n")
    return root() / "rows.jsonl.gz"


@cache
def annotation_file(rows: int) -> Path:
    labels = np.random.default_rng(7).zipf(1.6, rows) % 20
    lines = [f"{index},{label},{index % 640},17,200,321" for index, label in enumerate(labels)]
    (root() / "train.csv").write_text("id,label,x0,y0,x1,y1\n" + "\n".join(lines))
    return root() / "train.csv"


@cache
def shard_files(count: int) -> list[Path]:
    files = [root() / f"shard_{index:03d}.npy" for index in range(count)]
    for file in files:
        np.save(file, uniform(64, 1536))
    return files


class Indexed:
    def __init__(self, source, length=None, latency=0):
        self.source, self.length, self.latency = source, length or len(source), latency

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return self.source[index % len(self.source)]


def torch_loader(dataset, batch_size, **options):
    import torch

    order = torch.utils.data.RandomSampler(dataset, generator=torch.Generator().manual_seed(0))
    return torch.utils.data.DataLoader(dataset, batch_size, sampler=order, **options)


class AugmentedImages(Indexed):
    def __getitem__(self, index):
        from PIL import Image, ImageEnhance

        image = Image.open(self.source[index]).convert("RGB")
        side = random.randint(image.width // 2, image.width)
        left, top = (random.randint(0, image.width - side) for _ in range(2))
        image = image.crop((left, top, left + side, top + side)).resize((160, 160), 3)
        image = image.rotate(random.uniform(-15, 15), Image.Resampling.BICUBIC)
        image = ImageEnhance.Brightness(image).enhance(random.uniform(0.7, 1.3))
        pixels = np.asarray(image, dtype=np.float32).transpose(2, 0, 1) / 255
        return pixels, int(self.source[index].stem[-1])


def augmented(num_workers=0):
    """JPEG images are decoded and randomly augmented in the training process: no workers."""
    return torch_loader(AugmentedImages(jpeg_files(180, 256)), 6, num_workers=num_workers)


class Pickles(Indexed):
    def __getitem__(self, index):
        time.sleep(self.latency * (0.8 + index % 5 / 10))
        sample = pickle.loads(self.source[index].read_bytes())
        return sample["x"], sample["y"]


def remote_pickles(num_workers=0, latency=0.003):
    """Each sample is a pickle in a remote bucket, which is fetched when it is asked for."""
    return torch_loader(Pickles(pickle_files(320), latency=latency), 8, num_workers=num_workers)


class ChunkedRows(Indexed):
    def __getitem__(self, index):
        name, places = self.source
        with open(name, "rb") as file:
            file.seek(places[index // 24][0])
            raw = zlib.decompress(file.read(places[index // 24][1]))
        return np.frombuffer(raw, np.uint8).reshape(-1, 96, 96)[index % 24].copy()


def chunked_rows(num_workers=0):
    """Shuffled reading from a compressed file unpacks a chunk of 24 rows for each row."""
    return torch_loader(ChunkedRows(chunk_store(768, 24), 768), 16, num_workers=num_workers)


def pad_by_element(samples):
    import torch

    longest = max(len(tokens) for tokens in samples)
    batch = torch.zeros(len(samples), longest, dtype=torch.long)
    for row, tokens in enumerate(samples):
        for column in range(len(tokens)):
            batch[row, column] = tokens[column]
    return batch


def pad_by_row(samples):
    import torch

    return torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)


def padded(collate=pad_by_element):
    """The collate function pads the sentences of a batch number by number."""
    import torch

    tokens = torch.from_numpy(integers(30000, "int64", 1024, 300))
    rows = [row[: 60 + int(row[0]) % 240] for row in tokens]
    return torch_loader(rows, 16, collate_fn=collate)


def large_scans(workers=2):
    """Two workers hand over NumPy arrays of 3 MB each, which are pickled through a pipe."""
    scans = Indexed(uniform(24, 200_000, 4), 112)
    return torch_loader(scans, 4, num_workers=workers, collate_fn=list)


def spawned(context="spawn"):
    """The worker is spawned anew in each epoch, and imports the libraries before it reads."""
    dataset = Pickles(pickle_files(320))
    return torch_loader(dataset, 8, num_workers=1, multiprocessing_context=context)


class RowFile(Indexed):
    def __getitem__(self, index):
        with open(self.source, "rb") as file:
            file.seek(index * 192)
            return np.frombuffer(file.read(192), np.float32).copy()


def row_reads():
    """Each row of 48 numbers is read from a large file, which is opened for that row alone."""
    uniform(57600, 48).tofile(root() / "rows.bin")
    return torch_loader(RowFile(root() / "rows.bin", 57600), 768)


def block_reads():
    import torch

    order = torch.utils.data.RandomSampler(range(57600))
    order = torch.utils.data.BatchSampler(order, 768, False)
    return torch.utils.data.DataLoader(uniform(57600, 48), sampler=order, batch_size=None)


class Spectrograms(Indexed):
    def __getitem__(self, index):
        time.sleep(self.latency)
        sound = self.source[index] / 32768
        frames = np.lib.stride_tricks.sliding_window_view(sound, 400)[::160] * np.hanning(400)
        return np.log1p(np.abs(np.fft.rfft(frames))).astype(np.float32)


def hidden_spectrograms():
    """Two workers fetch sounds and give spectrograms in time for a long step: nothing is wrong."""
    sounds = integers(3000, "int16", 256, 16000)
    return torch_loader(Spectrograms(sounds, latency=0.004), 8, num_workers=2)


def fastai_loader(dataset, bs, **options):
    from fastai.data.core import TfmdDL

    return TfmdDL(dataset, bs=bs, num_workers=0, do_setup=False, **options)


def contrast_by_pixel(image):
    low, high = int(image.min()), int(image.max())
    out = np.empty(image.shape, np.float32)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            out[y, x] = (int(image[y, x]) - low) / (high - low)
    return out


def contrast_by_image(image):
    return (image.astype(np.float32) - image.min()) / float(image.max() - image.min())


def contrast(transform=contrast_by_pixel):
    """The contrast of each image is stretched in after_item, pixel by pixel in Python."""
    images = Indexed(integers(256, "uint8", 512, 64, 64))
    return fastai_loader(images, 8, shuffle=True, after_item=transform)


def table(lists=True):
    """Rows of a table are Python lists of floats, and each batch makes a tensor of them."""
    import torch

    rows = uniform(1024, 1024).tolist() if lists else torch.from_numpy(uniform(1024, 1024))
    make = torch.tensor if lists else torch.stack
    return fastai_loader(Indexed(rows, 4096), 64, create_batch=make)


def warp(batch):
    import torch

    noise, width = np.random.uniform(-1, 1, (2, 128, 128)), np.fft.fftfreq(128)
    smooth = np.exp(-200 * (width[:, None] ** 2 + width**2))
    field = np.fft.ifft2(np.fft.fft2(noise) * smooth).real[:, ::8, ::8].transpose(1, 2, 0)
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 16), np.linspace(-1, 1, 16)), -1) + field
    grid = torch.from_numpy(grid).float().expand(len(batch), -1, -1, -1)
    return torch.nn.functional.grid_sample(batch, grid, align_corners=True)


def tiny_batches(batch_size=2):
    """Batches of two: the field of the warp is computed 450 times for 900 tiny images."""
    import torch

    images = torch.from_numpy(uniform(900, 1, 16, 16))
    return fastai_loader(Indexed(images), batch_size, shuffle=True, after_batch=warp)


class Monitor:
    def __init__(self, keep):
        self.history = collections.deque(maxlen=None if keep else 4)

    def __call__(self, batch):
        pixels = batch.numpy() * 2 - 1
        self.history.append((pixels, pixels.mean(), pixels.std()))
        return batch


def monitored(keep=True):
    """A monitor in after_batch puts every batch into a history, which is never emptied."""
    images = Indexed(uniform(256, 3, 96, 96), 3840)
    return fastai_loader(images, 16, shuffle=True, after_batch=Monitor(keep))


class RetriedRecords(Indexed):
    def __getitem__(self, index):
        if index % 200 == 137:
            time.sleep(self.latency)
        return self.source[index]


def retries(pause=0.12):
    """One record in 200 fails at first, and is read again after a long pause."""
    import grain

    records = RetriedRecords(uniform(1600, 64), latency=pause)
    batches = grain.MapDataset.source(records).shuffle(seed=3).batch(16)
    return batches.to_iter_dataset(grain.ReadOptions(num_threads=0, prefetch_buffer_size=0))


class Catalog(Indexed):
    def __getitem__(self, index):
        for _ in ("where the object is", "its bytes"):
            time.sleep(self.latency)
        return {"tokens": self.source[index], "id": np.int32(index)}


def round_trips(latency=0.001):
    """Each sample takes two round trips to a remote service, one after the other."""
    import grain

    return grain.DataLoader(
        data_source=Catalog(integers(9999, "int32", 384, 256), latency=latency),
        sampler=grain.samplers.IndexSampler(384, shuffle=True, num_epochs=1, seed=1),
        operations=[grain.transforms.Batch(8)],
        read_options=grain.ReadOptions(num_threads=1, prefetch_buffer_size=1),
    )


def fetched_ahead():
    """Eight threads of Grain fetch batches from the service ahead of a long step: no fault."""
    import grain

    catalog = Catalog(integers(9999, "int32", 384, 256), latency=0.004)
    batches = grain.MapDataset.source(catalog).shuffle(seed=0).batch(4)
    return batches.to_iter_dataset(grain.ReadOptions(num_threads=8, prefetch_buffer_size=8))


def untuned(dataset):
    import tensorflow as tf

    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.with_options(options)


def image_arrays(scale=255.0):
    """Images were divided by 255.0 in NumPy, and have been float64 ever since."""
    import tensorflow as tf

    images = integers(256, "uint8", 96, 192, 192, 3)
    images = images / scale if scale else images
    return untuned(tf.data.Dataset.from_tensor_slices(images).repeat(72).batch(64))


def decode_file(name):
    import tensorflow as tf

    image = tf.ensure_shape(tf.io.decode_jpeg(tf.io.read_file(name), channels=3), (384, 384, 3))
    return tf.image.resize(image, (128, 128))


def shuffled(images_first=True):
    """The shuffle buffer holds all decoded images: it fills before the first batch comes."""
    import tensorflow as tf

    names = [str(file) for file in jpeg_files(160, 384)]
    files = untuned(tf.data.Dataset.from_tensor_slices(names).repeat(8))
    if images_first:
        return files.map(decode_file).shuffle(1280, seed=1).batch(16).prefetch(8)
    return files.shuffle(1280, seed=1).map(decode_file).batch(16).prefetch(8)


def parsed_lines():
    with gzip.open(json_lines(800, 3000), "rt") as lines:
        for line in lines:
            yield np.array(json.loads(line)["signal"], dtype=np.float32)


def signals(rows=parsed_lines):
    """A generator unpacks and parses lines of JSON, each with 3000 numbers, in every epoch."""
    import tensorflow as tf

    spec = tf.TensorSpec((3000,), tf.float32)
    rows = tf.data.Dataset.from_generator(rows, output_signature=spec)
    return untuned(rows.batch(16))


def number_of(part: str) -> int:
    return zlib.crc32(part.encode()) % 30000


def merge_pairs(word: str) -> list[int]:
    """Byte-pair merging: join the best pair of neighbors until no pair is good enough."""
    parts = list(word)
    while len(parts) > 2:
        ranks = [number_of(left + right) for left, right in itertools.pairwise(parts)]
        if min(ranks) > 20000:
            break
        place = ranks.index(min(ranks))
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return [number_of(part) for part in parts]


def tokenized(merge=merge_pairs):
    """A tokenizer in pure Python merges the letters of each word anew, however common it is."""
    from torchdata import nodes

    rng = random.Random(9)
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randrange(4, 11))) for _ in range(300)]

    def tokens_of(text):
        tokens = [token for word in text.split() for token in merge(word)][:160]
        return np.array(tokens + [0] * (160 - len(tokens)))

    texts = [" ".join(rng.choices(words, k=rng.randrange(20, 60))) for _ in range(1280)]
    samples = nodes.Mapper(nodes.IterableWrapper(texts), tokens_of)
    return nodes.Loader(nodes.Mapper(nodes.Batcher(samples, 16, drop_last=False), np.stack))


class BalancedSampler(Indexed):
    def read_weights(self):
        with open(self.source, newline="") as file:
            labels = [int(row["label"]) for row in csv.DictReader(file)]
        counts = collections.Counter(labels)
        weights = np.array([1 / counts[label] for label in labels])
        return weights / weights.sum()

    def __iter__(self):
        weights = self.read_weights()
        yield from np.random.choice(len(weights), len(self), p=weights).tolist()


class StoredSampler(BalancedSampler):
    read_weights = cache(BalancedSampler.read_weights)


def balanced(sampler=BalancedSampler):
    """The sampler reads all annotations to compute the weights of classes in each epoch."""
    from torchdata.stateful_dataloader import StatefulDataLoader

    order = sampler(annotation_file(300_000), 2048)
    return StatefulDataLoader(Indexed(uniform(300_000, 32)), batch_size=32, sampler=order)


class WholeEpoch:
    """An epoch is put together from its shards, in an array that grows, before it starts."""

    def __iter__(self):
        data = np.empty((0, 1536), np.float32)
        for file in shard_files(120):
            data = np.concatenate([data, np.load(file)])
        for begin in range(0, len(data), 64):
            yield data[begin : begin + 64]


class ShardByShard(WholeEpoch):
    def __iter__(self):
        yield from map(np.load, shard_files(120))


class PollingReaders:
    """Three reader threads look in a loop for room in a full list, beside the step."""

    def read(self, todo, done):
        for index in todo:
            batch = np.random.default_rng(index).integers(0, 30000, (16, 256))
            while len(done) >= 4:
                pass
            done.append(batch)

    def start(self, done):
        todo = iter(range(120))
        for _ in range(3):
            threading.Thread(target=self.read, args=(todo, done), daemon=True).start()
        return done

    def __iter__(self):
        done = self.start(collections.deque())
        for _ in range(120):
            while not done:
                time.sleep(0)
            yield done.popleft()


class WaitingReaders(PollingReaders):
    def read(self, todo, done):
        for index in todo:
            done.put(np.random.default_rng(index).integers(0, 30000, (16, 256)))

    def __iter__(self):
        done = self.start(queue.Queue(4))
        for _ in range(120):
            yield done.get()


class Stages:
    """Each stage of a pipeline copies the whole batch, to be safe from the others."""

    def __init__(self, careful=True):
        self.table, self.careful = uniform(256, 3, 128, 128), careful

    def __iter__(self):
        for index in range(48):
            batch = np.array(self.table[index % 4 * 64 : index % 4 * 64 + 64])
            yield self.hand_over(self.check(batch.copy())) if self.careful else batch

    def check(self, batch):
        assert np.isfinite(batch[0, 0, 0]).all()
        return batch.copy().copy()

    def hand_over(self, batch):
        return np.stack([image.copy() for image in batch]).copy()


class ReadAhead:
    """A thread fetches batches from a slow store during the longer step: nothing is wrong."""

    def read(self, done):
        for index in range(60):
            time.sleep(0.008)
            done.put(uniform(64, 16, 512)[index % 64].copy())

    def __iter__(self):
        done = queue.Queue(4)
        threading.Thread(target=self.read, args=(done,), daemon=True).start()
        for _ in range(60):
            yield done.get()


def unpacked_rows():
    return torch_loader(Indexed(integers(12, "uint8", 768, 96, 96)), 16)


stored = partial(uniform, 800, 3000)
mirrored = partial(remote_pickles, latency=0)
caching = cache(merge_pairs)
CASES: tuple[Case, ...] = (
    Case("pytorch: JPEG", ("few workers", "computes"), augmented, partial(augmented, 2)),
    Case("pytorch: remote pickles", ("waits", "few workers"), remote_pickles, mirrored),
    Case("pytorch: compressed chunks row by row", ("computes",), chunked_rows, unpacked_rows),
    Case("pytorch: padding in a loop", ("collate",), padded, partial(padded, pad_by_row)),
    Case("pytorch: large scans", ("costly workers",), large_scans, partial(large_scans, 0)),
    Case("pytorch: spawn", ("start", "costly workers"), spawned, partial(spawned, "fork")),
    Case("pytorch: a file opened for each row", ("many reads",), row_reads, block_reads),
    Case("pytorch: spectrograms by workers", ("step",), hidden_spectrograms, None, 0.25),
    Case("fastai: contrast", ("transform",), contrast, partial(contrast, contrast_by_image)),
    Case("fastai: rows as lists", ("objects", "collate"), table, partial(table, lists=False)),
    Case("fastai: twos", ("small batches",), tiny_batches, partial(tiny_batches, 64), 0.0005),
    Case("fastai: a monitor of batches", ("leak",), monitored, partial(monitored, keep=False)),
    Case("grain: retried records", ("stragglers", "waits"), retries, partial(retries, 0)),
    Case("grain: two round trips a sample", ("waits",), round_trips, partial(round_trips, 0)),
    Case("grain: batches fetched ahead", ("step",), fetched_ahead, None, 0.04),
    Case("tf.data: images as float64", ("wide",), image_arrays, partial(image_arrays, None)),
    Case("tf.data: shuffled images", ("all first",), shuffled, partial(shuffled, False), 0.01),
    Case("tf.data: signals in JSON lines", ("computes",), signals, partial(signals, stored)),
    Case("torchdata: tokenizer", ("transform",), tokenized, partial(tokenized, caching)),
    Case("torchdata: class weights", ("start",), balanced, partial(balanced, StoredSampler)),
    Case("plain: shards joined first", ("all first",), WholeEpoch, ShardByShard),
    Case("plain: readers that poll", ("contention",), PollingReaders, WaitingReaders),
    Case("plain: copies between stages", ("copies",), Stages, partial(Stages, careful=False)),
    Case("plain: a thread reads ahead", ("step",), ReadAhead, None, 0.03),
)
