"""The way in: the page "Start" as it is typed, and the landing page."""

import os
import re
import site as python_site
import sys
from pathlib import Path

import pytest
from site_tools import landing, landing_comparison

from tito.child_processes import finished
from tito.verbs import verbs
from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "site"
TITO = re.compile(r"tito [a-z]+(?: --?[a-z-]+)*")


def lines_of(draft, tab: str) -> list[str]:
    """The lines of one tab of the built page, without markup."""
    html = (draft.html / "start.html").read_text(encoding="utf-8")
    block = re.search(rf">\s*{re.escape(tab)}\s*<.*?<pre>(.*?)</pre>", html, re.DOTALL)[1]
    text = re.sub(r"<[^>]*>", "", block).replace("&quot;", '"')
    return [line for line in text.splitlines() if line.strip()]


@pytest.mark.skipif(os.name == "nt", reason="the tab is for a POSIX shell")
def test_the_lines_of_the_page_work_in_an_empty_home(draft, tmp_path):
    """pip uses the packages that are installed here, as the suite has no network."""
    (tmp_path / "Downloads").mkdir()
    packed = next(draft.html.glob("_downloads/*/handout.zip"))
    (tmp_path / "Downloads" / "handout.zip").write_bytes(packed.read_bytes())
    hidden = ("PYTHON", "TITO", "VIRTUAL_ENV", "COURSE")
    environment = {name: v for name, v in os.environ.items() if not name.startswith(hidden)} | {
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(python_site.getsitepackages()),
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it as the option's value: no isolation
        "NO_COLOR": "1",
    }
    first = Workspace(ROOT).modules()[0]
    script = "\n".join(["set -e", *lines_of(draft, "Linux and macOS"), "command -v tito"])
    ended = finished(["bash", "-c", script], tmp_path, environment)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    course = tmp_path / "Downloads" / "course"
    assert ended.stdout.splitlines()[-1] == str(course / ".venv" / "bin" / "tito")
    # without a terminal, `tito start` says how to open the notebook
    assert f"open it: jupyter lab modules/{first.name}/" in ended.stdout


def test_windows_has_the_same_lines(draft):
    of_windows = {
        r"cd %USERPROFILE%\Downloads": "cd ~/Downloads",
        r".venv\Scripts\activate": ". .venv/bin/activate",
    }
    lines = lines_of(draft, "Windows")
    translated = [of_windows.get(line, re.sub(r"^py ", "python3 ", line)) for line in lines]
    assert translated == lines_of(draft, "Linux and macOS")


def test_the_page_names_only_what_a_student_has(draft):
    """No folder of the repository alone, and commands that the bundle's tito has."""
    html = (draft.html / "start.html").read_text(encoding="utf-8")
    article = re.search(r"<article.*?</article>", html, re.DOTALL)[0]
    text = re.sub(r"<[^>]*>", "", article)
    assert not re.search(r"\bmake\b|grading/|tests/|tito (dev|grade|site)", text)
    shown = re.findall(r"<(?:code|pre)\b.*?</(?:code|pre)>", article, re.DOTALL)
    code = "\n".join(re.sub(r"<[^>]*>", "", one) for one in shown)
    said = {words.split()[1] for words in TITO.findall(code)}
    assert {"start", "test", "export", "submit"} <= said <= set(verbs(None)), said


def test_the_landing_page_has_one_button_and_every_cell(draft):
    html = (draft.html / "index.html").read_text(encoding="utf-8")
    assert len(re.findall(r'class="[^"]*\bbegin\b', html)) == 1
    asked = set(re.findall(r"<!-- output: (\w+) -->", (SITE / "index.md").read_text("utf-8")))
    assert asked == {cell.grade_id for cell in landing.shown_on(SITE).cells}
    assert "<!-- output" not in html and "<!-- xg" not in html


ROW = {"xg": 1.26, "xg_spread": 0.04}


def result(**changed):
    names = [name for names in landing_comparison.ROWS.values() for name in names]
    rows = [{"loader": name, **ROW, **changed.get(name, {})} for name in names]
    machine = {"machine": "PDP-11", "cpus": 1, "numpy": "2", "versions": {"torch": "2"}}
    cases = [{"case": landing_comparison.TASK, "rows": rows}]
    return {"quick": False, "machine": machine, "cases": cases}


def test_a_noisy_or_missing_row_is_not_recorded():
    name, record_of = landing_comparison.ROWS["ours"][0], landing_comparison.record_of
    noisy, nothing = result(**{name: {"xg_spread": 0.16, "xg": 9.9}}), result()
    for files in ([result()], [noisy, result()], [result(), noisy]):
        assert record_of(files, "today")["xg"][name] == 1.26
    nothing["cases"][0]["rows"].pop()
    for bad, says in (
        (noisy, r"spread of 16%, above 15%.*measure again"),
        ({**result(), "quick": True}, "leave --quick out"),
        (nothing, "was not measured"),
    ):
        with pytest.raises(ValueError, match=says):
            record_of([bad], "today")


def test_the_record_is_of_the_rows_that_the_page_shows():
    page = landing_comparison.filled((SITE / "index.md").read_text(encoding="utf-8"), SITE)
    assert "<!-- xg" not in page and re.search(r"Recorded on \d{4}-\d\d-\d\d on ", page)
