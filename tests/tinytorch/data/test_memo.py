"""Results on disk: each is computed once, written whole or not at all, and read only from a folder
of the same user. The tests use real processes.
"""

import errno
import os
import pickle
import signal
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from helpers.patience import PATIENCE_SECONDS
from tinytorch.data import memo
from tinytorch.data.memo import MISS, MemoStore

ROOT = Path(__file__).resolve().parents[3]
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX: fork, modes of files")


@pytest.fixture
def store(tmp_path):
    return MemoStore(tmp_path / "results")


def recall(store, compute, key="one"):
    with store.lock(key):
        value = store.read(key)
        if value is MISS:
            value = compute()
            store.write(key, value)
    return value


def never():
    raise AssertionError("computed again")


def names(store):
    """The files in the folder, without the locks."""
    return sorted(file.name for file in store.directory.iterdir() if file.suffix != ".lock")


# What is kept


@pytest.mark.parametrize(
    "value", [None, False, 0, "", [], {"a": (1, 2)}, np.arange(600_000).reshape(2, -1)], ids=repr
)
def test_what_is_written_is_read(store, value):
    assert store.read("one") is MISS and not store.directory.exists()
    assert store.write("one", value)
    with pytest.raises(TypeError, match="is MISS"):
        bool(MISS)  # or it would be taken for False
    again = store.read("one")
    assert type(again) is type(value) and np.array_equal(again, value)
    assert names(store) == ["one.memo"]


def refused(store, key, error, says):
    """Reading, writing and waiting for the lock are all refused."""
    uses = store.read, lambda key: store.write(key, 1), lambda key: store.lock(key).__enter__()
    for use in uses:
        with pytest.raises(error, match=says):
            use(key)


@pytest.mark.parametrize("key", ["", ".hidden", "../up", "a\\b", "x" * 129, "a b", "one\n", 5])
def test_a_key_that_is_no_file_name_is_refused(store, key):
    refused(store, key, ValueError, "letters, digits")


