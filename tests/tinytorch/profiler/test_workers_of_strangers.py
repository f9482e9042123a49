"""Stage times from worker processes. PyTorch's loader is used where it is installed. Where it is
not, `Forked` stands in for it: it forks one worker, which calls what PyTorch's worker calls.
"""

import functools
import multiprocessing
import os
import pickle
import sys
import tempfile
import time
import types

import numpy as np
import pytest

from tinytorch.profiler import Profiler
from tinytorch.profiler.recording.workers import PREFIX

SAMPLES, BATCH = 64, 8


class Dataset:
    """Reads and transforms that take long enough to be told apart."""

    def __init__(self, read=0.003, transform=0.001):
        self.read, self.seconds = read, transform

    def __len__(self):
        return SAMPLES

    def transform(self, index):
        time.sleep(self.seconds)
        return np.full(3, index)

    def __getitem__(self, index):
        time.sleep(self.read)
        return self.transform(index)


def collate(samples):
    time.sleep(0.008)
    return np.stack(samples)


class Forked:
    """The part of PyTorch's loader that the clocks touch, with one forked worker."""

    _index_sampler = ()
    num_workers = 1

    def __init__(self, dataset, collate_fn=collate, worker_init_fn=None):
        self.dataset, self.collate_fn, self.worker_init_fn = dataset, collate_fn, worker_init_fn

    def __len__(self):
        return SAMPLES // BATCH

    def __iter__(self):
        here, there = multiprocessing.Pipe(duplex=False)
        start, put_together = self.worker_init_fn, self.collate_fn
        worker = os.fork()
        if not worker:
            try:
                self._work(there, start, put_together)
            finally:
                os._exit(0)
        there.close()
        try:
            for _ in range(len(self)):
                yield here.recv()
        finally:
            os.waitpid(worker, 0)
            here.close()

    def _work(self, there, start, put_together):
        info = types.SimpleNamespace(dataset=self.dataset)
        data = types.SimpleNamespace(get_worker_info=lambda: info)
        sys.modules["torch"] = types.SimpleNamespace(utils=types.SimpleNamespace(data=data))
        if start is not None:
            start(0)
        for first in range(0, SAMPLES, BATCH):
            there.send(put_together([self.dataset[i] for i in range(first, first + BATCH)]))


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="the stand-in for PyTorch forks")


def loaders():
    yield pytest.param(functools.partial(Forked, Dataset()), marks=forks, id="stand-in")
    for method in ("fork", "spawn"):
        yield pytest.param(
            functools.partial(torch_loader, method), marks=pytest.mark.torch, id=method
        )


def torch_loader(method, **settings):
    data = pytest.importorskip("torch.utils.data", reason="PyTorch is not installed")
    settings = {"collate_fn": collate, "num_workers": 2, **settings}
    return data.DataLoader(Dataset(), BATCH, multiprocessing_context=method, **settings)


@pytest.mark.parametrize("make", list(loaders()))
def test_the_stages_of_workers_are_seen_and_the_batches_are_the_same(make):
    loader = make()
    with Profiler(detail=True) as profiler:
        batches = [batch for _ in range(2) for batch in profiler.wrap(loader)]
    report = profiler.report()
    assert np.array_equal(np.concatenate(batches)[:, 0], [*range(SAMPLES)] * 2)
    assert report.unseen == "" and report.reads_per_batch == BATCH
    # sleeping: 24 ms of reads, 8 of transforms, 8 of collation; a busy machine only adds to them
    assert report.stages["fetch"] > report.stages["transform"] > 0
    assert report.stages["collate"] > 0 and report.stages["fetch"] >= 2 * 8 * 0.024
    assert any(span.lane.startswith("worker ") for span in report.spans)


def note(path, worker):
    if worker == 0:
        path.write_text(str(worker))


@pytest.mark.parametrize("make", list(loaders()))
def test_a_loader_gets_its_own_functions_back_and_runs_them(make, tmp_path):
    start = functools.partial(note, tmp_path / "started")
    loader = make(worker_init_fn=start)
    with Profiler() as profiler:
        for batch in profiler.wrap(loader):
            assert len(batch) == BATCH
            break
    assert loader.collate_fn is collate and loader.worker_init_fn is start
    assert (tmp_path / "started").read_text() == "0"


@forks
def test_a_dataset_that_refuses_clocks_does_not_stop_the_workers():
    with Profiler() as profiler:
        loader = Forked([np.zeros(3)] * SAMPLES)
        assert sum(len(batch) for batch in profiler.wrap(loader)) == SAMPLES
    report = profiler.report()
    assert report.stages is None and "loads in other processes" in report.unseen


@forks
def test_the_folder_of_a_process_that_was_killed_is_removed_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = os.fork()
    if not ended:
        os._exit(0)
    os.waitpid(ended, 0)
    for owner in (ended, os.getpid()):
        (tmp_path / f"{PREFIX}{owner}-x").mkdir()
    with Profiler() as profiler:
        list(profiler.wrap(Forked(Dataset(0, 0))))
    assert [path.name for path in tmp_path.iterdir()] == [f"{PREFIX}{os.getpid()}-x"]


def test_what_workers_are_given_can_be_pickled():
    from tinytorch.profiler.recording.epochs import measure_cost
    from tinytorch.profiler.recording.workers import WorkerClocks

    loader = Forked(Dataset())
    clocks = WorkerClocks(loader, time.perf_counter, measure_cost(time.perf_counter), False)
    with clocks.put():
        start, put_together = pickle.loads(pickle.dumps((loader.worker_init_fn, loader.collate_fn)))
    assert np.array_equal(put_together([np.ones(3)] * 2), np.ones((2, 3)))
    assert clocks.remove() == [] and start is not None
