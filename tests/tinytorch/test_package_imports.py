"""Importing tinytorch: it is fast, gives the exported classes after an export, and names the
command before one. Each test has its own workspace and process.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tinytorch

PACKAGE = Path(tinytorch.__file__).parent
EXPORT = "class DataLoader:\n    pass\n\n\ndef collate(samples):\n    return samples\n"


@pytest.fixture
def workspace(tmp_path):
    """The given package without any export, and one module's description."""
    (tmp_path / "tinytorch" / "core").mkdir(parents=True)
    shutil.copy(PACKAGE / "__init__.py", tmp_path / "tinytorch")
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
    environment = {**os.environ, "PYTHONPATH": str(workspace), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *options, "-W", "error", "-c", code],
        cwd=workspace,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip() or done.stderr


def error_of(workspace, statement):
    return say(
        workspace,
        f"try:\n    {statement}\nexcept Exception as problem:\n    print(type(problem).__name__,"
        " problem)\nelse:\n    print('no error')",
    )


@pytest.mark.parametrize(
    "statement",
    [
        "import tinytorch.core.feed",
        "from tinytorch.core.feed import DataLoader",
        "from tinytorch.core import feed",
    ],
)
def test_a_missing_export_names_the_command_that_writes_it(workspace, statement):
    assert (
        error_of(workspace, statement)
        == "ModuleNotFoundError No module named 'tinytorch.core.feed' yet. "
        "You build it in module 31_feed; write it to the package with: tito export 31_feed"
    )


@pytest.mark.parametrize("damage", ["none", "not TOML", "no export", "no reader"])
def test_without_a_description_the_message_is_general(workspace, damage):
    description = workspace / "modules" / "31_feed" / "module.toml"
    if damage == "none":
        shutil.rmtree(workspace / "modules")
    elif damage == "no reader":  # Python 3.10 without tomli, seen from any Python
        for name in ["tomllib", "tomli"]:
            (workspace / f"{name}.py").write_text("raise ModuleNotFoundError", encoding="utf-8")
    else:
        description.write_text("= [" if damage == "not TOML" else "number = 31", encoding="utf-8")
    assert (
        error_of(workspace, "import tinytorch.core.feed")
        == "ModuleNotFoundError No module named 'tinytorch.core.feed'. "
        "If you build it, write it to the package with: tito export"
    )


def test_a_name_that_the_handout_defines_names_the_command_too(workspace):
    (workspace / "modules" / "31_feed" / "feed_dev.py").write_text(EXPORT, encoding="utf-8")
    remedy = "You build it in module 31_feed; write it to the package with: tito export 31_feed"
    assert (
        error_of(workspace, "from tinytorch import DataLoader")
        == f"ModuleNotFoundError cannot import name 'DataLoader' from 'tinytorch' yet. {remedy}"
    )
    assert (
        error_of(workspace, "import tinytorch; tinytorch.collate")
        == f"AttributeError module 'tinytorch' has no attribute 'collate'. {remedy}"
    )


def test_a_missing_name_is_harmless_before_the_export(workspace):
    assert (
        say(
            workspace,
            "import tinytorch; print(hasattr(tinytorch, 'DataLoader'),"
            " hasattr(tinytorch, '__wrapped__'))",
        )
        == "False False"
    )
    assert error_of(workspace, "from tinytorch import DataLoader").startswith(
        "ImportError cannot import name 'DataLoader' from 'tinytorch'"
    )


def test_after_the_export_every_way_in_gives_the_same_class(workspace):
    (workspace / "tinytorch" / "core" / "feed.py").write_text(EXPORT, encoding="utf-8")
    assert (
        say(
            workspace,
            "from tinytorch import DataLoader, collate\nimport tinytorch\nfrom tinytorch.core"
            " import feed\nprint(DataLoader is feed.DataLoader is tinytorch.DataLoader,"
            " collate is feed.collate)",
        )
        == "True True"
    )


def test_after_a_second_export_and_a_reload_the_new_class_is_found(workspace):
    export = workspace / "tinytorch" / "core" / "feed.py"
    export.write_text(EXPORT, encoding="utf-8")
    assert (
        say(
            workspace,
            f"""
import importlib, pathlib, tinytorch, tinytorch.core.feed as feed
old = tinytorch.DataLoader
pathlib.Path({str(export)!r}).write_text("class DataLoader:\\n    new = True\\n", encoding="utf-8")
importlib.reload(feed)
print(tinytorch.DataLoader.new, tinytorch.DataLoader is not old)""",
        )
        == "True True"
    )


def test_an_error_inside_an_export_is_shown_as_it_is(workspace):
    (workspace / "tinytorch" / "core" / "feed.py").write_text(EXPORT + "1 / 0\n", encoding="utf-8")
    assert (
        error_of(workspace, "from tinytorch import DataLoader")
        == "ZeroDivisionError division by zero"
    )


def test_importing_the_package_loads_neither_numpy_nor_anything_slow(workspace):
    loaded = say(workspace, "import tinytorch", "-S", "-X", "importtime")
    names = {line.rpartition("|")[2].strip() for line in loaded.splitlines()}
    assert "tinytorch" in names
    assert not names & {"numpy", "pathlib", "re", "importlib.metadata", "tomllib", "tomli"}


def test_loading_the_package_again_leaves_one_finder(workspace):
    assert (
        say(
            workspace,
            "import importlib, sys, tinytorch\nbefore ="
            " len(sys.meta_path)\nimportlib.reload(tinytorch)\nprint(len(sys.meta_path) - before)",
        )
        == "0"
    )


def test_the_version_has_one_home(workspace):
    from importlib.metadata import version

    assert tinytorch.__version__ == version("tinytorch-course")
    assert (
        say(workspace, "import tinytorch; print(tinytorch.__version__)", "-S") == "0+not.installed"
    )
