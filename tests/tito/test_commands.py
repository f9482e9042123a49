"""The smaller verbs: hint, start, reset, submit, doctor, watch, completion."""

import io
import json
import shutil
import subprocess
import sys
import zipfile

import pytest
from adder_course import RIGHT

from tito.commands import doctor
from tito.files import backup, backups, sha256
from tito.notebook.cells import code_hash, read_ipynb, read_percent
from tito.student_work.exporter import export


def test_hints_come_one_at_a_time_and_the_level_is_remembered(tito):
    hints = ["sums", "the operator +", "return a + b"]
    for last in (0, 1, 2, 2):
        said = tito("hint", "07", "add")[1]
        assert f"hint {last + 1} of 3" in said
        assert [text in said for text in hints[last:]] == [True, False, False][: 3 - last]
    assert json.loads(tito("hint", "07", "add", "--again", "--json")[1])["hints"] == hints


@pytest.mark.parametrize(
    "words, exercise",
    [
        ("07 test_add", "add"),
        ("07 add.__init__", "add"),
        ("07 contract-add", "add"),
        ("scale", "scale"),
    ],
)
def test_a_hint_takes_the_name_of_a_test_or_a_method_too(tito, course, words, exercise):
    course.module.notebook.unlink()  # no hint needs it
    assert f"{exercise}: hint 1 of 3" in tito("hint", *words.split())[1]


def test_start_makes_a_missing_notebook_and_never_replaces_one(tito, course):
    course.module.notebook.unlink()
    code, out, _ = tito("start", "07", "--no-open")
    assert code == 0 and "made: modules/07_adder/adder_dev.ipynb" in out
    assert course.module.notebook.read_bytes() == course.module.starter.read_bytes()
    assert course.module.script.exists()
    course.solve()
    mine = course.module.notebook.read_bytes()
    said = tito("start", "07")[1]  # without a terminal nothing is opened
    assert "ready:" in said and "open it: jupyter lab modules/07_adder/adder_dev.ipynb" in said
    assert course.module.notebook.read_bytes() == mine


def test_start_py_makes_the_script_that_git_does_not_keep(tito, course):
    assert "made" not in tito("start", "07", "--no-open")[1]
    assert not course.module.script.exists()
    assert "made: adder_dev.py" in tito("start", "07", "--no-open", "--py")[1]
    assert code_hash(read_percent(course.module.script)) == code_hash(
        read_ipynb(course.module.notebook)
    )


def test_start_without_a_starter_says_what_to_do(tito, course):
    course.module.notebook.unlink()
    shutil.rmtree(course.module.starter.parent)
    code, _, err = tito("start", "07", "--no-open")
    assert code == 3 and "the starter of 07_adder is missing" in err and "zip again" in err
    (course.module.root / "grading").mkdir()  # in a clone of the repository it can be made again
    code, _, err = tito("start", "07", "--no-open")
    assert code == 3 and "tito grade release 07_adder" in err


def test_reset_keeps_the_work_and_undo_brings_it_back(tito, paired):
    paired.solve()
    mine = paired.module.notebook.read_bytes()
    assert tito("reset", "07", "--yes")[0] == 0
    assert paired.module.notebook.read_bytes() == paired.module.starter.read_bytes()
    kept = backups(paired.workspace.backups, "adder_dev.ipynb")
    assert mine in [path.read_bytes() for path in kept]
    assert "-adder_dev.ipynb" in tito("reset", "07", "--list")[1]
    assert tito("reset", "07", "--undo")[0] == 0
    assert paired.module.notebook.read_bytes() == mine
    assert tito("export", "07")[0] == 0  # the .py agrees again


def test_the_backup_of_a_reset_is_the_latest_beside_what_a_test_kept(tito, course, monkeypatch):
    monkeypatch.setattr("tito.files.stamp", lambda: "20261128-120000")  # all within one second
    course.write(add=RIGHT["add"])
    for _ in range(7):  # as `tito test` keeps copies: more than five, so that the first ones go
        backup(course.module.notebook, course.workspace.state_dir / "tested", keep=5)
    course.write(add="#| export\ndef add(a, b):\n    return b + a")
    mine = course.module.notebook.read_bytes()
    tito("reset", "07", "--yes")
    assert course.module.notebook.read_bytes() != mine
    tito("reset", "07", "--undo")
    assert course.module.notebook.read_bytes() == mine


