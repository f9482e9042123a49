"""Where the time of any loader goes: the function that most looks have in common, how often it is
called, whether it waits, and whether threads hinder each other. Machines differ in speed, so only
counts, names and large shares are judged.
"""

import _thread
import copy
import queue
import socket
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytorch.profiler import profile_loader
from tinytorch.profiler.diagnosis.advice_for_slow_calls import action_for
from tinytorch.profiler.diagnosis.differential_runs import Rate, Run
from tinytorch.profiler.diagnosis.hot_path import _is_own, _libraries, _Looks, hot_path
from tinytorch.profiler.recording.memory import growth

SECONDS = 0.4


def work(times):
    for _ in range(times):
        pass


def decode():
    work(50_000)


def put_together():
    work(5_000)


def batches(count=8, samples=4):
    for _ in range(count):
        for _ in range(samples):
            decode()
        put_together()
        yield np.zeros((samples, 3))


def test_of_a_known_call_is_said_what_to_call_instead():
    rows = [[number] for number in range(20_000)]

    def loader():
        for _ in range(8):
            copy.deepcopy(rows)
            yield np.zeros((4, 3))

    assert "copy only what is changed" in hot_path(loader, SECONDS, 2)[0].action


def test_a_folder_into_which_packages_were_installed_is_no_folder_of_the_user(
    tmp_path, monkeypatch
):
    (tmp_path / "any-1.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    _libraries.cache_clear()
    try:
        files = (str(folder / "any.py") for folder in (tmp_path, tmp_path.parent))
        assert list(map(_is_own, files)) == [False, True]
    finally:
        _libraries.cache_clear()


@pytest.mark.parametrize(
    "seen, says",
    [
        ("row = self.frame.iloc[index]", "to_numpy()"),
        ("gzip.py:_rewind", "unpack the file once"),
        ("rows = json.loads(self.text)", "parse the data once"),
        ("row = base.execute(QUERY).fetchone()", "CREATE INDEX"),
        ("pandas/core/indexing.py:__getitem__", "to_numpy()"),
        ("group = pq.ParquetFile(self.path).read_row_group(index)", "row group"),
        ("row = [column[i].as_py() for column in table]", "to_numpy()"),
        ("times.append(datetime.strptime(text, FORMAT))", "pd.to_datetime"),
        ("re/__init__.py:_compile", "re.compile"),
        ("h5py/_hl/dataset.py:__getitem__", "__getitems__"),
        ("zarr/core/array.py:get_basic_selection", "__getitems__"),
        ("with zipfile.ZipFile(self.path) as archive:", "keep it open"),
        ("transformers/tokenization_utils_base.py:__call__", "tokenizer(list_of_texts)"),
        ("datasets/formatting/formatting.py:format_row", "with_format"),
        ("PIL/ImageFile.py:load", "np.save"),
        ("PIL/ImageFilter.py:filter", ""),
        ("time.sleep(0.01)", "queue.get()"),
        ("logging/__init__.py:emit", "do not log"),
        ("numpy/lib/_npyio_impl.py:load", ""),
    ],
)
def test_of_libraries_that_are_not_here_the_names_are_known(seen, says):
    action, _ = action_for("", [seen])
    assert says in action and bool(action) == bool(says)


def test_a_function_that_has_most_of_the_time_is_named_and_not_what_calls_it(monkeypatch):
    # the profiler reads a file between the batches; nobody looks meanwhile, however long it takes
    reads = lambda: work(50_000) or 0  # noqa: E731
    monkeypatch.setattr(sys.modules[hot_path.__module__], "resident_bytes", reads)

    def own():
        for _ in range(4):
            sum(range(20_000))
        put_together()
        yield 1

    done = threading.Event()
    idle = threading.Thread(target=lambda: done.wait())  # is there at every look, and only waits
    idle.start()
    try:
        hot, _ = hot_path(own, SECONDS, 2)
    finally:
        done.set()
        idle.join()
    name = hot.where.partition(" (")[0]
    assert name.endswith("own"), hot  # `sum` is no Python function, put_together takes little
    assert hot.hot_share > 0.8, hot  # without the pause, about half of the looks


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="waiting for a core is only known on Linux"
)
def test_a_thread_that_waits_uses_no_processor_and_one_that_computes_uses_one():
    def sleepy():
        for _ in range(4):
            time.sleep(0.1)
            yield 1

    assert hot_path(sleepy, SECONDS, 2)[0].cores < 0.5 < hot_path(batches, SECONDS, 2)[0].cores


