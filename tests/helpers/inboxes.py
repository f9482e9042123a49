"""What an inbox holds: notebooks, the zips of `tito submit`, and downloads of a learning system."""

from __future__ import annotations

import io
import json
import os
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path

IN_TIME, LATER = "2026-11-20T10:00:00+00:00", "2030-01-01T00:00:00+00:00"


def notebook(number: int = 0) -> str:
    """A notebook without cells; the number tells it from others."""
    return json.dumps({"cells": [], "metadata": {"n": number}, "nbformat": 4, "nbformat_minor": 5})


def manifest(**facts: object) -> str:
    return json.dumps({"module": "07_tiny", "time": IN_TIME, **facts})


def packed(
    members: dict[str, str | bytes] | Iterable[tuple[str, str | bytes]],
    day: tuple[int, int, int] = (2026, 11, 20),
) -> bytes:
    """A zip of these files, which were changed at 9 on that day."""
    pairs = members.items() if isinstance(members, dict) else members
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")  # zipfile's about a name that is there twice
        for name, data in pairs:
            entry = (
                name
                if isinstance(name, zipfile.ZipInfo)
                else zipfile.ZipInfo(name, (*day, 9, 0, 0))
            )
            archive.writestr(entry, data, compress_type=zipfile.ZIP_DEFLATED)
    return out.getvalue()


def tito_zip(number: int = 0, **facts: object) -> bytes:
    """What `tito submit` packs; `facts` go into its manifest."""
    return packed({"tiny_dev.ipynb": notebook(number), "manifest.json": manifest(**facts)})


def put(path: Path, data: str | bytes, at: float | None = None) -> Path:
    """A file with this content, last changed at this time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    if at is not None:
        os.utime(path, (at, at))
    return path