@pytest.mark.parametrize("typed", ["y\n", "n\n", "\n", ""])
def test_reset_on_a_terminal_takes_only_yes_for_yes(tito, course, monkeypatch, typed):
    course.solve()
    mine = course.module.notebook.read_bytes()
    code, _, err = tito("reset", "07")  # without a terminal
    assert code == 2 and "--yes" in err and course.module.notebook.read_bytes() == mine
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    code, out, _ = tito("reset", "07")
    assert code == 0 and ("Nothing was changed" in out) is (typed != "y\n")
    assert (course.module.notebook.read_bytes() == mine) is (typed != "y\n")


def test_submit_packs_the_notebook_as_it_is_with_a_manifest(tito, course, tmp_path):
    course.solve()
    words = ["--student", "ana-1", "--output", str(tmp_path), "--no-test"]
    code, out, _ = tito("submit", "07", *words)
    path = tmp_path / "07_adder-ana-1.zip"
    assert code == 0 and str(path) in out and "answer is empty: sys-why, cell 10" in out
    assert "names no student" not in out
    mine = course.module.notebook.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == ["adder_dev.ipynb", "manifest.json"]
        assert archive.read("adder_dev.ipynb") == mine
        manifest = json.loads(archive.read("manifest.json"))
    told = (manifest["module"], manifest["student"], manifest["sha256"])
    assert told == ("07_adder", "ana-1", sha256(mine)) and manifest["tito"] and manifest["time"]


def test_submit_reports_stubs_and_failures_and_still_packs(tito, course):
    code, out, _ = tito("submit", "07")
    assert code == 0 and (course.root / "07_adder.zip").exists()
    said = ("0 of 4 that you can run pass", "still your turn: add, cell 4", "It names no student")
    assert all(one in out for one in said)


def test_submit_refuses_what_does_not_parse_unless_forced_and_keeps_the_old_zip(tito, course):
    packed = course.root / "07_adder.zip"
    packed.write_bytes(b"old")
    course.write(add="#| export\ndef add(a, b:\n")
    code, _, err = tito("submit", "07")
    assert code == 1 and "cell 4 (add), line 2" in err and "--force" in err
    assert packed.read_bytes() == b"old"
    assert tito("submit", "07", "--force")[0] == 0 and zipfile.is_zipfile(packed)


def test_submit_sends_the_ipynb_so_newer_work_in_the_py_is_synced_first(tito, paired):
    paired.write_py('raise NotImplementedError("your turn: add")', "return a + b")
    code, _, err = tito("submit", "07", "--no-test")
    assert code == 1 and "tito sync 07" in err


def test_the_doctor_sees_a_foreign_tinytorch_and_a_stale_export_and_names_the_fix(
    tito, course, monkeypatch
):
    course.solve()
    export(course.module)
    course.write(add="#| export\ndef add(a, b):\n    return b + a")

    def found(what):
        findings = json.loads(tito("doctor", "--json")[1])["findings"]
        return next(finding for finding in findings if finding["what"] == what)

    module, package = found("07_adder"), found("tinytorch")
    assert (module["level"], module["fix"]) == ("warn", "tito export 07")
    assert package["level"] == "FAIL" and "not this workspace" in package["found"]
    assert tito("doctor")[0] == 3
    monkeypatch.setenv("PYTHONPATH", str(course.root))
    assert found("tinytorch")["level"] == "ok"
    monkeypatch.setattr(doctor, "_findings", list)
    assert tito("doctor")[0] == 0


@pytest.mark.parametrize(
    "argv, level",
    [('["/usr/bin/another-python"]', "FAIL"), ('["python"]', "ok"), ("", "warn")],
)
def test_the_doctor_sees_a_kernel_of_another_python(monkeypatch, tmp_path, argv, level):
    folder = tmp_path / "kernels" / "python3"
    folder.mkdir(parents=True)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    (folder / "kernel.json").write_text(f'{{"argv": {argv}}}', encoding="utf-8")
    assert doctor._kernel().level == level


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_sound_and_knows_verbs_and_modules(tito, shell, tmp_path):
    code, out, _ = tito("completion", shell)
    assert code == 0 and all(word in out for word in ("export", "doctor", "07_adder"))
    script = tmp_path / "script"
    script.write_text(out, encoding="utf-8")
    if shutil.which(shell):  # each shell that is installed checks its own script
        assert subprocess.run([shell, "-n", str(script)], check=False).returncode == 0
    if shell == "bash":
        for words, place, want in (("exp", 1, "export"), ("test 07", 2, "07_adder")):
            ask = f"source {script}; COMP_WORDS=(tito {words}); COMP_CWORD={place}; _tito"
            ask += '; echo "${COMPREPLY[@]}"'
            said = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
            assert said.stdout.strip() == want
