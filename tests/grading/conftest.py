"""One tiny class for all tests of the engine. It is made, collected and graded once, with the real
nbgrader and real kernels.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import honest_work
import pytest

from grading.authoring import release
from grading.authoring.new_module import new_module
from grading.engine.course.directory import Course
from grading.engine.intake import collect
from grading.engine.run import autograde
from grading.engine.run.grading_kit import Kit
from helpers.inboxes import manifest, packed, put
from helpers.tiny_class import Class, grade, isolates
from helpers.tiny_course import cell_of, fill, make_workspace
from helpers.written_marks import DUE, blank, released_course, set_due
from tito.workspace import Module, Workspace, find_workspace


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A released tiny course."""
    made = Workspace(make_workspace(tmp_path_factory.mktemp("tiny") / "repository"))
    release.release(made.module("07"), made)
    return made


@pytest.fixture(scope="session")
def sample_module(tmp_path_factory: pytest.TempPathFactory) -> Module:
    """A workspace with the given package and one new module, which tests copy and do not change."""
    root = tmp_path_factory.mktemp("course").resolve()
    (root / "modules").mkdir()
    find_workspace(__file__).copy_package(root)
    return new_module(Workspace(root), "09_spatial")


@pytest.fixture(scope="session")
def released(workspace: Workspace) -> dict:
    return json.loads(workspace.module("07").notebook.read_text(encoding="utf-8"))


ANSWER = (
    "Because the *caller* may change the"
    " list.\n\n<script>alert(1)</script> <img src=x onerror=alert(2)>"
)


def submissions(released: dict) -> dict[str, str]:
    """The notebook of each student, as text."""
    finished = fill(released, answer=ANSWER)
    cell_of(finished, "q-why")["source"] += "\n\nTyped into the locked cell."
    copied = fill(released)
    copied["cells"].append({**json.loads(json.dumps(cell_of(copied, "test-box"))), "id": "a-copy"})
    copied["cells"] = [
        cell for cell in copied["cells"] if cell["id"] not in ("test-double", "q-why")
    ]
    retyped = fill(released)
    cell_of(retyped, "box").update(cell_type="raw")
    notebooks = {
        "retyped": retyped,
        "finished": finished,
        "stub": released,
        "partly": fill(released, double="return abs(2 * x)", init="self.things = list(things)[:2]"),
        "copied": copied,
        "loop": fill(released, double="while True: pass"),
        "killer": fill(released, length="import os; os._exit(3)"),
        **honest_work.notebooks(released),
    }
    return {
        **{name: json.dumps(notebook) for name, notebook in notebooks.items()},
        "broken": '{"cells": [}',
    }


@pytest.fixture(scope="session")
def class_of_tiny(
    once: Callable, workspace: Workspace, released: dict, tmp_path_factory: pytest.TempPathFactory
) -> Class:
    """Submissions, and one student who handed in nothing: released, collected, graded."""
    made = once("class-of-tiny", lambda folder: make_class(folder, workspace, released))
    root = shutil.copytree(made.course.root, tmp_path_factory.mktemp("class") / "course")
    course = Course(root)
    module = course.assignment("07", workspace)
    return dataclasses.replace(made, workspace=workspace, course=course, module=module)


def make_class(folder: Path, workspace: Workspace, released: dict) -> Class:
    course = Course.create(folder / "course", workspace)
    release.release_to_course(workspace.module("07"), course)
    module = course.assignment("07", workspace)
    with course.book() as book:
        book.add_student("absent")
        book.update_or_create_assignment(module.name, duedate=DUE)
    inbox = folder / "inbox"
    for student, text in submissions(released).items():
        name = "mine.ipynb" if student == "partly" else "tiny_dev.ipynb"
        at = f"2026-11-20T{15 if student == 'stub' else 10}:00:00+0000"
        facts = manifest(student=student, time=at)
        put(inbox / f"{student}.zip", packed({name: text, "manifest.json": facts}))
    lines = collect.collect(course, module, [inbox])
    course.submitted("emptyhanded", module).mkdir(parents=True)
    # Endless submissions get tight limits. The others get wide ones, so that they do not reach a
    # limit on a busy machine.
    tight, wide = (
        autograde.Limits(
            cell_seconds=seconds, notebook_seconds=120, test_seconds=60, contract_seconds=240
        )
        for seconds in (2, 60)
    )
    graded = grade(course, module, students=["loop"], limits=tight, jobs=2)
    rest = grade(course, module, limits=wide, jobs=2)
    graded += [one for one in rest if one.student != "loop"]
    return Class(
        workspace,
        module,
        course,
        {line.student: line for line in lines},
        {one.student: one for one in graded},
    )


@pytest.fixture(scope="session")
def walls() -> None:
    """Skip a test that grades a class by the command line or on a cluster where nothing
    isolates.
    """
    if not isolates():
        pytest.skip("NOT ISOLATED here: a class is graded where namespaces or bubblewrap work")


@pytest.fixture
def own_class(class_of_tiny: Class, tmp_path: Path) -> Class:
    """A copy of the class, for a test that changes a grade or a report, because other tests read
    the original in any order.
    """
    return class_of_tiny.copy(tmp_path)


@pytest.fixture(scope="session")
def template(
    workspace: Workspace, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Course, Kit, Path]:
    """A course without students, its kit, and the released notebook."""
    course = Course(released_course(workspace.root))
    assignment = course.assignment("07", workspace)
    return (
        course,
        Kit.build(course, assignment, tmp_path_factory.mktemp("kit") / "kit", 7),
        course.released(assignment),
    )


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


@pytest.fixture
def room(workspace: Workspace, tmp_path: Path) -> Class:
    """A course where 07_tiny is released, without a due date, and nobody has handed in anything."""
    return blank(workspace, tmp_path)


@pytest.fixture
def due_room(workspace: Workspace, tmp_path: Path) -> Class:
    """The same, due at 12 UTC on 2026-11-20."""
    made = blank(workspace, tmp_path)
    set_due(made)
    return made
