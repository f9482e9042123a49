"""A measured page shows quiet numbers, a quiet record, or numbers that are marked as noisy. It
never shows noisy numbers as if they were quiet.
"""

import base64
import os
from pathlib import Path
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st
from site_tools import demo_outcomes, executed, measured_page, record_demos
from site_tools.build import environment
from site_tools.demo_outcomes import Outcome, choose, code_digest
from site_tools.staging import Stage

from tito.notebook.cells import Cell

ROOT = Path(__file__).resolve().parents[2]
CODE = 'with demo("rates"):\n    measure()'


def outcome(*, noisy=False, spread=0.02, broken="", code=CODE, text="a figure", measured=True):
    result = code_digest(code), [("text", text)], measured, noisy or bool(broken), spread, broken
    return Outcome(*result, "2026-01-31", "Minix on a PDP-11 with 1 cores")


DOUBTS = st.builds(
    outcome, noisy=st.booleans(), spread=st.floats(0, 2), broken=st.sampled_from(["", "120%"])
)


@given(tried=st.lists(DOUBTS, min_size=executed.TRIES, max_size=executed.TRIES))
def test_a_noisy_cell_runs_again_and_the_quietest_counts(tried):
    runs, reasons = iter(tried), []
    kept = executed.quietest(lambda: next(runs), reasons.append, lambda: 0.0)
    quiet = [number for number, one in enumerate(tried) if not one.noisy]
    assert len(reasons) == (quiet[0] if quiet else executed.TRIES - 1)
    assert kept is tried[quiet[0]] if quiet else kept.doubt == min(one.doubt for one in tried)


@given(ran=st.none() | DOUBTS, record=st.none() | DOUBTS, changed=st.booleans())
def test_what_is_shown_is_quiet_or_says_that_it_is_not(ran, record, changed):
    shown, said = choose(CODE + "# changed" * changed, ran, record)
    if shown is None:
        assert ran is None
    elif shown is ran:
        assert ("Noisy" in said) == ran.noisy and (ran.reason in said) == ran.noisy
    else:
        assert shown is record and not record.noisy and not changed
        assert record.day in said and record.machine in said
        assert ran is None or (ran.noisy and ran.reason in said)
    if ran and ran.noisy and record and not record.noisy and not changed:
        assert shown is record


def test_an_outcome_is_the_same_after_it_was_written_and_read(tmp_path):
    png = base64.b64encode(bytes(range(256)) * 20).decode()
    html = f'<img class="only-light" width="1" src="data:image/png;base64,{png}">'
    shown = [("html", html + html.replace("light", "dark"))]
    one = demo_outcomes.outcome_of("demo_x", CODE, shown, [])
    assert sorted(one.pictures) == ["demo_x-1-dark.png", "demo_x-1-light.png"]
    ((_, block),) = one.blocks
    assert 'src="PICTURES/demo_x-1-dark.png"' in block and "base64" not in block
    demo_outcomes.save(one, tmp_path, "demo_x")
    assert demo_outcomes.load(tmp_path, "demo_x") == one
    assert demo_outcomes.load(tmp_path, "demo_y") is None


def test_a_noisy_outcome_is_never_recorded_and_an_old_record_goes_with_its_cell(tmp_path):
    quiet = {"a": outcome(), "b": outcome(measured=False)}
    assert record_demos.write("09_x", quiet, tmp_path) == []
    folder = tmp_path / "_records" / "09_x"
    assert [path.name for path in folder.iterdir()] == ["a.json"]
    refused = record_demos.write("09_x", {"c": outcome(noisy=True, spread=0.4)}, tmp_path)
    assert refused == ["09_x, c is not recorded: " + outcome(noisy=True, spread=0.4).reason]
    assert list(folder.iterdir()) == []


def cells(*sources):
    found = [
        Cell(number, "code", source, {"grade_id": f"demo_{number}"}, ("demo",))
        for number, source in enumerate(sources, start=1)
    ]
    return executed.Shown("09_x", "tinytorch.core.tensor", tuple(found), "Repair it.")


def test_the_kernel_hears_each_measurement_and_a_noisy_cell_runs_until_it_is_quiet():
    said = []
    shown = cells(
        "tries = 0",
        "from tinytorch.profiler import Turns\n"
        "tries += 1\n"
        'print(Turns({"x": (1.0, 1.0, 1.0) if tries > 1 else (1.0, 2.0, 3.0)}))',
        "from tinytorch.profiler import Law\n"
        'law = Law("one is one", holds=False)\n'
        "Tensor([1.0]), 'the package is there'",
    )
    nothing, quiet, broken = executed.run(
        shown, environment(ROOT, ROOT), ROOT, said.append
    ).values()
    assert not nothing.measured and nothing.blocks == []
    assert quiet.measured and not quiet.noisy
    assert quiet.blocks == [("text", "measured in turns, 3 rounds, largest spread 0%\n")]
    assert broken.broken == "the numbers disagree with a law: one is one"
    assert "the package is there" in broken.blocks[0][1]
    again = ["  09_x, cell 2 (demo_2)", *["  09_x, cell 3 (demo_3)"] * (executed.TRIES - 1)]
    assert [line.split(" runs again")[0] for line in said] == again


def test_outcomes_are_kept_until_a_cell_or_the_package_changes(tmp_path, monkeypatch):
    ran = []
    monkeypatch.setattr(executed, "run", lambda *_: ran.append(1) or {"demo_1": outcome()})
    for code, package in ((CODE, "one"), (CODE, "one"), (CODE, "two"), (CODE + "# changed", "two")):
        found = executed.kept(cells(code), tmp_path, package, os.environ, ROOT)
        assert found == {"demo_1": outcome()}
    assert len(ran) == 3


def test_a_page_shows_the_record_in_place_of_noise_and_marks_noise_without_one(
    tmp_path, monkeypatch
):
    shown = [
        Cell(1, "markdown", "## 1 Rates\n\n**Guess.** How fast?"),
        Cell(2, "code", CODE, {"grade_id": "demo_rates"}, ("demo",)),
        Cell(3, "markdown", "**What you see.** It is fast, because."),
    ]
    monkeypatch.setattr(measured_page, "demos", lambda module: [shown[1]])
    monkeypatch.setattr(measured_page, "read_ipynb", lambda path: shown)
    names = {"name": "09_x", "stem": "x_dev", "number": "09", "title": "X"}
    module = SimpleNamespace(**names, root=tmp_path, notebook=None)

    def page():
        noisy = {"demo_rates": outcome(noisy=True, spread=0.5, text="noise")}
        measured_page.write(module, noisy, Stage(tmp_path / "stage"), tmp_path)
        return (tmp_path / "stage" / "analysis" / "09_x.md").read_text(encoding="utf-8")

    assert "noise\n" in page() and "**Noisy, do not compare these numbers:**" in page()
    record = outcome(text="recorded rates")
    demo_outcomes.save(record, tmp_path / "_records" / "09_x", "demo_rates")
    assert "recorded rates" in page() and "noise\n" not in page()
    assert "2026-01-31 on Minix" in page()
