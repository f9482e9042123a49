"""The download from a real HTTP server on 127.0.0.1: it gives the whole data set or nothing,
whatever happens to the connection. Unpacking gives CIFAR-10's files in their folder, or nothing.
"""

import errno
import gzip
import hashlib
import io
import os
import signal
import socket
import subprocess
import sys
import tarfile
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from helpers.patience import PATIENCE_SECONDS
from tinytorch.datasets import FetchError, cifar10, fetch, fetch_cifar10

REPOSITORY = Path(__file__).parents[3]
POSIX = os.name == "posix"


def members_of(folder: Path) -> list:
    paths = sorted(folder.iterdir())
    return [(f"{cifar10.FOLDER}/{path.name}", path.read_bytes()) for path in paths]


def tar_of(members: list) -> bytes:
    """A .tar.gz of (name, bytes) pairs and ready TarInfos."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as tar:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                tar.addfile(member)
            else:
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                tar.addfile(info, io.BytesIO(member[1]))
    return file.getvalue()


FILES = [(f"{cifar10.FOLDER}/{name}", name.encode()) for name in sorted(cifar10.ALL_FILES)]
WHOLE = sorted([*FILES, (f"{cifar10.FOLDER}/{cifar10.README_FILE}", b"x")])


class Server(ThreadingHTTPServer):
    """Serves `body` in the way that the path names, and records each requested path."""

    def __init__(self, body: bytes):
        super().__init__(("127.0.0.1", 0), Handler)
        self.body, self.asked = body, []
        self.half_sent, self.go_on = threading.Event(), threading.Event()

    def url(self, manner: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{manner}/cifar-10-python.tar.gz"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        manner, body = self.path.split("/")[1], self.server.body
        self.server.asked.append(manner)
        if manner in ("absent", "broken"):
            return self.send_error({"absent": 404, "broken": 503}[manner])
        if manner == "silent":
            return self.server.go_on.wait(PATIENCE_SECONDS)
        body = {"moved": b"", "wrong": b"<html>another file</html>"}.get(manner, body)
        self.send_response(302 if manner == "moved" else 200)
        self.send_header("Location", self.server.url("good"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if manner in ("cut", "waits") else body)
        if manner == "waits":
            self.server.half_sent.set()
            self.server.go_on.wait(PATIENCE_SECONDS)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    server = Server(tar_of(WHOLE))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.go_on.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def nothing_but_loopback(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv(fetch.URL_VARIABLE, raising=False)
    monkeypatch.setattr(fetch, "URLS", ("http://127.0.0.1:9/refused",))


def get(server, root, *manners) -> Path:
    digest = hashlib.sha256(server.body).hexdigest()
    return fetch_cifar10(root, [server.url(manner) for manner in manners], sha256=digest)


def in_another_process(server, manner, root, before="") -> subprocess.Popen:
    given = str(root), server.url(manner)
    digest = hashlib.sha256(server.body).hexdigest()
    code = (
        f"{before}\nfrom tinytorch.datasets import fetch_cifar10\n"
        f"fetch_cifar10(*{given}, sha256={digest!r})"
    )
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    "manners, asked",
    [
        (["moved"], ["moved", "good"]),
        (["absent", "good"], ["absent", "good"]),
        (["cut", "good"], ["cut", "good"]),
        (["wrong", "good"], ["wrong", "good"]),
        (["good", "broken"], ["good"]),
    ],
)
def test_the_whole_data_set_arrives_from_the_first_source_that_has_it(
    server, tmp_path, capfd, monkeypatch, manners, asked
):
    (tmp_path / ".cifar10-fetch-other").mkdir()  # of a process that is still at work
    folder = get(server, tmp_path, *manners)
    assert members_of(folder) == WHOLE
    assert server.asked == asked
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, ".cifar10-fetch-other"}
    assert capfd.readouterr() == ("", "")  # without a terminal nothing is printed
    # what is there needs neither network nor pooch
    monkeypatch.setitem(sys.modules, "pooch", None)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert fetch_cifar10(tmp_path) == folder
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_a_terminal_shows_progress_in_one_line_and_the_environment_names_sources(
    server, tmp_path, monkeypatch
):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    server.body = tar_of([*FILES, (f"{cifar10.FOLDER}/readme.html", os.urandom(3_000_000))])
    monkeypatch.setenv(fetch.URL_VARIABLE, f"{server.url('absent')}, {server.url('good')}")
    fetch_cifar10(tmp_path / "named", sha256=hashlib.sha256(server.body).hexdigest())
    shown = sys.stderr.getvalue()
    assert shown.endswith("\rCIFAR-10: 3 of 3 MB\n") and shown.count("\n") == 1
    assert "\rCIFAR-10: 1 of 3 MB" in shown
    get(server, tmp_path / "given", "good")  # an argument goes before the environment
    assert server.asked == ["absent", "good", "good"]


@pytest.mark.parametrize(
    "manners, reason",
    [
        (["broken"], "answered 503 Service Unavailable"),
        (["silent"], "no answer for"),
        (["absent", "wrong", "cut"], r"404(.|\n)*\(sha256\) is wrong(.|\n)*broke off half-way"),
    ],
)
def test_sources_that_fail_leave_nothing_and_the_message_says_why_and_what_to_do(
    server, tmp_path, monkeypatch, manners, reason
):
    if "silent" in manners:  # the others answer, however long a busy machine takes
        monkeypatch.setattr(fetch, "TIMEOUT_SECONDS", 0.3)
    with pytest.raises(FetchError, match=reason) as caught:
        get(server, tmp_path, *manners)
    assert list(tmp_path.iterdir()) == []
    remedies = ("by hand", "cifar-10-python.tar.gz", "write_digits_as_cifar10", fetch.URL_VARIABLE)
    for part in (*map(server.url, manners), *remedies):
        assert part in str(caught.value)


def test_without_a_network_or_pooch_the_message_says_what_to_do(tmp_path, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound but not listening: refused
        refused = f"http://127.0.0.1:{free.getsockname()[1]}/x"
        for url, reason in ((refused, "is there a network"), ("gopher://127.0.0.1/x", "gopher")):
            with pytest.raises(FetchError, match=reason) as caught:
                fetch_cifar10(tmp_path, url)
            assert "by hand" in str(caught.value)
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match="pip install pooch"):
        fetch_cifar10(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_broken_archive_put_there_by_hand_and_an_incomplete_folder_are_kept(server, tmp_path):
    by_hand = tmp_path / "cifar-10-python.tar.gz"
    by_hand.write_bytes(server.body[:100])
    (tmp_path / cifar10.FOLDER).mkdir()
    (tmp_path / cifar10.FOLDER / "data_batch_1").write_bytes(b"half")
    assert members_of(get(server, tmp_path, "good")) == WHOLE
    (kept,) = tmp_path.glob(f"{cifar10.FOLDER}.incomplete-*")
    assert (kept / "data_batch_1").read_bytes() == b"half"
    assert by_hand.read_bytes() == server.body[:100]


def test_if_another_download_was_first_its_files_stay(server, tmp_path, monkeypatch):
    inode = []

    def late(archive, folder):
        monkeypatch.setattr(fetch, "unpack", unpack)
        inode.append((get(server, tmp_path, "good") / "test_batch").stat().st_ino)
        unpack(archive, folder)

    unpack = fetch.unpack
    monkeypatch.setattr(fetch, "unpack", late)
    assert (get(server, tmp_path, "good") / "test_batch").stat().st_ino == inode[0]
    assert list(tmp_path.iterdir()) == [tmp_path / cifar10.FOLDER]


@pytest.mark.skipif(not POSIX, reason="signals of POSIX")
@pytest.mark.parametrize("number, left", [(signal.SIGINT, 0), (getattr(signal, "SIGKILL", 9), 1)])
def test_a_process_that_is_stopped_half_way_leaves_no_data_set_and_a_second_run_succeeds(
    server, tmp_path, number, left
):
    process = in_another_process(server, "waits", tmp_path)
    assert server.half_sent.wait(PATIENCE_SECONDS)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode != 0
    assert not (tmp_path / cifar10.FOLDER).exists()
    private = list(tmp_path.iterdir())
    assert len(private) == left and all(path.name.startswith(".cifar10-fetch-") for path in private)
    assert members_of(get(server, tmp_path, "good")) == WHOLE
    for path in private:  # a day later the next fetch clears it away
        os.utime(path, (0, 0))
    (tmp_path / cifar10.FOLDER / "test_batch").unlink()
    get(server, tmp_path, "good")
    assert list(tmp_path.glob(".cifar10-fetch-*")) == []


@pytest.mark.skipif(not POSIX, reason="resource limits of POSIX")
@pytest.mark.parametrize("limit_bytes, where", [(1000, "download"), (20_000, "unpacking")])
def test_a_write_that_the_system_refuses_leaves_nothing(server, tmp_path, limit_bytes, where):
    # packed under 20 kB, unpacked over it
    server.body = tar_of([*FILES[1:], (FILES[0][0], bytes(1_000_000))])
    before = (
        "import resource, sys; sys.dont_write_bytecode = True\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit_bytes}, {limit_bytes}))"
    )
    process = in_another_process(server, "good", tmp_path, before)
    error = process.communicate(timeout=PATIENCE_SECONDS)[1]
    assert process.returncode == 1
    reason = f"could not be written to {tmp_path}: {os.strerror(errno.EFBIG)}"
    assert f"{reason}. Nothing is left behind; 360 MB must be free" in error
    assert list(tmp_path.iterdir()) == []


def test_the_real_archives_checksum_and_sources_are_what_is_asked_for_by_default(monkeypatch):
    monkeypatch.undo()
    monkeypatch.delenv(fetch.URL_VARIABLE, raising=False)
    real = "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce"
    assert fetch_cifar10.__kwdefaults__["sha256"] == real
    sources = fetch._sources(None)
    assert sources[0] == "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
    assert len(sources) == 3 and all(source.startswith("https://") for source in sources)


# Archives


def unpack_by_hand(root: Path, body: bytes) -> Path:
    """Put the archive in `root`, as a student without a network would, and fetch."""
    root.mkdir(parents=True, exist_ok=True)
    (root / fetch.ARCHIVE).write_bytes(body)
    digest = hashlib.sha256(body).hexdigest()
    return fetch_cifar10(root, "http://127.0.0.1:9/not-asked", sha256=digest)


LARGE = gzip.decompress(tar_of([(f"{cifar10.FOLDER}/data_batch_1", bytes(200_000))]))


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize(
    "extra",
    [
        (f"{cifar10.FOLDER}/../../evil", b"x"),
        (f"{cifar10.FOLDER}\\..\\..\\evil", b"x"),
        ("/tmp/evil", b"x"),
        special(f"{cifar10.FOLDER}/readme.html", tarfile.SYMTYPE, "/etc/passwd"),
        special(cifar10.FOLDER, tarfile.SYMTYPE, ".."),
        special("pipe", tarfile.FIFOTYPE),
        ("other/test_batch", b"x"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_what_else_an_archive_holds_is_left_out(tmp_path, extra, first):
    root = tmp_path / "deep" / "root"
    folder = unpack_by_hand(root, tar_of([extra, *FILES] if first else [*FILES, extra]))
    assert members_of(folder) == FILES
    assert all(path.is_file() and not path.is_symlink() for path in folder.iterdir())
    there = {root.parent, root, root / fetch.ARCHIVE, folder}
    assert {*tmp_path.rglob("*")} - {*folder.iterdir()} == there


@pytest.mark.parametrize(
    "body, reason",
    [
        (tar_of(FILES[1:]), "batches.meta missing"),
        (tar_of(FILES)[:-30], "cannot be unpacked"),
        (tar_of(FILES)[:100] + b"\xff" * 50 + tar_of(FILES)[150:], "cannot be unpacked"),
        # 20 MB of zeros in few bytes
        (tar_of([*FILES, (FILES[0][0], bytes(20_000_000))]), "far larger than CIFAR-10's"),
        # the checksum of gzip is wrong in the middle of a file
        (gzip.compress(LARGE[:100_000])[:-8] + bytes(8), "cannot be unpacked: CRC check failed"),
    ],
)
def test_an_archive_that_is_not_whole_or_too_large_leaves_nothing(
    tmp_path, monkeypatch, body, reason
):
    assert len(body) < 50_000
    monkeypatch.setattr(fetch, "unpack", partial(fetch.unpack, max_bytes=5_000_000))
    with pytest.raises(FetchError, match=reason):
        unpack_by_hand(tmp_path, body)
    assert list(tmp_path.iterdir()) == [tmp_path / fetch.ARCHIVE]
