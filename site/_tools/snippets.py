"""Run the `>>>` lines of pages: `python snippets.py PAGE ...` prints each line that gives
something else, and ends with 1.
"""

from __future__ import annotations

import doctest
import sys
import warnings
from pathlib import Path

from grading.authoring.check.about import snippets


def faults(path: Path) -> list[str]:
    """What is wrong on a page, a text a line; its snippets share their names, as on a page that
    is read from top to bottom.
    """
    found: list[str] = []

    class Runner(doctest.DocTestRunner):
        def report_failure(self, out, test, example, got):
            found.append(
                f"{path}:{example.lineno + 1}: {example.source.strip()}\n  gives"
                f" {got.strip()!r}\n  not   {example.want.strip()!r}"
            )

        def report_unexpected_exception(self, out, test, example, exc_info):
            found.append(
                f"{path}:{example.lineno + 1}: {example.source.strip()}\n  raises"
                f" {exc_info[0].__name__}: {exc_info[1]}"
            )

    code, _ = snippets(path.read_text(encoding="utf-8"))
    Runner(optionflags=doctest.ELLIPSIS).run(
        doctest.DocTestParser().get_doctest(code, {}, path.name, str(path), 0)
    )
    return found


if __name__ == "__main__":
    warnings.simplefilter("error")
    wrong = [line for name in sys.argv[1:] for line in faults(Path(name))]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)
