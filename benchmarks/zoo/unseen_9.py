"""Twenty more loaders as people write them, each with the fix of its main reason."""

from __future__ import annotations

import itertools
import json
import os
import queue
import re
import threading
import time
import zlib
from datetime import datetime
from functools import cache

import accelerate
import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import tokenizers
import torch
from case import Case
from scipy.signal import stft
from torch.utils.data import DataLoader, IterableDataset, RandomSampler, get_worker_info
from transformers import PreTrainedTokenizerFast
from unseen_8 import Chunks, Rows, draw, files, plain_case, rng, root, torch_case

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # before workers are forked


class Neighbours(Chunks):
    def __init__(self, graph, batch_size):
        self.starts, self.ends = graph
        super().__init__(rng(0).permutation(len(self.starts) - 1), batch_size)

    def read(self, nodes):
        degrees = np.diff(self.starts)[nodes]
        picks = rng(nodes[0]).random((10, len(nodes))) * degrees
        return nodes, self.ends[self.starts[nodes] + picks.astype(int)]


class PointClouds(Rows):
    def __getitem__(self, index):
        angle = rng(index).uniform(0, 2 * np.pi)
        sin, cos = np.float32(np.sin(angle)), np.float32(np.cos(angle))
        points = self.data[index] - self.data[index].mean(axis=0)
        return points @ np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]], np.float32)


class Spectrograms(Rows):
    def __getitem__(self, index):
        sound = self.data[index].astype(np.float32) / 32768
        waves = stft(sound, nperseg=400, noverlap=360)[2]
        return np.log1p(np.abs(waves[:128])).astype(np.float16)


@cache
def compressed_slice(number):
    voxels = np.cumsum(draw(number, 5, (256, 256)) - 2, axis=1).astype(np.int16)
    return zlib.compress(voxels.tobytes())


class Slices(Rows):
    def __getitem__(self, index):
        voxels = np.frombuffer(zlib.decompress(self.data[index].read_bytes()), np.int16)
        return np.clip(voxels.reshape(256, 256) // 4 + 128, 0, 255).astype(np.uint8)


class Feedback(Rows):
    def __getitem__(self, index):
        time.sleep(0.006)  # the answer of the key-value store
        liked, *tokens = json.loads(self.data[index].read_bytes())
        return torch.tensor(tokens), liked


class Replay(Chunks):
    def __iter__(self):
        order = rng(0)
        for _ in range(100):
            yield self.read(order.integers(0, len(self.data), self.batch_size))

    def read(self, chosen):
        states, actions, rewards = zip(*[self.data[index] for index in chosen], strict=True)
        states = torch.FloatTensor(np.array(states).tolist())
        actions = torch.LongTensor(np.array(actions).tolist())
        return states.clone(), actions.clone(), torch.FloatTensor(list(rewards)).clone()


class ReplayArrays(Replay):
    def __init__(self, data, batch_size):
        states, actions, rewards = zip(*data, strict=True)
        self.arrays = [torch.from_numpy(np.stack(states)).float(), torch.tensor(actions)]
        self.arrays.append(torch.tensor(rewards))
        super().__init__(data, batch_size)

    def read(self, chosen):
        return [array[torch.from_numpy(chosen)] for array in self.arrays]


def tensors(rows):
    return rows.with_format("torch")


class Embeddings(Rows):
    def __getitem__(self, index):
        return torch.tensor(self.data[index]["vector"])


def embedding_tensors(rows):
    return tensors(rows)[:]["vector"]


@cache
def trips():
    table = pa.table({name: rng(ord(name)).normal(size=60_000) for name in "abcdefgh"})
    pq.write_table(table, root() / "trips.parquet", row_group_size=6_000)
    return rng(10).permutation(60_000)[:600]


class Trips(Rows):
    def __getitem__(self, index):
        group, row = divmod(int(self.data[index]), 6_000)
        rows = pq.ParquetFile(root() / "trips.parquet").read_row_group(group).to_pandas()
        return torch.tensor(rows.iloc[row].to_numpy())


def trips_in_memory(chosen):
    table = pd.read_parquet(root() / "trips.parquet").to_numpy()
    return torch.tensor(table[chosen])


class Weather(Chunks):
    def __iter__(self):
        hours = np.zeros((0, 40, 40), np.float32)
        for path in self.data:
            hours = np.concatenate([hours, self.day(path)])
        for start in range(0, len(hours), self.batch_size):
            yield hours[start : start + self.batch_size]

    def day(self, path):
        return np.fromfile(path, np.float32).reshape(24, 40, 40)


class StreamedWeather(Weather):
    def __iter__(self):
        hours = itertools.chain.from_iterable(map(self.day, self.data))
        while batch := list(itertools.islice(hours, self.batch_size)):
            yield np.stack(batch)


def one_hot_proteins(rows, length=4_000):
    padded = torch.zeros(len(rows), length, dtype=torch.long)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    features = torch.nn.functional.one_hot(padded, 21).float()
    return features[:, : max(map(len, rows))]


def one_hot_to_longest(rows):
    return one_hot_proteins(rows, max(map(len, rows)))


class Boxes(Rows):
    def __getitem__(self, index):
        image = self.data[index % len(self.data)]
        return torch.from_numpy(image), torch.from_numpy(draw(index, 64, (1 + index % 5, 4)))


def collate_boxes(samples):
    images, boxes = zip(*samples, strict=True)
    return torch.stack(images), list(boxes)


class Regrouped:
    """Batches of single samples of a DataLoader, as their boxes differ in number."""

    def __init__(self, loader, batch_size):
        self.loader, self.batch_size = loader, batch_size

    def __iter__(self):
        samples = iter(self.loader)
        while group := list(itertools.islice(samples, self.batch_size)):
            yield torch.cat([image for image, _ in group]), [boxes[0] for _, boxes in group]


def make_boxes(batch_size=20, num_workers=2):
    return Regrouped(DataLoader(Boxes(frames()), num_workers=num_workers), batch_size)


def make_boxes_in_batches():
    return DataLoader(Boxes(frames()), 20, num_workers=2, collate_fn=collate_boxes)


@cache
def tokenizer():
    vocabulary = {f"word{number}": number for number in range(2_000)}
    model = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="word0"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=model, pad_token="[PAD]")


