"""The measured row of the landing page's comparison: what benchmarks/compare_loaders.py found on a
machine that did nothing else, in site/_records/loaders.json.

Record it again, where the loaders of benchmarks/peers.txt are installed:

    python benchmarks/compare_loaders.py --case memory --json loaders.json
    python site/_tools/landing_comparison.py loaders.json

A noisy row is measured again with `--only`, and both files are given: the quieter row counts.
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from pathlib import Path
from typing import Any

RECORD = Path("_records") / "loaders.json"
TASK = "memory uint8"
# For each library the loader as it is mostly used, then the fastest that it offers.
ROWS = {
    "ours": ("ours: one gather",),
    "naive": ("naive: index and np.stack",),
    "fastai": (
        "fastai: TensorDataset, 0 workers",
        "fastai: create_batches with X[idx], 0 workers",
    ),
    "pytorch": (
        "pytorch: TensorDataset, 0 workers",
        "pytorch: __getitems__ with index_select, 0 workers",
    ),
}
SHOWN = ("NumPy", "torch", "fastai")  # versions of other libraries are of no use here
NOISY = 0.15  # a larger spread is no finding
_PLACE = re.compile(r"<!-- xg: (\w+) -->")


def filled(text: str, site: Path) -> str:
    """The page with the recorded figures in the places `<!-- xg: NAME -->`."""
    if not _PLACE.search(text):
        return text
    record = json.loads((site / RECORD).read_text(encoding="utf-8"))

    def place(match: re.Match[str]) -> str:
        if match[1] == "when":
            return f"Recorded on {record['day']} on {record['machine']}."
        return " to ".join(f"{record['xg'][name]:.1f}" for name in reversed(ROWS[match[1]]))

    return _PLACE.sub(place, text)


def record_of(results: list[dict[str, Any]], day: str) -> dict[str, Any]:
    """What the page needs of the benchmark's results.

    Raises:
        ValueError: a row is missing or noisy in all results, or a run was a quick one.
    """
    if any(result["quick"] for result in results):
        raise ValueError("a quick run is no finding; leave --quick out")
    tasks = [task for result in results for task in result["cases"] if task["case"] == TASK]
    measured = [row for task in tasks for row in task["rows"] if "xg" in row]
    # of the rows of one loader, the quietest comes last and stays
    rows = {row["loader"]: row for row in sorted(measured, key=lambda row: -row["xg_spread"])}
    names = [name for names in ROWS.values() for name in names]
    for name in names:
        if name not in rows:
            raise ValueError(f"{name} was not measured")
        if rows[name]["xg_spread"] > NOISY:
            raise ValueError(
                f"{name} has a spread of {rows[name]['xg_spread']:.0%}, above {NOISY:.0%}; make the"
                " machine quiet and measure again"
            )
    machine = results[0]["machine"]
    versions = {"NumPy": machine["numpy"], **machine["versions"]}
    shown = ", ".join(f"{name} {versions[name]}" for name in SHOWN if name in versions)
    return {
        "day": day,
        "machine": f"{machine['machine']} with {machine['cpus']} cores, {shown}",
        "xg": {name: rows[name]["xg"] for name in names},
        "spread": {name: rows[name]["xg_spread"] for name in names},
    }


if __name__ == "__main__":
    SITE = Path(__file__).resolve().parents[1]
    RESULTS = [json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:]]
    FOUND = record_of(RESULTS, datetime.date.today().isoformat())
    (SITE / RECORD).write_text(json.dumps(FOUND, indent=1) + "\n", encoding="utf-8")
