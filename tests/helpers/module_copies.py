"""Copies of the sample module (the fixture `sample_module`), which a test changes."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

from grading.engine.course.references import source_path
from tito.workspace import Module, Workspace


def copied(module: Module, folder: Path, *changes: tuple[str, str]) -> Module:
    """A copy of the module's workspace, with changes in its source."""
    root = folder.resolve() / "course"
    shutil.copytree(module.root, root)
    copy = Workspace(root).module(module.number)
    edit(source_path(copy), *changes)
    return copy


def edit(path: Path, *changes: tuple[str, str]) -> None:
    """Replace each text, which is there, by another one."""
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8", newline="\n")


def laws_of(module: Module) -> Path:
    (path,) = module.tests.glob("test_1a_*.py")
    return path


def run_verb(verb: Any, *words: str) -> int:
    """The exit code of a verb's file, such as `dev_check`, with these arguments."""
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    return verb.run(parser.parse_args(words))
