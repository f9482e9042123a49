"""What a wheel contains: packages, laws and what a site is made with, but no exports or answers."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from helpers.repository import ROOT, TRACKED
from tito.student_work.exporter import hide_from_git
from tito.workspace import Workspace

PACKAGES = ("tinytorch", "tito", "grading")
NEVER = ("grading/modules/", "grading/README.md")
OF_A_SITE = ("site/_tools/", "site/_ext/", "site/_templates/", "site/conf.py")
FILES = [path.relative_to(ROOT).as_posix() for path in TRACKED]
GIVEN = [name for name in FILES if name.split("/")[0] in PACKAGES and not name.startswith(NEVER)]
SITE = [name for name in FILES if name.startswith(OF_A_SITE)]
SITE += [name for name in FILES if re.fullmatch(r"site/_static/.*\.(css|js|svg)", name)]
SOLUTION = "def answer():\n    return 42\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Path:
    """The package as git tracks it, with an export of each module, of a module that this repository
    does not know, and of a module that was removed.
    """
    root = tmp_path_factory.mktemp("course")
    described = [
        (module.folder / "module.toml").relative_to(ROOT) for module in Workspace(ROOT).modules()
    ]
    top = ["pyproject.toml", "hatch_build.py", "README.md", "LICENSE"]
    for name in [*GIVEN, *SITE, *described, *top]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, root / name)
    toml = root / "modules" / "99_unheard_of" / "module.toml"
    toml.parent.mkdir()
    toml.write_text(
        'number = "99"\ntitle = "x"\nexport = "tinytorch/unheard/of.py"\nnotebook = "x"\n',
        encoding="utf-8",
    )
    (toml.parent / "tests").mkdir()
    for name in ("contracts.json", "test_1a_laws.py"):
        (toml.parent / "tests" / name).write_text("{}", encoding="utf-8")
    for module in Workspace(root).modules():
        module.export_path.parent.mkdir(exist_ok=True)
        # without the first line of an export
        module.export_path.write_text(SOLUTION, encoding="utf-8")
        hide_from_git(module)
    answers = root / "grading" / "modules" / "99_unheard_of" / "x_dev.py"
    answers.parent.mkdir(parents=True)
    answers.write_text(SOLUTION, encoding="utf-8")
    (root / "tinytorch" / "core" / "gone.py").write_text(
        f"# Made by `tito export 98_gone` from a notebook.\n{SOLUTION}", encoding="utf-8"
    )
    return root


def build(root: Path, folder: Path, target: str = "wheel") -> dict[str, bytes]:
    """The files of the wheel that is built from `root`, without its metadata."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", folder],
        cwd=root,
        capture_output=True,
        check=True,
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if "-0." not in name.split("/")[0]]
        return {name: archive.read(name) for name in names}


def test_a_source_distribution_carries_no_answer(course, tmp_path):
    words = ["hatchling", "build", "--target", "sdist", "--directory", tmp_path]
    subprocess.run([sys.executable, "-m", *words], cwd=course, capture_output=True, check=True)
    (packed,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        names = archive.getnames()
    assert any(name.endswith("tinytorch/testing.py") for name in names)
    assert not [name for name in names if "/grading/modules/" in name]


def test_a_wheel_carries_what_is_given_and_no_export(course, tmp_path):
    contents = build(course, tmp_path)
    assert [name for name, data in contents.items() if SOLUTION.encode() in data] == []
    place = "tinytorch/modules/99_unheard_of/tests"
    laws = [f"{place}/contracts.json", f"{place}/test_1a_laws.py"]
    site = [name.replace("site/", "tito/_site/", 1) for name in SITE]
    assert sorted(contents) == sorted([*GIVEN, *laws, *site])


def test_an_editable_install_adds_no_package_beside_the_checkout(course, tmp_path):
    """A sandbox hides the checkout, and a part of `tito` in site-packages would be importable."""
    assert list(build(course, tmp_path, "wheel:editable")) == ["_tinytorch_course.pth"]