@pytest.mark.parametrize("count", [1, 3])
def test_threads_at_work_are_counted_and_those_that_wait_for_others_are_not(count):
    looks, done = _Looks(), threading.Event()

    def busy():
        while not done.is_set():
            decode()

    def look():
        for _ in range(20):
            looks._look_once()

    looks._still = {}
    threads = [threading.Thread(target=busy) for _ in range(count)]
    threads.append(threading.Thread(target=lambda: done.wait()))
    for thread in threads:
        thread.start()
    try:
        looker = threading.Thread(target=look)
        looker.start()
        looker.join()  # the loop's thread waits, too
    finally:
        done.set()
        for thread in threads:
            thread.join()
    _, share, at_a_time = looks.of(busy.__code__)
    assert (looks.count, share, at_a_time, len(looks.crew)) == (20, 1, count, count)


def test_the_innermost_function_of_most_looks_is_named_with_its_calls():
    """A thread that waits in C for a socket has a function of its own as the innermost one, but it
    is not at work.
    """
    heard, here = socket.socketpair(), queue.Queue()
    listener = threading.Thread(target=lambda: (here.put(1), heard[0].recv(1)))
    listener.start()
    here.get()
    with heard[0], heard[1]:
        hot, _ = hot_path(batches, SECONDS, 2)
        heard[1].send(b"x")
        listener.join()
    assert hot.where.startswith("work (test_hot_path.py, line "), hot
    # `work` is called 5 times for a batch: for 4 samples, and to collate them
    assert hot.hot_share > 0.5 and hot.hot_calls == 5
    assert (hot.threads, hot.crew) == (1, 0)


def test_nothing_of_the_interpreter_is_changed_afterwards():
    def broken():
        yield 1
        raise OSError("no disk")

    before, threads = (sys.getswitchinterval(), sys.getprofile()), threading.active_count()
    hot_path(batches, SECONDS, 2)
    with pytest.raises(OSError, match="no disk"):
        hot_path(broken, SECONDS, 2)
    assert (sys.getswitchinterval(), sys.getprofile()) == before
    assert threading.active_count() <= threads  # those of another test may have ended


def test_too_few_looks_name_nothing_and_neither_does_a_browser(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    assert hot_path(batches, 0.0, 1)[0].where == ""
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert hot_path(batches, 0.01, 1)[0].where == ""


# Memory that grows


@given(st.integers(0, 10**9), st.integers(1, 10**7), st.integers(40, 400))
def test_memory_grows_if_it_rises_to_the_end_not_if_it_is_filled_once_or_falls(start, step, count):
    rises = [start + step * number for number in range(count)]
    assert growth(rises) == pytest.approx(step, rel=1e-6)
    full = [start + step * min(number, count // 4) for number in range(count)]
    for held in (full, rises[::-1]):
        assert growth(held) == pytest.approx(0.0, abs=1e-3)
    assert growth(rises[:12]) == 0.0


# Stragglers


@pytest.mark.parametrize(
    "gaps, together, queued, share",
    [
        ([0.001] * 60 + [0.4], 0, 0.0, 0.4 / 0.46),
        ([0.001] * 60 + [0.004], 0, 0.0, 0),
        ([0.0001] * 60 + [0.015], 0, 0.0, 0),  # a core that was taken away for some milliseconds
        ([0.001] * 60 + [0.4], 0, 0.4, 0),  # the loop queued for a core
        ([0.0, 0.0, 0.0, 0.1] * 15, 4, 0.0, 0),  # batches that arrive together
        ([0.0, 0.0, 0.0, 0.1] * 15, 1, 0.0, 1),
    ],
)
def test_the_share_of_stragglers_is_their_part_of_the_time(gaps, together, queued, share):
    count = len(gaps) + 1
    run = Run(sum(gaps), 0.0, count, count, sum(gaps), 0, tuple(gaps), 0.0, queued)
    assert Rate((run,)).straggler_share(together) == pytest.approx(share)


def test_memory_is_not_traced_beside_threads_that_python_did_not_start():
    """`_thread` starts a thread that `threading` does not know, as a library in C does."""

    def foreign():
        filled = queue.SimpleQueue()

        def fill():
            for _ in range(12):
                decode()
                filled.put(np.zeros((4, 3)))

        _thread.start_new_thread(fill, ())
        for _ in range(12):
            yield filled.get()

    report = profile_loader(foreign, quick=True)
    assert report.memory["peak_bytes"] is None
    assert "not safe" in report.reasons["peak_bytes"]
