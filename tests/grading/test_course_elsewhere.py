"""A course that is not this one: made, released, graded and published with the installed wheel."""

import csv
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from helpers.fresh_python import students_python
from helpers.repository import ROOT
from tito import cli
from tito.workspace import Workspace


@pytest.fixture
def tito(tmp_path, monkeypatch, capsys):
    """Runs the command line in an empty folder; returns the exit code and what it wrote."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TITO_WORKSPACE", raising=False)

    def run(*words: str) -> tuple[int, str]:
        code = cli.main(list(words))
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


@pytest.mark.parametrize(
    "words", ["dev new 02_more", "grade collect inbox --course class", "site build"]
)
def test_outside_a_course_an_authors_and_an_instructors_verb_names_new_course(tito, words):
    code, said = tito(*words.split())
    assert code == 3 and "none is at or above" in said and "tito new-course NAME" in said
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize(
    "name, says",
    [
        ("Num-erics", "lower case letters"),
        ("json", "no module of Python"),
        ("numpy", "is installed"),
        ("taken", "never writes over"),
    ],
)
def test_a_course_whose_package_cannot_be_imported_is_refused_and_nothing_is_left(tito, name, says):
    Path("taken").mkdir()
    code, said = tito("new-course", name)
    assert code == 2 and says in said
    assert os.listdir() == ["taken"]


def test_an_import_of_what_is_not_exported_names_the_module_that_writes_it(tito):
    assert tito("new-course", "numerics", "--module", "01_roots")[0] == 0
    program = "from numerics.core.roots import clip_values"
    words = {"cwd": "numerics", "capture_output": True, "text": True}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, **words)
    assert done.stderr.rstrip().endswith("tito export 01_roots")


class Elsewhere:
    """A Python with the wheel, and a folder; this checkout is not in sight."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        built = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
        self._run([*built, str(folder)], ROOT)
        (wheel,) = folder.glob("*.whl")
        self.python = students_python(folder / "venv")
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--no-deps"]
        self._run([*pip, "--no-index", str(wheel)], folder)

    def _run(self, words: list[str], place: Path, allowed: tuple[int, ...] = (0,)) -> str:
        hidden = ("PYTHON", "TITO", "COURSE")
        environment = {name: v for name, v in os.environ.items() if not name.startswith(hidden)}
        # the templates of nbconvert, which pip would install in the new environment
        environment["JUPYTER_PATH"] = str(Path(sys.prefix) / "share" / "jupyter")
        done = subprocess.run(
            words,
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in allowed, f"{words}\n{done.stdout}{done.stderr}"
        return done.stdout

    def tito(self, place: Path, words: str, allowed: tuple[int, ...] = (0,)) -> str:
        return self._run([str(self.python.with_name("tito")), *words.split()], place, allowed)


def solved(path: Path, solution: str) -> None:
    """Type a solution and an answer into the notebook."""
    book = json.loads(path.read_text(encoding="utf-8"))
    for cell in book["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "clip_values":
            cell["source"] = f"#| export\n{solution}"
        if cell["id"].startswith("answer-"):
            cell["source"] = "Ten."
    path.write_text(json.dumps(book), encoding="utf-8")


@pytest.mark.long
def test_a_course_elsewhere_goes_from_the_wheel_to_a_mark_a_feedback_page_and_a_site(tmp_path):
    """The package is called numerics; the student's solution breaks one promise of four."""
    here = Elsewhere(tmp_path)
    here.tito(tmp_path, "new-course numerics --module 01_roots --title Roots")
    course, student, marks = (tmp_path / name for name in ("numerics", "student", "marks.csv"))
    here.tito(course, "dev new 02_more")
    assert here.tito(course, "dev check 01 --release").splitlines()[-1].startswith("  no faults")
    here.tito(course, "grade release 01 --course ../class")

    here.tito(course, "dev bundle 01 --out ../handout.zip")
    zipfile.ZipFile(tmp_path / "handout.zip").extractall(student)
    # the tools came from no index, so the students get their wheel, and the command that takes it
    assert [*student.glob("wheels/*.whl")] and "--find-links wheels" in (
        student / "README.md"
    ).read_text(encoding="utf-8")
    notebook = student / "modules" / "01_roots" / "roots_dev.ipynb"
    (wrong,) = (course / "grading/modules/01_roots/wrong").glob("*.py")
    solved(notebook, wrong.read_text(encoding="utf-8").rpartition("(promise 4)\n")[2])
    notebook.with_suffix(".py").unlink()
    assert "says both limits" in here.tito(student, "test 01", allowed=(1,))
    here.tito(student, "export 01")
    assert (student / "numerics" / "core" / "roots.py").is_file()
    here.tito(student, "submit 01 --student ada --output ..")

    here.tito(course, "grade collect ../01_roots-ada.zip --course ../class")
    here.tito(course, "grade autograde 01 --course ../class")
    here.tito(course, "grade mark ada why_limits 1.5 --course ../class")
    here.tito(course, "grade feedback 01 --course ../class")
    here.tito(course, "grade export 01 --course ../class --format canvas --to ../marks.csv")
    *_, row = csv.reader(marks.read_text(encoding="utf-8").splitlines())
    assert (row[0], row[-1]) == ("ada", "7.5")
    (page,) = (tmp_path / "class" / "feedback").rglob("*.html")
    assert "is a ValueError that says both limits." in page.read_text(encoding="utf-8")

    assert "7.5 of 10 points" in here.tito(
        course, "dev demo 01 --mistake clip_values/limits_swapped"
    )
    here.tito(course, "site build")
    html = course / "site" / "_build" / "html"
    start, measured = (
        (html / name).read_text(encoding="utf-8")
        for name in ("index.html", "analysis/01_roots.html")
    )
    assert "<title>Roots</title>" in start and "modules/02_more.html" in start
    assert "of 1000 normal numbers" in measured
    assert [module.export for module in Workspace(course).modules()] == [
        "numerics/core/roots.py",
        "numerics/core/more.py",
    ]
