"""Record what the demo cells show, for machines that are too busy to measure. Run it on a machine
that does nothing else:

    python site/_tools/record_demos.py            # every page
    python site/_tools/record_demos.py NN         # one module
    python site/_tools/record_demos.py landing    # the landing page

Each cell that measures runs at most three times; a noisy outcome is not written, and the exit code
is then 1. Cells that measure nothing need no record.
"""

from __future__ import annotations

import importlib
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    from tito.verbs import load, verbs

    load(verbs("site")["build"])  # imports the folder site/_tools under the name site_tools
    sys.exit(importlib.import_module("site_tools.record_demos").main())

from tito.workspace import Workspace  # noqa: E402

from . import demo_outcomes, executed, landing, measured_page  # noqa: E402
from .build import environment, make_package  # noqa: E402

if TYPE_CHECKING:
    from .demo_outcomes import Outcome


def write(page: str, made: Mapping[str, Outcome], site: Path) -> list[str]:
    """Write the quiet outcomes of a page's measuring cells as records, and remove records of
    cells that no longer measure. Return a sentence for each noisy outcome, which is not written.
    """
    folder, refused = site / measured_page.RECORDS / page, []
    measuring = {name for name, outcome in made.items() if outcome.measured}
    for path in sorted(folder.glob("*.json")):
        if path.stem not in measuring:
            for old in [path, *folder.glob(f"{path.stem}-*.png")]:
                old.unlink()
    for name in sorted(measuring):
        if made[name].noisy:
            refused.append(f"{page}, {name} is not recorded: {made[name].reason}")
        else:
            demo_outcomes.save(made[name], folder, name)
    return refused


def record(root: Path, names: list[str]) -> list[str]:
    """Run the cells of the named pages, or of all, and write their records.

    Args:
        names: of modules, and "landing" for the landing page.

    Returns:
        A sentence for each cell that stayed noisy.
    """
    workspace = Workspace(root)
    wanted = [name for name in names if name != landing.NAME]
    modules = [workspace.module(name) for name in wanted] or ([] if names else workspace.modules())
    pages = [executed.shown_by(module) for module in modules]
    if landing.NAME in names or not names:
        pages.append(landing.shown_on(root / "site"))
    refused: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        package, _ = make_package(root, Path(name))
        around = environment(root, package)
        for shown in pages:
            made = executed.run(shown, around, package, print)
            refused += write(shown.name, made, root / "site")
    if not names:
        present = {shown.name for shown in pages}
        for folder in (root / "site" / measured_page.RECORDS).glob("*"):
            if folder.is_dir() and folder.name not in present:
                shutil.rmtree(folder)
    return refused


def main() -> str | None:
    left = record(ROOT, sys.argv[1:])
    print(*left, sep="\n")
    again = "Make the machine quiet, then run it again: python site/_tools/record_demos.py"
    return again if left else None
