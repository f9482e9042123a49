"""Grading by hand in nbgrader's formgrader as a test; the script `formgrader.py` beside this file
does it and keeps the pictures.
"""

import json

import pytest

ANSWER = (
    "Aliasing: the *caller* may change it. <script>alert(1)</script> <img src=x onerror=alert(2)>"
)


@pytest.mark.filterwarnings("ignore")  # nbgrader and SQLAlchemy warn about each other
def test_an_instructor_grades_an_answer_in_the_page(page, tmp_path):
    """The list of assignments, the answer beside its question and mark scheme, points and a
    comment; no script in the student's answer runs, and `export` shows the new points.
    """
    from sealed_course import sealed_course
    from tiny_course import fill

    from grading.authoring import release
    from grading.engine.course.directory import Course
    from grading.engine.intake import collect
    from grading.engine.marks import feedback
    from grading.engine.run import autograde

    workspace = sealed_course(tmp_path / "repository")
    module = workspace.module("07")
    course = Course.create(tmp_path / "class", workspace)
    release.release_to_course(module, course)
    notebook = fill(json.loads(module.notebook.read_text(encoding="utf-8")), answer=ANSWER)
    notebook["cells"].append(
        {"cell_type": "raw", "id": "raw", "metadata": {}, "source": "<script>alert(3)</script>"}
    )
    (tmp_path / "ann.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    assignment = course.assignment("07", workspace)
    collect.collect(course, assignment, [tmp_path / "ann.ipynb"])
    autograde.autograde(course, assignment)
    words = (
        "Why does a box copy its things?",
        "Two points for aliasing",
        "Aliasing: the caller may change it.",
        "<script>alert(1)</script>",
    )
    pictures = tmp_path / "pictures"
    assert (
        page.visit(
            course.root,
            workspace.root,
            module.name,
            "ann",
            "q_why",
            pictures,
            points=2.5,
            comment="Name iterators too.",
            words=words,
        )
        == []
    )
    assert len(list(pictures.glob("*.png"))) == 4
    # the sealed results stand below their exercise, and a person may give other points
    assert (
        page.visit(
            course.root,
            workspace.root,
            module.name,
            "ann",
            "test_box",
            tmp_path / "sealed",
            points=1.5,
            comment=None,
            words=("ok      a box takes three things", "ok      an empty box has length zero"),
        )
        == []
    )
    (written,) = feedback.feedback(course, assignment)
    assert "Name iterators too." in written.read_text(encoding="utf-8")
