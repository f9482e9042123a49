"""Unpacking an archive gives CIFAR-10's files in their folder, or nothing at all."""

import gzip
import hashlib
import io
import os
import tarfile
from functools import partial
from pathlib import Path

import pytest

from tinytorch.datasets import FetchError, cifar10, fetch, fetch_cifar10
from tinytorch.datasets.fetch import ARCHIVE


def members_of(folder: Path) -> list:
    paths = sorted(folder.iterdir())
    return [(f"{cifar10.FOLDER}/{path.name}", path.read_bytes()) for path in paths]


def assert_whole(folder: Path, original: Path) -> None:
    assert members_of(folder) == members_of(original)


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


def unpack_by_hand(root: Path, body: bytes) -> Path:
    """Put the archive in `root`, as a student without a network would, and fetch."""
    root.mkdir(parents=True, exist_ok=True)
    (root / ARCHIVE).write_bytes(body)
    digest = hashlib.sha256(body).hexdigest()
    return fetch_cifar10(root, "http://127.0.0.1:9/not-asked", sha256=digest)


LARGE = gzip.decompress(tar_of([(f"{cifar10.FOLDER}/data_batch_1", bytes(200_000))]))
FILES = [(f"{cifar10.FOLDER}/{name}", b"x") for name in cifar10.ALL_FILES]


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
def test_what_else_an_archive_holds_is_left_out(original, tmp_path, extra, first):
    root = tmp_path / "deep" / "root"
    members = [one for one in members_of(original) if Path(one[0]).name in cifar10.ALL_FILES]
    folder = unpack_by_hand(root, tar_of([extra, *members] if first else [*members, extra]))
    assert members_of(folder) == members
    assert all(path.is_file() and not path.is_symlink() for path in folder.iterdir())
    there = {root.parent, root, root / ARCHIVE, folder}
    assert {*tmp_path.rglob("*")} - {*folder.iterdir()} == there


def test_an_archive_that_grows_beyond_the_limit_is_refused_before_it_is_written(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(fetch, "unpack", partial(fetch.unpack, max_bytes=5_000_000))
    body = tar_of([*FILES, (f"{cifar10.FOLDER}/readme.html", bytes(20_000_000))])
    assert len(body) < 50_000  # zeros compress well, so a small archive can unpack to a huge file
    with pytest.raises(FetchError, match="far larger than CIFAR-10's"):
        unpack_by_hand(tmp_path, body)
    assert list(tmp_path.iterdir()) == [tmp_path / ARCHIVE]


@pytest.mark.parametrize(
    "body, reason",
    [
        (tar_of(FILES[1:]), "data_batch_1 missing"),
        (tar_of(FILES)[:-30], "cannot be unpacked"),
        (tar_of(FILES)[:100] + b"\xff" * 50 + tar_of(FILES)[150:], "cannot be unpacked"),
        # the checksum of gzip is wrong in the middle of a file
        (gzip.compress(LARGE[:100_000])[:-8] + bytes(8), "cannot be unpacked: CRC check failed"),
    ],
)
def test_an_archive_that_is_not_whole_leaves_nothing(tmp_path, body, reason):
    with pytest.raises(FetchError, match=reason):
        unpack_by_hand(tmp_path, body)
    assert list(tmp_path.iterdir()) == [tmp_path / ARCHIVE]


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_modes_and_owners_are_not_taken_from_the_archive(tmp_path):
    info = tarfile.TarInfo(f"{cifar10.FOLDER}/readme.html")
    info.mode, info.uid = 0o6777, 12345
    folder = unpack_by_hand(tmp_path, tar_of([*FILES, info]))
    status = (folder / "readme.html").stat()
    assert status.st_mode & 0o7111 == 0 and status.st_uid == os.getuid()
