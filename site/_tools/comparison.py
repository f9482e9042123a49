"""The measured row of the landing page's comparison: what benchmarks/loaders.py found on a machine
that did nothing else, in site/_records/loaders.json.

Record it again, where the loaders of benchmarks/peers.txt are installed:

    python benchmarks/loaders.py --case memory --json loaders.json
    python site/_tools/comparison.py loaders.json
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
NOISY = 0.15  # a larger spread is no finding
_PLACE = re.compile(r"<!-- xg: (\w+) -->")


def filled(text: str, site: Path) -> str:
    """The page with the recorded figures in the places `<!-- xg: NAME -->`."""
    if not _PLACE.search(text):
        return text
    record = json.loads((site / RECORD).read_text(encoding="utf-8"))

    def place(found: re.Match[str]) -> str:
        if found[1] == "when":
            return f"Recorded on {record['day']} on {record['machine']}."
        return " to ".join(f"{record['xg'][name]:.1f}" for name in reversed(ROWS[found[1]]))

    return _PLACE.sub(place, text)


def record_of(result: dict[str, Any], day: str) -> dict[str, Any]:
    """What the page needs of the benchmark's result.

    Raises:
        ValueError: a row is missing or noisy, or the run was a quick one.
    """
    if result["quick"]:
        raise ValueError("a quick run is no finding; leave --quick out")
    task = next((task for task in result["cases"] if task["case"] == TASK), {"rows": []})
    rows = {row["loader"]: row for row in task["rows"]}
    for name in (name for names in ROWS.values() for name in names):
        if "xg" not in rows.get(name, {}):
            raise ValueError(f"{name} was not measured")
        if rows[name]["xg_spread"] > NOISY:
            raise ValueError(
                f"{name} has a spread of {rows[name]['xg_spread']:.0%}, above {NOISY:.0%}; make the"
                " machine quiet and measure again"
            )
    machine = result["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return {
        "day": day,
        "machine": f"{machine['machine']} with {machine['cpus']} cores, NumPy {machine['numpy']},"
        f" {versions}",
        "xg": {name: rows[name]["xg"] for names in ROWS.values() for name in names},
        "spread": {name: rows[name]["xg_spread"] for names in ROWS.values() for name in names},
    }


if __name__ == "__main__":
    SITE = Path(__file__).resolve().parents[1]
    RESULT = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    FOUND = record_of(RESULT, datetime.date.today().isoformat())
    (SITE / RECORD).write_text(json.dumps(FOUND, indent=1) + "\n", encoding="utf-8")
