"""What a demo cell showed: its texts and pictures, how far its measurements agree, and where and
when it ran. Kept as files, in the build's folder and as records in site/_records.

A noisy outcome is never shown as if it were a quiet one: a quiet record of the same code is in
its place, or it is marked.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import math
import os
import platform
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

PICTURES = "PICTURES/"  # what the address of a picture begins with inside an outcome
LEAST_FILE = 4000  # characters of base64; a smaller picture, such as one digit, stays in the page
_DATA = re.compile(r'(class="only-(light|dark)"[^>]*)?src="data:image/png;base64,([^"]+)"')


@dataclass(frozen=True)
class Outcome:
    """What one demo cell showed.

    Attributes:
        code: the digest of the cell's code.
        blocks: ("text" or "html", content), in order.
        measured: whether anything that can be noisy was measured.
        noisy: whether a measurement said that it cannot be trusted.
        spread: the largest of all measurements.
        broken: a sentence about a law that a number breaks; empty without one.
        day, machine: when and where the cell ran.
        pictures: file name -> PNG; the blocks name them after PICTURES.
    """

    code: str
    blocks: list[tuple[str, str]]
    measured: bool
    noisy: bool
    spread: float
    broken: str
    day: str
    machine: str
    pictures: dict[str, bytes] = field(default_factory=dict)

    @property
    def doubt(self) -> tuple[bool, bool, float]:
        """Smaller is quieter: a broken law weighs more than noise, and noise more than spread."""
        return bool(self.broken), self.noisy, self.spread

    @property
    def reason(self) -> str:
        """Why the outcome cannot be trusted."""
        if self.broken or not math.isfinite(self.spread):
            return self.broken or "a measurement was 0"
        from tinytorch.profiler.recording.thresholds import NOISY_SPREAD

        if self.spread <= NOISY_SPREAD:  # a verdict knows that it is in doubt, and no spread
            return "the profiler saw that the machine was busy"
        most = f"{NOISY_SPREAD:.0%} is the most"
        return f"repeated measurements had a spread of {self.spread:.0%}, and {most}"


def code_digest(source: str) -> str:
    return hashlib.sha256(source.strip().encode()).hexdigest()[:16]


def outcome_of(
    name: str, source: str, blocks: list[tuple[str, str]], heard: list[dict[str, Any]]
) -> Outcome:
    """The outcome of a cell that ran just now.

    Args:
        name: of the cell; its pictures are called after it.
        heard: what `noisy_results.taken` of the kernel gave.
    """
    pictures: dict[str, bytes] = {}
    return Outcome(
        code_digest(source),
        [(kind, _taken_out(text, name, pictures)) for kind, text in blocks],
        bool(heard),
        any(one["noisy"] for one in heard),
        max((one["spread"] for one in heard), default=0.0),
        next((one["broken"] for one in heard if one["broken"]), ""),
        datetime.date.today().isoformat(),
        this_machine(),
        pictures,
    )


def this_machine() -> str:
    return (
        f"{platform.system()} on {platform.machine()} with {os.cpu_count()} cores,"
        f" Python {platform.python_version()}"
    )


def _taken_out(html: str, name: str, pictures: dict[str, bytes]) -> str:
    """The text with the address of a file in place of each large picture in it."""

    def address(match: re.Match[str]) -> str:
        before, theme, data = match[1] or "", match[2], match[3]
        if len(data) < LEAST_FILE and not theme:
            return match[0]
        number = 1 + sum(theme is None or theme in file for file in pictures)
        file = f"{name}-{number}{f'-{theme}' if theme else ''}.png"
        pictures[file] = base64.b64decode(data)
        return f'{before}src="{PICTURES}{file}"'

    return _DATA.sub(address, html)


def choose(source: str, ran: Outcome | None, record: Outcome | None) -> tuple[Outcome | None, str]:
    """Which outcome a page shows, and the sentence that says where it is from; the sentence is
    empty for a quiet outcome of this build.

    Args:
        source: the cell's code; a record of other code is not shown.
        ran: of this build; None for a draft.
    """
    if ran and not ran.noisy:
        return ran, ""
    if record and record.code == code_digest(source) and not record.noisy:
        where = f"Recorded on {record.day} on {record.machine}."
        busy = "When this page was built, the machine was too busy to measure"
        return record, f"{where} {busy}: {ran.reason}." if ran else where
    return ran, f"**Noisy, do not compare these numbers:** {ran.reason}." if ran else ""


def save(outcome: Outcome, folder: Path, name: str) -> None:
    """Write NAME.json and the pictures, in place of what an earlier outcome of the cell left."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob(f"{name}-*.png"):
        path.unlink()
    content = {**asdict(outcome), "pictures": sorted(outcome.pictures)}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")
    for file, png in outcome.pictures.items():
        (folder / file).write_bytes(png)


def load(folder: Path, name: str) -> Outcome | None:
    """What `save` wrote; None where there is nothing."""
    path = folder / f"{name}.json"
    if not path.is_file():
        return None
    content = json.loads(path.read_text(encoding="utf-8"))
    content["blocks"] = [(kind, text) for kind, text in content["blocks"]]
    content["pictures"] = {file: (folder / file).read_bytes() for file in content["pictures"]}
    return Outcome(**content)
