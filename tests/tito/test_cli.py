"""The command line: what it imports, what it prints, its exit codes."""

import argparse
import io
import json
import sys

import pytest

from helpers.patience import python
from tito import cli, console, verbs

HEAVY = (
    "rich numpy nbformat jupytext jupyterlab jupyter_core nbgrader nbconvert matplotlib IPython"
    " jinja2 pytest grading tinytorch"
).split()
STUDENTS = "start test export hint watch status profile submit reset sync doctor completion".split()
ALL = [verb for group in (None, *verbs.GROUPS) for verb in verbs.verbs(group).values()]


@pytest.mark.parametrize(
    "words", ["--help", "hint 07 add", "status", "export 07", "test --help", "completion bash"]
)
def test_light_verbs_load_nothing_heavy(course, words):
    course.solve()
    done = python("-X", "importtime", "-m", "tito", *words.split())
    loaded = {
        line.rpartition("|")[2].strip().partition(".")[0]
        for line in done.stderr.splitlines()
        if line.startswith("import time:")
    }
    assert done.returncode == 0 and "tito" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("verb", ALL, ids=lambda verb: f"{verb.group or ''} {verb.name}".strip())
def test_every_verb_keeps_the_protocol_and_its_docstring_is_its_help(verb):
    assert list(verbs.verbs()) == [*STUDENTS, "new-course"]
    module = verbs.load(verb)
    assert verb.help == " ".join(module.__doc__.strip().split("\n\n")[0].split())
    assert verb.help.endswith((".", ")"))
    parser = argparse.ArgumentParser(prog=verb.name)
    module.add_arguments(parser)
    parser.format_help()
    assert callable(module.run)


@pytest.mark.parametrize("group", ["grade", "dev"])
def test_a_copy_without_grading_says_so_kindly(tito, monkeypatch, group):
    monkeypatch.setattr(verbs, "_grading", lambda: None)
    code, out, err = tito(group, "check")
    assert code == 3 and "leaves out" in err and not out


@pytest.mark.parametrize(
    "words, code, says",
    [
        ("tset", 2, "Did you mean: tito test?"),
        ("grde", 2, "Did you mean: tito grade?"),
        ("release", 2, "tito grade release"),
        ("export ader", 2, "did you mean 07_adder?"),
        ("hint 07 ad", 2, "did you mean add?"),
        ("hint 07 zzz", 2, "; all exercises: tito hint 07"),
        ("test --nonsense", 2, "unrecognized arguments"),
        ("reset --list --undo", 2, "not allowed"),
        ("reset 07 --cell 9z", 2, "has no '9z'"),
        ("reset 07 --from away.ipynb", 2, "there is no away.ipynb"),
        ("test 07 --timeout 0", 2, "more than 0"),
        ("submit 07 --student ../x", 2, "student id"),
        ("submit 07 --output nowhere", 2, "existing folder"),
        ("submit 07 --output modules/07_adder/module.toml", 2, "Name another place"),
        ("test", 1, "test the notebook as it is: tito test 07"),
    ],
)
def test_wrong_usage_ends_with_2_and_a_suggestion(tito, words, code, says):
    found, _, err = tito(*words.split())
    assert found == code and says in err and "Traceback" not in err


@pytest.mark.parametrize(
    "words, says",
    [
        ("help", "\n  start "),
        ("help test", "usage: tito test"),
        ("grade help", "usage: tito grade VERB"),
        ("grade help mark", "usage: tito grade mark"),
        ("--version", f"tito {cli.version()}\n"),
    ],
)
def test_help_is_a_word_too(tito, words, says):
    code, out, _ = tito(*words.split())
    assert code == 0 and says in out


def test_it_works_from_a_folder_below_and_from_elsewhere_with_a_variable(
    tito, course, monkeypatch, tmp_path
):
    course.solve()
    monkeypatch.chdir(course.module.folder / "tests")
    assert tito("export")[0] == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("TITO_WORKSPACE", str(course.root))
    assert "unchanged" in tito("export", "07")[1]
    monkeypatch.setenv("TITO_WORKSPACE", str(tmp_path))
    code, _, err = tito("export", "07")
    assert code == 3 and "TITO_WORKSPACE" in err


@pytest.mark.parametrize(
    "words, encoding", [("test 07", "ascii"), ("submit 07 --no-test", "cp1252")]
)
def test_a_terminal_without_utf8_gets_plain_marks_and_no_crash(course, words, encoding):
    words = words.split()
    # marks and promises are the same without the contract tests, and starting pytest takes a second
    (course.module.tests / "test_adder.py").unlink()
    course.solve()
    course.write(scale="#| export\ndef scale(a, factor):\n    return '\u2713 \U0001f389'")
    done = python("-m", "tito", *words, encoding=encoding, PYTHONUTF8="0")
    text = done.stdout + done.stderr
    assert "Traceback" not in text and "Error:" not in text
    assert "✓" not in text
    if words[0] == "test":
        assert "[ok] 1a add" in text and "[x] 1b scale" in text and done.returncode == 1


def test_color_is_for_terminals_and_no_color_is_kept(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert console.mark("pass") == "\x1b[32m✓\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert console.mark("pass") == "✓"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert "\x1b" not in console.mark("pass")


def test_a_terminal_breaks_no_word(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    text = "  look at   the TODO in dataset.__len__, and then at the next\nshort\n\n  end"
    stream = io.StringIO()
    assert console.folded(text, stream) == text  # no terminal: a line is a line
    stream.isatty = lambda: True
    lines = console.folded(text, stream).split("\n")
    assert max(map(len, lines)) <= 30 and lines[-3:] == ["short", "", "  end"]
    assert " ".join(lines).split() == text.split()


@pytest.mark.parametrize(
    "arguments, of, said",
    [
        ((1, "exercise", "pass"), 1, "1 of 1 exercise passes"),
        ((1, "exercise", "pass"), 33, "1 of 33 exercises passes"),
        ((2, "answer", "are"), None, "2 answers are"),
        ((1, "answer", "are"), None, "1 answer is"),
        ((2, "batch"), None, "2 batches"),
        ((1.0, "point"), 2.0, "1 of 2 points"),
    ],
)
def test_nouns_and_verbs_agree_with_their_number(arguments, of, said):
    assert console.counted(*arguments, of=of) == said


def test_a_bug_in_tito_is_short_on_screen_and_whole_in_a_file(tito, course, monkeypatch):
    monkeypatch.setattr("tito.commands.status.progress", lambda module: {}["a bug"])
    code, _, err = tito("status")
    assert code == 5 and "bug in tito" in err and "Traceback" not in err
    whole = course.root / ".tito" / "last-error.txt"
    assert "KeyError: 'a bug'" in whole.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words, code", [("export 07", 1), ("export 99", 2), ("status", 0), ("hint 07", 0)]
)
def test_json_is_exactly_one_document_also_when_it_fails(tito, words, code):
    found, out, _ = tito(*words.split(), "--json")
    assert found == code and json.loads(out)["ok"] is (code == 0) and json.loads(out)["schema"] == 1


def interrupted():
    raise KeyboardInterrupt


def interrupted_while_a_class_is_made():  # before Python 3.12
    raise RuntimeError("Error calling __set_name__ on ...") from KeyboardInterrupt()


@pytest.mark.parametrize("stops", [interrupted, interrupted_while_a_class_is_made])
def test_ctrl_c_is_130_without_a_traceback(tito, monkeypatch, stops):
    monkeypatch.setattr("tito.commands.status.progress", lambda module: stops())
    code, _, err = tito("status")
    assert code == 130 and "Traceback" not in err and "bug" not in err