class Reviews(Rows):
    def __getitem__(self, index):
        words = tokenizer()(self.data[index], max_length=128, padding="max_length")
        return torch.tensor(words["input_ids"])


def tokenized_reviews(texts):
    words = tokenizer()(texts, max_length=128, padding="max_length")
    return torch.tensor(words["input_ids"])


class Positions(Rows):
    def __getitem__(self, index):
        planes = np.zeros((12, 64), np.float32)
        for square, piece in enumerate(self.data[index]):
            if piece != ".":
                planes["PNBRQKpnbrqk".index(piece), square] = 1
        return planes


class Resumed:
    """The rest of an epoch, from the batch on where the training was stopped."""

    def __init__(self, loader, done):
        self.loader, self.done = loader, done

    def __iter__(self):
        return itertools.islice(iter(self.loader), self.done, None)


def positions_loader(batch_size=32, num_workers=0):
    sampler = RandomSampler(chess(), generator=torch.Generator().manual_seed(0))
    return DataLoader(Positions(chess()), batch_size, sampler=sampler, num_workers=num_workers)


def make_positions(batch_size=32, num_workers=0):
    return Resumed(positions_loader(batch_size, num_workers), 900)


def make_positions_skipped():
    return accelerate.skip_first_batches(positions_loader(), 900)


class Sentences(Chunks):
    def __iter__(self):
        self.data = self.by_length()
        return super().__iter__()

    def by_length(self):
        return sorted(self.data, key=lambda text: len(re.findall(r"\w+", text)))

    def read(self, texts):
        return np.array([list(text[:40].encode()) for text in texts])


class SortedSentences(Sentences):
    def __init__(self, data, batch_size):
        ordered = Sentences(data, batch_size).by_length()
        self.batch_size, self.data, self.by_length = batch_size, ordered, lambda: ordered


@cache
def log():
    line = '10.0.0.{} [{:02}/Nov/2026:10:{:02}:07] "GET /{}" 200\n'
    text = "".join(line.format(n % 256, n % 28 + 1, n % 60, n) for n in range(80_000))
    (root() / "access.log").write_text(text)
    return root() / "access.log"


