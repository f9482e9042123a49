"""Record what the demo cells show, for machines that are too busy to measure. Run it on a machine
that does nothing else:

    python site/_tools/records.py            # every module
    python site/_tools/records.py NN         # one module

Each cell that measures runs at most three times; a noisy outcome is not written, and the exit code
is then 1. Cells that measure nothing need no record.
"""

from __future__ import annotations

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

from site_tools import analysis, executed, outcomes  # noqa: E402
from site_tools.build import environment, make_package  # noqa: E402

from tito.workspace import Workspace  # noqa: E402

if TYPE_CHECKING:
    from site_tools.outcomes import Outcome

    from tito.workspace import Module


def write(module: Module, made: Mapping[str, Outcome], site: Path) -> list[str]:
    """Write the quiet outcomes of a module's measuring cells as records, and remove records of
    cells that no longer measure. Return a sentence for each noisy outcome, which is not written.
    """
    folder, refused = site / analysis.RECORDS / module.name, []
    measuring = {name for name, outcome in made.items() if outcome.measured}
    for path in sorted(folder.glob("*.json")):
        if path.stem not in measuring:
            for old in [path, *folder.glob(f"{path.stem}-*.png")]:
                old.unlink()
    for name in sorted(measuring):
        if made[name].noisy:
            refused.append(f"{module.name}, {name} is not recorded: {made[name].reason}")
        else:
            outcomes.save(made[name], folder, name)
    return refused


def record(root: Path, names: list[str]) -> list[str]:
    """Run the demo cells of the named modules, or of all, and write their records.

    Returns:
        A sentence for each cell that stayed noisy.
    """
    workspace = Workspace(root)
    modules = [workspace.module(name) for name in names] or workspace.modules()
    refused: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        package, _ = make_package(root, Path(name))
        around = environment(root, package)
        for module in modules:
            made = executed.run(module, executed.demos(module), around, package, print)
            refused += write(module, made, root / "site")
    if not names:
        present = {module.name for module in modules}
        for folder in (root / "site" / analysis.RECORDS).iterdir():
            if folder.is_dir() and folder.name not in present:
                shutil.rmtree(folder)
    return refused


if __name__ == "__main__":
    FOUND = record(ROOT, sys.argv[1:])
    print(*FOUND, sep="\n")
    if FOUND:
        sys.exit("Make the machine quiet, then run it again: python site/_tools/records.py")
