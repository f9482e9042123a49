"""A recording of the coach: exercises 1 to 4 of module 08 in a terminal of 24 lines and 80 columns,
with six mistakes. At every moment the last lines are the red that matters and the keys.
"""

import json
import os
import shutil
from pathlib import Path

import pytest

from grading.authoring.check.splice import splice
from grading.engine.course.references import source_path
from grading.engine.course.variants import misconception
from tito.notebook.cells import cells_of, read_percent
from tito.notebook.exercises import exercises
from tito.workspace import Workspace

REPO = Path(__file__).resolve().parents[2]
NAME = "08_dataloader"
# each exercise with its mistake; the screen says the sentence that the mistake breaks
STORY = [
    ("1a", "dataset", "names_the_base_class"),
    ("1b", "subset", "index_of_the_whole_dataset"),
    ("2a", "tensor_dataset_init", "cuts_to_the_shortest"),
    ("2b", "tensor_dataset_getitem", "casts_to_float32"),
    ("3a", "epoch_order", "no_colon"),
    ("4a", "stack_samples", "concatenates"),
    ("4b", "collate", None),
]
MISTAKES = REPO / "grading" / "misconceptions" / NAME


class Student:
    """Who saves the notebook, one exercise at a time."""

    def __init__(self, root):
        (root / "modules").mkdir(parents=True)
        hidden = shutil.ignore_patterns("__pycache__", "dataloader.py")
        shutil.copytree(REPO / "tinytorch", root / "tinytorch", ignore=hidden)
        shutil.copytree(REPO / "modules" / NAME, root / "modules" / NAME)
        self.module = Workspace(root).module(NAME)
        self.module.script.unlink()
        self.reference = read_percent(source_path(Workspace(REPO).module(NAME)))

    def save(self, exercise, mistake):
        cells = self.reference
        if mistake:
            cells = splice(cells, misconception(MISTAKES, f"{exercise}/{mistake}"))
        source = next(cell.source for cell in cells if cell.grade_id == exercise)
        self.write(exercise, source)

    def write(self, exercise, source):
        notebook = json.loads(self.module.notebook.read_text(encoding="utf-8"))
        for cell, raw in zip(cells_of(notebook), notebook["cells"], strict=True):
            if cell.grade_id == exercise:
                raw["source"] = source
        text = json.dumps(notebook, indent=1)
        self.module.notebook.write_text(text, encoding="utf-8", newline="\n")


@pytest.mark.skipif(os.name != "posix", reason="a pseudo terminal")
def test_six_mistakes_in_exercises_1_to_4_are_each_the_last_lines_of_the_screen(tmp_path):
    from coach_terminal import KEYS, Terminal

    student = Student(tmp_path / "course")
    terminal = Terminal(student.module.root, "08")
    try:
        for done, (number, exercise, mistake) in enumerate(STORY):
            place, said = f"{done} of 29 · {number}", ""
            terminal.wait_for(place, f"{number} {exercise}")
            if mistake == "no_colon":
                said = "SyntaxError: expected ':'"
                broken = next(c.source for c in student.reference if c.grade_id == exercise)
                student.write(exercise, broken.replace(":\n", "\n"))
            elif mistake:
                # so much of the sentence stands in one line
                wrong = misconception(MISTAKES, f"{exercise}/{mistake}")
                said = wrong.breaks(exercises(student.reference))[1][0].plain[:40]
                student.save(exercise, mistake)
            if said:
                lines = terminal.wait_for(place, said)
                assert lines[-2:] == ["", KEYS] and lines[1].startswith("✗ "), lines
            student.save(exercise, None)
        terminal.wait_for("7 of 29 · 5a", "5a data_loader_init")
        for frame in terminal.frames()[:-1]:
            lines = frame.split("\n")
            assert len(lines) <= 24 and max(map(len, lines)) < 80 and lines[-1] == KEYS, frame
            place = lines[0].split(" · ")[1]
            said = lines[1].replace("✗ cell", f"✗ {place}")  # of a cell that Python cannot read
            assert f" {place} " in f" {said} ", frame
    finally:
        terminal.close()