class Log(IterableDataset):
    line = re.compile(r'\d+\.\d+\.\d+\.(\d+) \[(.+?)\] "GET /(\d+)" (\d+)')

    def __init__(self, path):
        self.path = path

    def parse(self, line):
        host, when, page, status = self.line.match(line).groups()
        hour = datetime.strptime(when, "%d/%b/%Y:%H:%M:%S").hour
        return torch.tensor([int(host), hour, int(page), int(status)])

    def __iter__(self):
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        with self.path.open() as lines:
            yield from self.share(lines, first, step)

    def share(self, lines, first, step):
        return itertools.islice(map(self.parse, lines), first, None, step)


class SharedLog(Log):
    def share(self, lines, first, step):
        return map(self.parse, itertools.islice(lines, first, None, step))


class Thumbnails(Rows):
    blank = np.zeros((64, 64, 3), np.uint8)

    def __getitem__(self, index):
        for pause in (0.02, 0.04, 0.08):
            if file := self.data[index].read_bytes():
                return np.frombuffer(bytearray(file), np.uint8).reshape(64, 64, 3)
            time.sleep(pause)  # it may still be copied to this disk
        return self.blank


def checked_thumbnails(paths):
    known = Thumbnails(paths)
    return [known[n] if path.stat().st_size else known.blank for n, path in enumerate(paths)]


class Sweeps(Chunks):
    """Sweeps of a LiDAR, which a thread reads ahead."""

    def __iter__(self):
        ready = queue.Queue(4)
        threading.Thread(target=self.fill, args=(ready,), daemon=True).start()
        while (batch := self.take(ready)) is not None:
            yield batch

    def fill(self, ready):
        for batch in super().__iter__():
            ready.put(batch)
        ready.put(None)

    def read(self, paths):
        return np.stack([np.fromfile(path, np.float32) for path in paths])

    def take(self, ready):
        while ready.empty():
            pass
        return ready.get()


class BlockingSweeps(Sweeps):
    take = staticmethod(queue.Queue.get)


def add_unheard(plays):
    """The plays (user, song, songs of the user), and for each a song that is new to the user."""
    order, unheard = rng(plays[0][1]), []
    for _, _, heard in plays:
        song = int(order.integers(9_000))
        while song in heard:
            song = int(order.integers(9_000))
        unheard.append(song)
    return torch.tensor([play[:2] for play in plays]), torch.tensor(unheard)


def plays_with_sets(plays):
    sets = [set(songs) for songs in heard()]
    return [(user, song, sets[user]) for user, song, _ in plays]


class Sales(Rows):
    def __len__(self):
        return 30 * len(self.data)

    def features(self, shop):
        days = pd.Series(self.data[shop])
        moving = [days.rolling(7).sum(), days.rolling(28).max(), days.shift(7)]
        return pd.concat([days, *moving], axis=1).to_numpy(np.float32)

    def __getitem__(self, index):
        shop, month = divmod(index, 30)
        return self.features(shop)[28 + 30 * month : 58 + 30 * month]


class SalesOnce(Sales):
    def __init__(self, data):
        self.data = data
        table = [self.features(shop) for shop in range(len(data))]
        self.features = table.__getitem__


census = cache(lambda: datasets.Dataset.from_dict({"features": rng(0).random((3_000, 64))}))
graph = cache(lambda: (np.arange(0, 99_001, 33), draw(2, 3_000, 99_000)))
clouds = cache(lambda: rng(3).normal(size=(600, 2_048, 3)).astype(np.float32))
sounds = cache(lambda: draw(4, 9_999, (3_200, 8_000), np.int16))
slices = files(1_200, lambda file, n: file.write(compressed_slice(n % 50)))
feedback = files(400, lambda file, n: file.write(json.dumps([n % 2, *range(n, n + 300)]).encode()))
memory = cache(lambda: [(s, n % 6, n % 3.0) for n, s in enumerate(draw(8, 99, (4_000, 600)))])
vectors = cache(lambda: rng(9).random((4_000, 768), np.float32))
embeddings = cache(lambda: datasets.Dataset.from_dict({"vector": vectors()}))
days = files(240, lambda file, n: file.write(rng(n).random(24 * 1_600, np.float32).tobytes()))
proteins = cache(lambda: [torch.arange(60 + n * 7 % 300) % 21 for n in range(4_000)])
frames = cache(lambda: draw(11, 255, (600, 3, 64, 64), np.uint8))
reviews = cache(lambda: [" ".join(f"word{w}" for w in draw(n, 2_000, 120)) for n in range(3_000)])
chess = cache(
    lambda: ["".join(row) for row in rng(13).choice([*".....PNBRQKpnbrqk"], (32_000, 64))]
)
thumbnails = files(1_000, lambda file, n: file.write(rng(n).bytes(12_288 * (n % 125 != 9))))
sweeps = files(500, lambda file, n: file.write(rng(n).random(8_000, np.float32).tobytes()))
plays = cache(lambda: [(n % 50, n, heard()[n % 50]) for n in range(8_000)])
sentences = cache(lambda: ["lorem ipsum dolor " * (3 + n * 7 % 60) for n in range(24_000)])
heard = cache(lambda: [rng(n).permutation(9_000)[:6_000].tolist() for n in range(50)])
sales = cache(lambda: draw(14, 500, (40, 1_000)))
TWO, SIX = ({"num_workers": number, "persistent_workers": True} for number in (2, 6))
FIT = {"collate_fn": one_hot_to_longest}

