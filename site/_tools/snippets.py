"""Run the `>>>` lines of pages: `python snippets.py PAGE ...` prints each line that gives
something else, and ends with 1.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from grading.authoring.check.about_page import snippets
from grading.authoring.variants import jobs


def faults(path: Path) -> list[str]:
    """What is wrong on a page, a text a line; its snippets share their names, as on a page that
    is read from top to bottom.
    """
    code, _ = snippets(path.read_text(encoding="utf-8"))
    found = []
    for row in jobs.page({"page": code, "title": path.name}):
        raised = row["status"] == "error"
        gives = f"raises {row['got']}" if raised else f"gives {row['got']!r}"
        wanted = "" if raised else f"\n  not   {row['want']!r}"
        found.append(f"{path}:{row['line']}: {row['call']}\n  {gives}{wanted}")
    return found


if __name__ == "__main__":
    warnings.simplefilter("error")
    wrong = [line for name in sys.argv[1:] for line in faults(Path(name))]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)
