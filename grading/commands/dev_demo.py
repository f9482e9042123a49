"""Play a module with a sample student, from the release to the mark and the feedback."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tito.commands._arguments import MODULE

if TYPE_CHECKING:
    from grading.authoring.demo import Stage
    from tito.workspace import Module


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("module", nargs="?", help=f"{MODULE}; the first one without it")
    text = "a wrong solution that the sample student has; may be repeated"
    add("--mistake", action="append", default=[], metavar="EXERCISE/NAME", help=text)


def run(args: argparse.Namespace) -> int:
    from grading.authoring import demo
    from grading.engine.course.references import write_references
    from grading.engine.sandbox import temporary_folders
    from tito.workspace import Workspace, find_workspace

    root = find_workspace().root
    module = Workspace(root).module(args.module or Workspace(root).modules()[0].name)
    out = demo.clean_out(root)
    with temporary_folders.folder("demo") as folder:
        stage = demo.set_stage(root, folder)
        student = Workspace(stage.workspace).module(module.name)
        # earlier weeks are done
        write_references(Workspace(stage.workspace).before(student), stage.workspace)
        _say("1. The instructor releases the notebook, without answers")
        _show(stage.tito("grade", "release", module.name, "--course", stage.classroom))
        _say("2. A student fills the stubs, exports and tests")
        for belief in demo.play_student(student, args.mistake):
            print(f"   believes: {belief}")
        _show(stage.tito("export", module.name))
        _show(stage.tito("test", module.name, allowed=(0, 1)), last=3)
        _say("3. The exported package at work: the demos of the notebook")
        for cell, printed, pictures, seconds in demo.run_demo_cells(student, stage, out):
            drawn = [f"  -> {path.relative_to(root)}" for path in pictures]
            _show("\n".join([f"{cell.name} ({seconds:.1f} s): {printed}", *drawn]))
        _say("4. The student submits; the grader grades")
        inbox = stage.folder / "inbox"
        inbox.mkdir()
        _show(stage.tito("submit", module.name, "--student", "ada", "--output", inbox), last=2)
        for words in (["collect", inbox], ["autograde", module.name]):
            _show(stage.tito("grade", *words, "--course", stage.classroom), last=3)
        for question, points in _questions(student):
            comment = ("--comment", "Say what you measured, in numbers.")
            given = ("ada", question, f"{min(1.5, points):g}", *comment)
            stage.tito("grade", "mark", *given, "--course", stage.classroom)
        _say("5. What the student gets back")
        return _give_back(stage, student, out, root)


def _questions(module: Module) -> list[tuple[str, float]]:
    """The name and the points of each question."""
    from tito.notebook.cells import read_ipynb

    questions = [cell for cell in read_ipynb(module.notebook) if cell.nbgrader.get("task")]
    return [(cell.name, float(cell.nbgrader.get("points") or 0)) for cell in questions]


def _give_back(stage: Stage, module: Module, out: Path, root: Path) -> int:
    import csv
    import shutil

    _show(stage.tito("grade", "feedback", module.name, "--course", stage.classroom), last=1)
    marks = out / "marks.csv"
    stage.tito("grade", "export", module.name, "--course", stage.classroom, "--to", marks)
    page = next((stage.classroom / "feedback").rglob("*.html"))
    shutil.copy2(page, out / "feedback.html")
    with marks.open(encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file))
    print()
    print(f"mark:     {float(row['total']):g} of {float(row['max']):g} points  (out/marks.csv)")
    print(f"feedback: {(out / 'feedback.html').relative_to(root)}")
    pictures = sorted(str(path.relative_to(root)) for path in out.glob("*.png"))
    print(f"pictures: {', '.join(pictures) or 'none; demo cells would draw them'}")
    return 0


def _say(title: str) -> None:
    print(f"\n{title}", flush=True)


def _show(text: str, last: int = 8) -> None:
    for line in text.strip().splitlines()[-last:]:
        print(f"   {line}", flush=True)
