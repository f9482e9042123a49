"""Runs each loader in processes of its own."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from machine import ROOT

from peers import bars
from peers.figures import with_figures
from peers.workload import Request, key_of

INSTALL = "not installed: pip install -r benchmarks/peers.txt"


@dataclass(frozen=True)
class Task:
    """A case at one size."""

    case: str
    samples: int

    def rows(
        self, peers: dict[str, ModuleType], only: Sequence[str] = ()
    ) -> dict[str, tuple[str, str]]:
        """{name of the row: (peer, variant)}: those with one of the texts `only` in their name, and
        those that a bar compares with them; all of them if there are no texts.
        """
        rows = {
            f"{short(name)}: {variant}": (name, variant)
            for name, peer in peers.items()
            for variant in peer.ROWS.get(key_of(self.case), ())
        }
        if not only:
            return rows
        asked = [row for row in rows if any(_plain(text) in _plain(row) for text in only)]
        kept = bars.compared(self.case, asked, rows)
        return {row: place for row, place in rows.items() if row in kept}


def _plain(text: str) -> str:
    return text.lower().replace("_", " ")


def short(name: str) -> str:
    return Path(name).stem if name.endswith(".py") else name


def missing(peer: ModuleType) -> bool:
    return any(importlib.util.find_spec(name) is None for name in peer.NEEDS)


def run(
    task: Task,
    peers: dict[str, ModuleType],
    options: argparse.Namespace,
    env: dict[str, str],
    folder: Path,
) -> dict[str, Any]:
    """Every row of one case: {"case", "samples", "rows"}. Each row is timed in
    `options.rounds` rounds, which `options.laps` processes share ("order" and "resident" need one);
    a process may take `options.limit` seconds.
    """
    rows: dict[str, dict[str, Any]] = {}
    laps = 1 if task.case in ("order", "resident") else min(options.laps, options.rounds)
    for lap in range(laps):
        rounds = options.rounds // laps + (lap < options.rounds % laps)
        how = {"quick": options.quick, "clock": options.clock, "first": lap == 0}
        for row, (name, variant) in task.rows(peers, options.only).items():
            if missing(peers[name]):
                rows[name] = {"loader": short(name), "reason": INSTALL}
                continue
            if "reason" in rows.setdefault(row, {"loader": row, "rounds": []}):
                continue
            _progress(f"  {task.case}, lap {lap + 1}: {row}")
            place = (name, variant, task.case, task.samples)
            request = Request(*place, rounds=rounds, **how)
            record = run_child(request, env, options.limit, folder / "record.json")
            record["rounds"] = rows[row]["rounds"] + record.pop("rounds", [])
            rows[row].update(record)
    _progress("")
    figures = [with_figures(row, task.samples) for row in rows.values()]
    return {"case": task.case, "samples": task.samples, "rows": figures}


def _progress(text: str) -> None:
    print(text.ljust(100)[:100], end="\r", file=sys.stderr, flush=True)


def export_references(destination: Path) -> Path:
    """A scratch package whose tinytorch holds the reference solutions of the module and of all its
    labs, as `tito export` would write them.
    """
    from grading.engine.course.references import write_references
    from tito.workspace import Workspace

    course = Workspace(ROOT)
    course.copy_package(destination)
    write_references(course.modules(), destination)
    return destination


def environment(package: Path) -> dict[str, str]:
    from tito.child_processes import ONE_THREAD

    # PyTorch's own threads, which OpenMP runs, keep the default of this machine.
    threads = {name: one for name, one in ONE_THREAD.items() if name != "OMP_NUM_THREADS"}
    return {
        **os.environ,
        **threads,
        "PYTHONPATH": os.pathsep.join([str(package), str(ROOT / "benchmarks")]),
        "PYTHONUTF8": "1",
    }


def run_child(request: Request, env: dict[str, str], limit: float, path: Path) -> dict[str, Any]:
    """The record of one process, or {"reason": why there is none}."""
    path.unlink(missing_ok=True)
    words = ["-m", "peers.child", json.dumps(dataclasses.asdict(request)), str(path)]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    around = {"env": env, "cwd": path.parent, "start_new_session": True, **streams}
    with subprocess.Popen([sys.executable, *words], **around) as process:
        try:
            _, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return {"reason": f"ended after {limit:g} s, the time limit for one process (--limit)"}
        finally:
            end(process)
    if process.returncode != 0 or not path.exists():
        said = errors.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        return {"reason": f"failed with {process.returncode}: {said[-1].strip()[:160]}"}
    record = json.loads(path.read_text(encoding="utf-8"))
    return {"reason": record["absent"]} if "absent" in record else record


def end(process: subprocess.Popen) -> None:
    """End the process and its workers, which are in its process group (on POSIX systems)."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
