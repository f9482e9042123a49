"""A new module: the folders and one sample exercise that already passes `tito dev check`.

Everything is laid out in a scratch folder first and moved in place at the end, so that an error
half-way leaves nothing. The files themselves are templates in grading/authoring/templates/, where
NUMBER, MODULE, SHORT and TITLE stand for the new module's.
"""

import os
import re
import shutil
import tempfile
from pathlib import Path

from tito.errors import UsageError
from tito.files import write_atomic
from tito.workspace import FILE, Module, Workspace, read_module

NAME = re.compile(r"(?P<number>\d\d[a-z]?)_(?P<short>[a-z][a-z0-9_]*[a-z0-9])")
TEMPLATES = Path(__file__).with_name("templates")
PLACES = {  # template -> where it goes
    "source.py.txt": "grading/modules/MODULE/SHORT_dev.py",
    "wrong.py.txt": "grading/modules/MODULE/wrong/clip_values.py",
    "by_comparison.py.txt": "grading/modules/MODULE/right/by_comparison.py",
    "by_sorting.py.txt": "grading/modules/MODULE/right/by_sorting.py",
    "numpy_does_it.py.txt": "grading/modules/MODULE/right/numpy_does_it.py",
    "laws.py.txt": "modules/MODULE/tests/test_1a_clip_values.py",
    "module.toml.txt": "modules/MODULE/module.toml",
    "about.md.txt": "modules/MODULE/ABOUT.md",
}


def new_module(workspace: Workspace, name: str) -> Module:
    """Write the folders of module `name`, such as "09_spatial", and its student edition.

    Raises:
        UsageError: the name is not NN_name, or the number, the name or the export target is taken.
    """
    from grading.authoring.release import release

    values = _values(workspace, name)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=workspace.root) as folder:
        # on the same disk, so that a move is one step
        scratch = Path(folder).resolve()
        for template, place in PLACES.items():
            text = (TEMPLATES / template).read_text(encoding="utf-8")
            write_atomic(scratch / filled(place, values), filled(text, values))
        if (settings := workspace.root / FILE).is_file():
            shutil.copy2(settings, scratch)
        release(read_module(scratch / "modules" / name), Workspace(scratch))
        _move(scratch, workspace.root, _rooms(name))
    return read_module(workspace.root / "modules" / name)


def _rooms(name: str) -> list[str]:
    """The new folders; modules/ last, because the module exists from then on."""
    return [f"grading/modules/{name}", f"modules/{name}"]


def _values(workspace: Workspace, name: str) -> dict[str, str]:
    match = NAME.fullmatch(name)
    if not match:
        raise UsageError(
            "a module is called NN_name: two digits, perhaps a letter, _, lower case; got"
            f" {name!r}. For example: tito dev new {_free_number(workspace)}_my_module"
        )
    number, short = match.group("number"), match.group("short")
    export = f"{workspace.package.name}/core/{short}.py"
    modules = workspace.modules()
    known = any(short == module.short or export == module.export for module in modules)
    free = f"{_free_number(workspace)}_{short}{'_2' if known else ''}"
    for module in modules:
        for what, mine, theirs in (
            ("number", number, module.number),
            ("name", short, module.short),
            ("export target", export, module.export),
        ):
            if mine == theirs:
                raise UsageError(
                    f"each module has its own {what}; {module.name} already has {theirs}. Choose"
                    f" another, for example: tito dev new {free}"
                )
    taken = [place for place in (*_rooms(name), export) if (workspace.root / place).exists()]
    if taken:
        raise UsageError(
            f"new never writes over what is there; {taken[0]} exists."
            " Move it away, or choose another name"
        )
    return {
        "NUMBER": number,
        "MODULE": name,
        "SHORT": short,
        "TITLE": short.replace("_", " ").capitalize(),
        "EXPORT": export,
        "IMPORT": export.removesuffix(".py").replace("/", "."),
    }


def _free_number(workspace: Workspace) -> str:
    """The number after the last module's."""
    numbers = (module.number[:2] for module in workspace.modules())
    last = max((int(number) for number in numbers if number.isdigit()), default=0)
    return f"{min(last + 1, 99):02d}"


def filled(text: str, values: dict[str, str]) -> str:
    return re.sub("|".join(values), lambda match: values[match.group(0)], text)


def _move(scratch: Path, root: Path, rooms: list[str]) -> None:
    """Move each room in one step; take all of them back when one cannot be moved."""
    moved = []
    try:
        for room in rooms:
            (root / room).parent.mkdir(parents=True, exist_ok=True)
            moved.append(root / room)
            os.rename(scratch / room, root / room)
    except BaseException:
        for path in moved:
            shutil.rmtree(path, ignore_errors=True)
        raise
