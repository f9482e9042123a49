"""The jobs of `tito dev check`, each of which `grading.authoring.variants.worker` runs in a fork:

{"kind": "cells", "cells": [{index, label, is_test, source}], "cell_seconds": s}
    rows as tito.run.cell_worker.measure gives them
{"kind": "contracts", "export": the exported file, "text": its text, "arguments": [...],
 "report": file, "environment": {...} if it needs one of its own}
{"kind": "page", "export", "text", "title": "ABOUT.md", "page": the snippets, everything else
 blank}
"""

import contextlib
import doctest
import importlib
import io
import os
import sys
import traceback
import types
from pathlib import Path
from typing import Any

from tito.contract import outcome_file
from tito.outcome import Outcome
from tito.run import cell_worker


def cells(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the cells as tito.run.cell_worker does, in a fresh `__main__` without a file, like
    Jupyter's.
    """
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    return [
        cell_worker.measure(cell, main.__dict__, job["cell_seconds"]).as_json()
        for cell in job["cells"]
    ]


def contracts(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Run pytest here; the rows are what the plugin of the contract tests reports."""
    import pytest

    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = int(pytest.main(job["arguments"]))
    rows = [outcome.as_json() for outcome in outcome_file.read(Path(job["report"]))]
    if code not in (0, 1) or not rows:
        said = f"exit code {code}: {output.getvalue()[-1500:]}"
        rows.append(Outcome("error", "pytest", message=said).as_json())
    return rows


def page(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Run every `>>>` line of a page in one namespace; a row for each that printed something
    else.
    """
    rows: list[dict[str, Any]] = []
    namespace = {"__name__": "__main__"}
    test = doctest.DocTestParser().get_doctest(
        job["page"], namespace, job["title"], job["title"], 0
    )

    class Runner(doctest.DocTestRunner):
        def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
            raised = False
            if got.startswith("Traceback"):
                got = got.strip().splitlines()[-1]
                raised = got.partition(":")[0] not in (example.exc_msg or "")
            self.add(example, got, raised)

        def report_unexpected_exception(
            self, out: Any, test: Any, example: Any, exc_info: Any
        ) -> None:
            got = "".join(traceback.format_exception_only(*exc_info[:2]))
            self.add(example, got, raised=True)

        def add(self, example: Any, got: str, raised: bool) -> None:
            rows.append(
                {
                    "line": example.lineno + 1,
                    "source": example.source.strip(),
                    "got": got.strip(),
                    "want": example.want.strip(),
                    "raised": raised,
                }
            )

    Runner(optionflags=doctest.ELLIPSIS).run(test)
    return rows


KINDS = {"cells": cells, "contracts": contracts, "page": page}


def do(job: dict[str, Any], scratch: Path) -> dict[str, Any]:
    """The rows of one job, or its problem; `scratch` is the workspace of this process."""
    os.environ.update(job.get("environment", {}))
    try:
        if "export" in job:
            (scratch / job["export"]).write_text(job["text"], encoding="utf-8")
            importlib.invalidate_caches()
        if job["kind"] == "contracts":
            os.chdir(scratch)
        return {"rows": KINDS[job["kind"]](job)}
    except BaseException:  # noqa: BLE001 - it is the job's answer
        return {"rows": [], "problem": traceback.format_exc()[-3000:]}