GONE = b"cno_such_module\nNoSuchClass\n."  # names a class
DAMAGES = {
    "empty": lambda whole: b"",
    "cut": lambda whole: whole[:500],
    "one bit": lambda whole: whole[:500] + bytes([whole[500] ^ 1]) + whole[501:],
    "plain pickle": lambda whole: pickle.dumps([1]),
    "of code that is gone": lambda whole: GONE + memo._footer(GONE),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_a_miss_and_is_replaced(store, damage):
    store.write("one", [1, "result", b"\x00" * 1000])
    path = store.directory / "one.memo"
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert store.read("one") is MISS
    assert recall(store, lambda: "new") == "new" and recall(store, never) == "new"


# What cannot be kept


def raises(error):
    def fsync(_descriptor):
        raise error

    return fsync


def test_a_full_disk_is_told_and_the_result_returned(store, monkeypatch):
    store.write("one", "old")
    monkeypatch.setattr(memo.os, "fsync", raises(OSError(errno.ENOSPC, "No space")))
    with pytest.warns(RuntimeWarning, match=r"could not be kept in .*No space.*computed again"):
        assert not store.write("one", "new")
    assert names(store) == ["one.memo"] and store.read("one") == "old"
    with pytest.warns(RuntimeWarning, match="could not be kept"):
        assert recall(store, lambda: 7, "two") == 7


def test_a_result_that_cannot_be_pickled_is_told_and_returned(store):
    with pytest.warns(RuntimeWarning, match="could not be kept"):
        assert list(recall(store, lambda: (letter for letter in "ab"))) == ["a", "b"]
    assert names(store) == []


def test_an_interrupted_write_leaves_nothing(store, monkeypatch):
    monkeypatch.setattr(memo.os, "fsync", raises(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        recall(store, lambda: 1)
    assert names(store) == []


def test_without_a_folder_the_result_is_still_returned(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(RuntimeWarning) as told:
        assert recall(MemoStore(tmp_path / "file" / "results"), lambda: 4) == 4
    lock, kept = (str(warning.message).partition(" in ")[0] for warning in told)
    assert (lock, kept) == ("no lock", "the result could not be kept")


# Whose files are read


@posix
def test_the_folder_is_made_for_its_owner_alone_and_refused_if_others_may_write_to_it(store):
    store.write("one", 1)
    assert stat.S_IMODE(store.directory.stat().st_mode) == 0o700
    assert stat.S_IMODE((store.directory / "one.memo").stat().st_mode) == 0o600
    store.directory.chmod(0o777)
    refused(store, "one", PermissionError, r"777.*chmod 700")


@posix
def test_a_folder_and_a_file_of_another_user_are_refused(store, monkeypatch):
    store.write("one", 1)
    (store.directory / "one.memo").chmod(0o602)
    assert store.read("one") is MISS, "a file that others may write to"
    owner = os.geteuid()
    monkeypatch.setattr(memo.os, "geteuid", lambda: owner + 1)
    with pytest.raises(PermissionError, match="owner"):
        store.read("one")


@posix
def test_a_link_is_not_followed(store, tmp_path):
    theirs = MemoStore(tmp_path / "elsewhere")
    theirs.write("one", "theirs")
    store.directory.mkdir(0o700)
    link = store.directory / "one.memo"
    link.symlink_to(theirs.directory / "one.memo")
    assert store.read("one") is MISS
    assert recall(store, lambda: "ours") == "ours" and not link.is_symlink()
    assert theirs.read("one") == "theirs"


def test_where_results_go_by_default(monkeypatch):
    for name in (memo.DIRECTORY_VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert MemoStore().directory == Path.home() / ".cache/tinytorch/memo"
    monkeypatch.setenv(memo.DIRECTORY_VARIABLE, "/named")
    assert MemoStore().directory == Path("/named").absolute()


# Several at once


def test_threads_that_ask_at_once_compute_once(store):
    computed = []
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(recall, store, lambda: computed.append(1)) for _ in range(4)]
    assert computed == [1] and [one.result() for one in asked] == [None] * 4


def test_other_results_do_not_wait(store):
    with store.lock("one"):
        asks = threading.Thread(target=recall, args=(store, lambda: 2, "two"), daemon=True)
        asks.start()
        asks.join(PATIENCE_SECONDS)
        assert store.read("two") == 2


VICTIM = """
import os, signal, sys
from tinytorch.data.memo import MemoStore

def stop(child=0):
    os.write(1, b"%d\\n" % child)  # in one piece: two processes may write
    while True:
        signal.pause()

class Stops:
    def __reduce__(self):
        stop()

store, when = MemoStore(sys.argv[1]), sys.argv[2]
with store.lock("one"):
    if when == "writing":
        store.write("one", Stops())
    child = os.fork() if when == "a child lives on" else 0
    stop(child)
"""


@posix
@pytest.mark.parametrize("when", ["computing", "writing", "a child lives on"])
def test_a_process_that_is_killed_leaves_the_result_to_the_one_that_waits(store, when):
    import fcntl

    command = [sys.executable, "-c", VICTIM, str(store.directory), when]
    victim = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    children = {int(victim.stdout.readline())}
    try:
        if when == "a child lives on":  # it prints 0, its parent its number
            children.add(int(victim.stdout.readline()))
        assert bool(list(store.directory.glob("*.tmp"))) is (when == "writing")
        with open(store.directory / ".one.lock") as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ask = threading.Thread(target=recall, args=(store, lambda: 1), daemon=True)
        ask.start()
        victim.kill()
        ask.join(PATIENCE_SECONDS)
        assert store.read("one") == 1 and names(store) == ["one.memo"]
    finally:
        victim.kill()
        for child in children - {0}:
            os.kill(child, signal.SIGKILL)
        victim.communicate()