CASES = [
    # fix: none; the rows of a batch are taken at once, and the model takes nearly all of the time
    torch_case("census", "step", census, tensors, None, None, 0.03),
    # fix: none; the neighbours of a batch are drawn at once, and the model takes the time
    plain_case("neighbours in a graph", "step", graph, Neighbours, None, 32, 0.03),
    # fix: none; two workers turn the clouds while the model computes
    torch_case("point clouds", "step", clouds, PointClouds, None, None, 0.1, num_workers=2),
    # fix: compute the spectrograms in two worker processes
    torch_case("speech", "few workers, computes", sounds, Spectrograms, Spectrograms, TWO),
    # fix: unpack the slices in two worker processes
    torch_case("CT slices", "few workers, computes", slices, Slices, Slices, TWO),
    # fix: six workers instead of one, so that six answers are waited for at a time
    torch_case(
        "rated chats", "few workers, waits", feedback, Feedback, Feedback, SIX, num_workers=1
    ),
    # fix: keep the memory in arrays, and take a batch of each by its indices
    plain_case("replay memory", "copies, objects, collate", memory, Replay, ReplayArrays, 64),
    # fix: have datasets give tensors, of all rows at once, instead of lists of numbers
    torch_case("embeddings", "objects, many reads", embeddings, Embeddings, embedding_tensors),
    # fix: read the table once, instead of a group of rows for each trip
    torch_case("taxi trips in Parquet", "computes, many reads", trips, Trips, trips_in_memory),
    # fix: give the batches while the files are read
    plain_case("hours of weather", "all first, start, copies", days, Weather, StreamedWeather),
    # fix: pad to the longest of the batch, not of all proteins
    torch_case("proteins", "padding", proteins, list, list, FIT, collate_fn=one_hot_proteins),
    # fix: have the workers make batches, instead of sending single samples
    Case("pytorch: boxes", ("small batches", "costly workers"), make_boxes, make_boxes_in_batches),
    # fix: tokenize all texts once, in one call
    torch_case("reviews", "computes, many reads", reviews, Reviews, tokenized_reviews),
    # fix: skip the samples by the sampler, without reading them
    Case("pytorch: chess, resumed", ("start", "computes"), make_positions, make_positions_skipped),
    # fix: sort the sentences once
    plain_case("sentences by length", "start", sentences, Sentences, SortedSentences),
    # fix: skip the lines of the other worker before they are parsed
    torch_case("logs", "repeated, computes", log, Log, SharedLog, batch_size=256, num_workers=2),
    # fix: look once which files are empty, instead of trying these again and again
    torch_case("thumbnails", "stragglers, waits", thumbnails, Thumbnails, checked_thumbnails),
    # fix: wait in queue.get, which leaves the interpreter to the thread that reads
    plain_case("LiDAR sweeps", "contention", sweeps, Sweeps, BlockingSweeps, 8),
    # fix: look in sets of songs instead of lists
    torch_case("songs", "collate", plays, list, plays_with_sets, collate_fn=add_unheard),
    # fix: compute the features of a shop once, not for each month
    torch_case("sales of shops", "transform, computes", sales, Sales, SalesOnce),
]
