"""Results on disk: computed once, whole or not there, read only from a folder of one's own. Processes are real."""

import errno
import json
import os
import pickle
import signal
import stat
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

from tinytorch.data import memo
from tinytorch.data.memo import locked, memo_directory, read_result, write_result

ROOT = Path(__file__).resolve().parents[3]
GUARD_SECONDS = 300     # for a whole script: only a hang takes that long
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX: fork, modes of files")


@pytest.fixture
def path(tmp_path):
    return memo_directory(tmp_path / "results") / "one.pickle"


def recall(path, compute):
    with locked(path):
        found, value = read_result(path)
        if not found:
            value = compute()
            write_result(path, value)
    return value


def never():
    raise AssertionError("computed again")


def names(path):
    return sorted(file.name for file in path.parent.iterdir())


# What is kept

@pytest.mark.parametrize("value", [None, False, 0, "", [], {"a": (1, 2)}, np.arange(6).reshape(2, 3)], ids=repr)
def test_what_is_written_is_read(path, value):
    assert read_result(path) == (False, None)
    assert write_result(path, value)
    found, again = read_result(path)
    assert found and type(again) is type(value) and np.array_equal(again, value)
    assert names(path) == ["one.pickle"]


def test_a_second_call_computes_nothing(path):
    assert recall(path, lambda: 5) == 5
    assert recall(path, never) == 5
    assert names(path) == ["one.pickle"], "no lock and no temporary file stays"


def test_a_large_result_is_read_back_whole(path):
    value = np.random.default_rng(0).integers(0, 255, 3_000_001, np.uint8)
    write_result(path, value)
    assert np.array_equal(read_result(path)[1], value)


@pytest.mark.parametrize("damage", ["empty", "cut", "one byte short", "one bit", "footer", "longer", "other file", "plain pickle"])
def test_a_damaged_file_is_a_miss_and_is_replaced(path, damage):
    write_result(path, [1, "result", b"\x00" * 1000])
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes({"empty": b"", "cut": whole[:middle], "one byte short": whole[:-1], "longer": whole + b"x", "other file": b"hello" * 100,
                      "one bit": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:], "footer": whole[:-3] + b"???",
                      "plain pickle": pickle.dumps([1])}[damage])
    assert read_result(path) == (False, None)
    assert recall(path, lambda: "new") == "new" and recall(path, never) == "new"


def test_a_result_whose_class_is_gone_is_a_miss(path, monkeypatch):
    class Gone:
        pass

    Gone.__qualname__ = "Gone"
    monkeypatch.setattr(sys.modules[__name__], "Gone", Gone, raising=False)
    write_result(path, Gone())
    assert read_result(path)[0]
    monkeypatch.delattr(sys.modules[__name__], "Gone")
    assert read_result(path) == (False, None)


# What cannot be kept

