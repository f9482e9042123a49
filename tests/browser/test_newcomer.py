"""The newcomer's hour as a test; the script `newcomer.py` beside this file runs it and keeps the
pictures.
"""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from lab import LAB_DEFAULTS

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def newcomer():
    spec = importlib.util.spec_from_file_location("newcomer", HERE / "newcomer.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["newcomer"] = module  # dataclasses look the module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["newcomer"]


STUB = 'def f(x):\n    """Return x."""\n    # TODO\n    raise NotImplementedError("your turn: f")\n'


def test_a_stub_is_filled_at_its_own_depth(newcomer):
    text = newcomer.filled(STUB, "\n        if x:\n            return x\n        return 0\n    ")
    assert (
        text
        == 'def f(x):\n    """Return x."""\n    # TODO\n    if x:\n        return x\n    return 0\n'
    )


def test_a_cell_without_its_stub_is_refused(newcomer):
    with pytest.raises(LookupError, match="found 0"):
        newcomer.filled("def f(x):\n    return x\n", "return 1")


def test_a_red_test_that_teaches_nothing_is_complained_of(newcomer):
    exercise = newcomer.FIRST_EXERCISE
    good = (
        f"✗ {exercise.promise}\n  called  f()\n  got  1\n "
        " wanted  2\n  look at  f\n  more  %hint 08 f"
    )
    assert newcomer.read_red([good], exercise) == []
    assert newcomer.read_red(["Traceback (most recent call last)\nAssertionError"], exercise) != []


def test_only_this_machine_counts_as_here(newcomer):
    assert newcomer._is_here("http://127.0.0.1:8888/lab") and newcomer._is_here(
        "data:image/png;base64,"
    )
    assert not newcomer._is_here("https://127.0.0.1.example.org/") and not newcomer._is_here(
        "https://example.org/"
    )


def test_the_lab_defaults_name_settings_that_jupyterlab_knows():
    schemas = Path(sys.prefix) / "share" / "jupyter" / "lab" / "schemas"
    if not schemas.is_dir():
        pytest.skip(f"{schemas} does not exist: jupyterlab is in the extra [notebook]")
    for plugin, settings in json.loads(LAB_DEFAULTS.read_text(encoding="utf-8")).items():
        package, name = plugin.split(":")
        known = json.loads((schemas / package / f"{name}.json").read_text(encoding="utf-8"))[
            "properties"
        ]
        assert set(settings) <= set(known)


def test_nothing_hinders_a_newcomer(newcomer, tmp_path):
    """The newcomer opens the notebook, tries a wrong and a right solution, exports and tests; the
    checkout is not changed.
    """
    pytest.importorskip("playwright", reason="playwright is in the extra [dev]")
    if not importlib.util.find_spec("jupyterlab"):  # importing it takes seconds
        pytest.skip("jupyterlab is in the extra [notebook]")
    if not newcomer.find_browser():
        pytest.skip(
            f"no Chromium on the PATH (looked for {', '.join(newcomer.BROWSERS)}); on Debian:"
            " apt-get install chromium"
        )

    def state():
        return subprocess.run(
            ["git", "status", "--porcelain", "modules", "tinytorch"],
            cwd=newcomer.ROOT,
            capture_output=True,
            text=True,
        ).stdout

    before = state()
    assert newcomer.visit(tmp_path / "pictures") == []
    assert len(list((tmp_path / "pictures").glob("*.png"))) >= 7
    assert state() == before
