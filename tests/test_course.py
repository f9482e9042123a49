"""The course proves itself: the seven points of `tito dev check`, on every module that there is."""

import shutil
from pathlib import Path

import pytest

from grading.authoring import leaks
from grading.authoring.check.points import POINTS, check_module, secret_lines
from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[1]
MODULES = [module.name for module in Workspace(ROOT).modules()]


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("name", MODULES)
def test_a_module_proves(name, point):
    report = check_module(Workspace(ROOT).module(name), {point})
    # CPU-seconds are measured and printed by `tito dev check`; on a busy machine they say more
    # about the machine.
    faults = [
        f"{fault.text}\n    repair: {fault.repair}"
        for fault in report.faults
        if not fault.text.startswith("graded cells use at most")
    ]
    assert not faults, f"{POINTS[point]}:\n" + "\n".join(faults)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_enough_wrong_and_other_right_solutions(name):
    misconceptions, alternatives = (60, 8) if name == "08_dataloader" else (20, 3)
    assert len(list((ROOT / "grading" / "misconceptions" / name).glob("*/*.py"))) >= misconceptions
    assert len(list((ROOT / "grading" / "alternatives" / name).glob("*.py"))) >= alternatives


@pytest.mark.parametrize(
    "name", ["dataloader_dev.ipynb", "dataloader_dev.py", "tests/test_new.py", "ABOUT.md"]
)
def test_one_line_of_an_answer_in_the_students_room_is_found(tmp_path, name):
    module = Workspace(ROOT).module("08_dataloader")
    secrets = secret_lines(module)
    line = "full, rest = divmod(len(self.dataset), self.batch_size)"
    shutil.copytree(module.folder, tmp_path / module.name)
    assert not leaks.scan_folder(tmp_path, secrets)
    path = tmp_path / module.name / name
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(
        (
            text.replace("# TODO 6b", f"{line} # TODO 6b", 1)
            if "# TODO 6b" in text
            else f"{text}\n{line}\n"
        ),
        encoding="utf-8",
    )
    assert leaks.scan_folder(tmp_path, secrets)