class FullDisk:
    """Stands in for `os.fsync` and `os.open` on a disk with no room."""

    def __call__(self, *_args, **_options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_told_and_the_result_returned(path, monkeypatch):
    write_result(path, "old")
    monkeypatch.setattr(memo.os, "fsync", FullDisk())
    with pytest.warns(RuntimeWarning, match=f"could not be kept in .*{os.strerror(errno.ENOSPC)}.*computed again"):
        assert not write_result(path, "new")
    assert names(path) == ["one.pickle"] and read_result(path) == (True, "old")
    path.unlink()
    with pytest.warns(RuntimeWarning, match="could not be kept"):
        assert recall(path, lambda: 7) == 7


@posix
def test_a_file_system_that_is_really_full(path):
    # RLIMIT_FSIZE makes the kernel refuse the write in its midst, as a full disk does.
    code = (f"import resource, signal, sys, warnings; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); warnings.simplefilter('always')\n"
            f"from tinytorch.data.memo import *\nresource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
            f"print(write_result({str(path)!r}, b'x' * 1_000_000))")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert done.stdout == "False\n" and "could not be kept" in done.stderr and names(path) == []


def test_a_result_that_cannot_be_pickled_is_told_and_returned(path):
    with pytest.warns(RuntimeWarning, match="could not be kept"):
        assert list(recall(path, lambda: (letter for letter in "ab"))) == ["a", "b"]
    assert names(path) == []


def test_an_interrupted_write_leaves_nothing(path, monkeypatch):
    def interrupt(_descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(memo.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        recall(path, lambda: 1)
    assert names(path) == []


def test_an_error_in_the_computation_frees_the_lock(path):
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            recall(path, lambda: 1 / 0)
    assert recall(path, lambda: 3) == 3 and names(path) == ["one.pickle"]


def test_without_a_folder_the_result_is_still_returned(tmp_path):
    (tmp_path / "file").write_text("in the way")
    path = memo_directory(tmp_path / "file" / "results") / "one.pickle"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert recall(path, lambda: 4) == 4
    assert ["no lock" in str(warning.message) for warning in told] == [True, False]
    assert "could not be kept" in str(told[1].message)


# Whose files are read

@posix
def test_the_folder_is_made_for_its_owner_alone(path):
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    write_result(path, 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
@pytest.mark.parametrize("use", [read_result, lambda path: write_result(path, 1), lambda path: locked(path).__enter__(), lambda path: memo_directory(path.parent)],
                         ids=["read", "write", "lock", "directory"])
def test_a_folder_that_others_may_write_to_is_refused(path, use):
    write_result(path, 1)
    path.parent.chmod(0o777)
    with pytest.raises(PermissionError, match=r"777.*chmod 700"):
        use(path)


@posix
def test_a_folder_and_a_file_of_another_user_are_refused(path, monkeypatch):
    write_result(path, 1)
    path.chmod(0o602)
    assert read_result(path) == (False, None), "a file that others may write to"
    owner = os.geteuid()
    monkeypatch.setattr(memo.os, "geteuid", lambda: owner + 1)
    with pytest.raises(PermissionError, match="owner"):
        read_result(path)


@posix
def test_a_link_is_not_followed(path, tmp_path):
    write_result(tmp_path / "elsewhere.pickle", "theirs")
    path.symlink_to(tmp_path / "elsewhere.pickle")
    assert read_result(path) == (False, None)
    assert recall(path, lambda: "ours") == "ours" and not path.is_symlink()
    assert read_result(tmp_path / "elsewhere.pickle") == (True, "theirs")


def test_where_results_go_by_default(tmp_path, monkeypatch):
    monkeypatch.setenv(memo.DIRECTORY_VARIABLE, str(tmp_path / "named"))
    assert memo_directory() == tmp_path / "named" and (tmp_path / "named").is_dir()
    monkeypatch.delenv(memo.DIRECTORY_VARIABLE)
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    default = memo_directory()
    assert default.parts[-2:] == ("tinytorch", "memo") and tmp_path in default.parents


# Several at once

def test_threads_that_ask_at_once_compute_once(path):
    computed, start = [], threading.Barrier(4)

    def ask():
        start.wait(GUARD_SECONDS)
        recall(path, lambda: computed.append(1) or "value")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GUARD_SECONDS)
    assert computed == [1]


def test_other_results_do_not_wait(path):
    with locked(path):
        assert recall(path.with_name("two.pickle"), lambda: 2) == 2


def rounds(folder, what, kind, count, workspace=ROOT):
    environment = {**os.environ, "PYTHONPATH": str(workspace), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, str(Path(__file__).with_name("memo_rounds.py")), what, str(count), str(folder), kind], cwd=folder, env=environment,
                          capture_output=True, text=True, timeout=GUARD_SECONDS, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@posix
@pytest.mark.parametrize("what", ["at_once", "killed"])
def test_processes_at_once_compute_once_and_a_killed_one_is_replaced(tmp_path, what):
    assert rounds(tmp_path, what, "plumbing", 50) == {"bad": {}, "left": [], "results": 50}


@posix
def test_a_child_that_outlives_its_killed_parent_holds_no_lock(path, tmp_path):
    code = ("import os, signal, sys\nfrom tinytorch.data.memo import locked\n"
            f"with locked({str(path)!r}):\n"
            "    child = os.fork()\n"
            "    if child == 0:\n"
            "        signal.pause()\n"
            "    print(child, flush=True)\n"
            "    signal.pause()\n")
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    try:
        parent.kill()
        parent.wait(GUARD_SECONDS)
        ask = threading.Thread(target=recall, args=(path, lambda: 1), daemon=True)
        ask.start()
        ask.join(60)     # a hang guard: it returns at once
        assert not ask.is_alive()
    finally:
        os.kill(child, signal.SIGKILL)
        parent.stdout.close()
