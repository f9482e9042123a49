"""Importing tinytorch before and after an export, each time in a process of its own."""

import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

import tinytorch
from helpers.patience import python

PACKAGE = Path(tinytorch.__file__).parent
EXPORT = "class DataLoader:\n    pass\n\n\ndef collate(samples):\n    return samples\n"


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """The given package without any export, and one module's description."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tinytorch" / "core").mkdir(parents=True)
    for name in ["__init__", "not_exported_yet"]:
        shutil.copy(PACKAGE / f"{name}.py", tmp_path / "tinytorch")
    for name in ["__init__", "autograd", "tensor"]:
        shutil.copy(PACKAGE / "core" / f"{name}.py", tmp_path / "tinytorch" / "core")
    module = tmp_path / "modules" / "31_feed"
    module.mkdir(parents=True)
    (module / "module.toml").write_text(
        'number = "31"\nexport = "tinytorch/core/feed.py"\n', encoding="utf-8"
    )
    return tmp_path


def say(workspace, code, *options):
    """The output of `code` in a fresh Python that finds the workspace's tinytorch first."""
    own = {"PYTHONPATH": str(workspace), "PYTHONDONTWRITEBYTECODE": "1"}
    done = python(*options, "-W", "error", "-c", code, **own)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip() or done.stderr


def error_of(workspace, statement):
    report = "print(type(problem).__name__, problem)"
    return say(workspace, f"try:\n {statement}\nexcept Exception as problem:\n {report}")


REMEDY = "You build it in module 31_feed; write it to the package with: tito export 31_feed"
NO_FEED = "ModuleNotFoundError No module named 'tinytorch.core.feed'"
NO_NAME = "cannot import name 'DataLoader' from 'tinytorch'"


def exported(workspace):
    export = workspace / "tinytorch" / "core" / "feed.py"
    export.write_text(EXPORT, encoding="utf-8")
    return export


def test_a_missing_export_names_the_command_that_writes_it(workspace):
    for statement in ("import tinytorch.core.feed", "from tinytorch.core import feed"):
        assert error_of(workspace, statement) == f"{NO_FEED} yet. {REMEDY}"


@pytest.mark.parametrize("damage", ["none", "not TOML", "no reader"])
def test_without_a_description_the_message_is_general(workspace, damage):
    description = workspace / "modules" / "31_feed" / "module.toml"
    if damage == "none":
        shutil.rmtree(workspace / "modules")
    elif damage == "no reader":  # Python 3.10 without tomli, seen from any Python
        for name in ["tomllib", "tomli"]:
            (workspace / f"{name}.py").write_text("raise ModuleNotFoundError", encoding="utf-8")
    else:
        description.write_text("= [", encoding="utf-8")
    general = "If you build it, write it to the package with: tito export"
    assert error_of(workspace, "import tinytorch.core.feed") == f"{NO_FEED}. {general}"


def test_a_missing_name_is_harmless_and_names_the_command_if_the_handout_defines_it(workspace):
    words = "hasattr(tinytorch, 'DataLoader'), hasattr(tinytorch, '__wrapped__')"
    assert say(workspace, f"import tinytorch; print({words})") == "False False"
    statement = "from tinytorch import DataLoader"
    assert error_of(workspace, statement).startswith(f"ImportError {NO_NAME}")
    (workspace / "modules" / "31_feed" / "feed_dev.py").write_text(EXPORT, encoding="utf-8")
    assert error_of(workspace, statement) == f"ModuleNotFoundError {NO_NAME} yet. {REMEDY}"
    said = f"AttributeError module 'tinytorch' has no attribute 'collate'. {REMEDY}"
    assert error_of(workspace, "import tinytorch; tinytorch.collate") == said


def test_after_an_export_every_way_in_gives_the_same_class_and_a_reload_the_new_one(workspace):
    code = f"""
from tinytorch import DataLoader, collate
import importlib, pathlib, tinytorch
from tinytorch.core import feed
print(DataLoader is feed.DataLoader is tinytorch.DataLoader, collate is feed.collate)
again = "class DataLoader:\\n    new = True\\n"
pathlib.Path({str(exported(workspace))!r}).write_text(again, encoding="utf-8")
importlib.reload(feed)
print(tinytorch.DataLoader.new, tinytorch.DataLoader is not DataLoader)"""
    assert say(workspace, code).split() == ["True"] * 4


def test_importing_the_package_loads_nothing_slow_and_again_leaves_one_finder(workspace):
    loaded = say(workspace, "import tinytorch", "-S", "-X", "importtime")
    names = {line.rpartition("|")[2].strip() for line in loaded.splitlines()}
    assert "tinytorch" in names
    assert not names & {"numpy", "pathlib", "re", "importlib.metadata", "tomllib", "tomli"}
    code = "import importlib, sys, tinytorch.not_exported_yet\nbefore = len(sys.meta_path)"
    code += "\nimportlib.reload(tinytorch.not_exported_yet)\nprint(len(sys.meta_path) - before)"
    assert say(workspace, code) == "0"


def test_the_version_has_one_home(workspace):
    assert tinytorch.__version__ == version("tinytorch-course")
    code = "import tinytorch; print(tinytorch.__version__)"
    assert say(workspace, code, "-S") == "0+not.installed"
