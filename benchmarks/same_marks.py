"""Do two checkouts give the same marks, messages and pages? For a change that is to change nothing.

python benchmarks/same_marks.py OTHER_CHECKOUT [--submissions 40]

The same submissions of module 08 (right, wrong and hostile ones) are graded by each checkout's own
`tito`, with one seed. What is compared: every row of every report, the marks as CSV, test by test,
the class report and each feedback page, without times, memory and paths.
"""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # beside this file, `grading` is a benchmark, not the package
MAKER = importlib.util.spec_from_file_location("maker", ROOT / "benchmarks" / "grading.py")
maker = importlib.util.module_from_spec(MAKER)
MAKER.loader.exec_module(maker)
MODULE = maker.MODULE
# Seeds are drawn; here both checkouts draw the same one.
FIXED_SEED = (
    "import secrets\n"
    "secrets.randbelow = lambda below: 20261122 % below\n"
    "secrets.randbits = lambda bits: 20261122 % 2**bits\n"
    "import random\n"
    "random.SystemRandom.getrandbits = lambda self, bits: 20261122 % 2**bits\n"
)
MEASURED = {"seconds", "stages", "content", "peak_memory_bytes", "recorded", "digest"}
NUMBERS = re.compile(
    r"/[^\s<>\"']*|\b\d+([.,]\d+)?\s?(s|ms|MB|MiB|kB|KiB|GB)\b|0x[0-9a-f]+|[0-9a-f]{12,}"
)


class Words(HTMLParser):
    """The text of a page, a line for each piece."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._hidden += tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("style", "script")

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._hidden:
            self.lines.append(" ".join(data.split()))


def plain(value: Any) -> Any:
    """A report without what no two runs have in common."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in sorted(value.items()) if key not in MEASURED}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return NUMBERS.sub("~", value) if isinstance(value, str) else value


def grade(checkout: Path, place: Path, submitted: Path) -> dict[str, list[str]]:
    """Name -> lines of everything that this checkout makes of the submissions."""
    (place / "fixed").mkdir(parents=True)
    (place / "fixed" / "sitecustomize.py").write_text(FIXED_SEED, encoding="utf-8")
    course = place / "class"

    def tito(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "tito", "grade", *words, "--course", str(course)],
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": f"{place / 'fixed'}{os.pathsep}{checkout}"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1):
            raise SystemExit(f"{checkout}: tito grade {' '.join(words)}: {done.stderr[-2000:]}")
        return done.stdout

    tito("release", MODULE)
    shutil.copytree(submitted, course / "submitted")
    tito("autograde", MODULE, "--jobs", "2")
    tito("report", MODULE)
    tito("feedback", MODULE)
    found = {"marks": tito("export", MODULE).splitlines()}
    for path in sorted((course / "reports" / MODULE).glob("s*.json")):
        report = plain(json.loads(path.read_text(encoding="utf-8")))
        found[f"points {path.stem}"] = [
            f"{cell['grade_id']}: {cell['points']}" for cell in report["cells"]
        ]
        found[f"report {path.stem}"] = json.dumps(report, indent=1, sort_keys=True).splitlines()
    pages = [*(course / "feedback").rglob("*.html"), *(course / "reports").rglob("*.html")]
    for path in sorted(pages):
        words = Words()
        words.feed(path.read_text(encoding="utf-8"))
        name = path.relative_to(course).as_posix()
        # the slowest submissions are listed in the order of their times
        found[name] = [" ".join(sorted(NUMBERS.sub("~", line).split())) for line in words.lines]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("other", type=Path)
    parser.add_argument("--submissions", type=int, default=40)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        maker.make_class(place / "made", chosen.submissions, hostile_every=10, demos=False)
        submitted = place / "made" / "submitted"
        before = grade(chosen.other.resolve(), place / "before", submitted)
        after = grade(ROOT, place / "after", submitted)
    differing = 0
    for name in sorted(before.keys() | after.keys()):
        lines = list(
            difflib.unified_diff(before.get(name, []), after.get(name, []), lineterm="", n=0)
        )
        if lines:
            differing += 1
            print(name, *lines[:12], sep="\n  ")
    print(f"{chosen.submissions} submissions, {len(before)} reports and pages, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
