"""What the notebooks in the browser are made of: wheels, the button, and where it is left out."""

import subprocess
import sys
import zipfile

import pytest
from site_tools import handbook, wheels
from site_tools.dead_links import pages_of

from tito.errors import EnvironmentBroken


def test_an_installed_package_becomes_the_same_wheel_each_time(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = (wheels.packed("pytest", tmp_path / name) for name in ("one", "two"))
    assert one.path.read_bytes() == two.path.read_bytes()
    assert one.name == "pytest" and "pytest" in one.imports and "pluggy" in one.depends
    # needed on Windows alone, or for an extra
    assert not {"colorama", "hypothesis"} & set(one.depends)


def test_wheels_are_without_what_no_notebook_reaches(tmp_path):
    """Each file costs time when a kernel starts."""
    jedi = wheels.packed("jedi", tmp_path)
    with zipfile.ZipFile(jedi.path) as archive:
        names = archive.namelist()
    assert "jedi/__init__.py" in names and len(names) < 1200
    assert any(name.startswith("jedi/third_party/typeshed/stdlib/") for name in names)
    whole = tmp_path / "some-1-py3-none-any.whl"
    with zipfile.ZipFile(whole, "w") as archive:
        for name in ("some/__init__.py", "some/tests/test_it.py", "some-1.dist-info/METADATA"):
            archive.writestr(name, "Name: some\nVersion: 1\n")
    (tmp_path / "lean").mkdir()
    wheels.lean(whole, tmp_path / "lean")
    with zipfile.ZipFile(tmp_path / "lean" / whole.name) as archive:
        assert sorted(archive.namelist()) == ["some-1.dist-info/METADATA", "some/__init__.py"]


def test_names_are_completed_without_the_notes_on_other_packages(tmp_path):
    jedi = wheels.packed("jedi", tmp_path)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import jedi, numpy\n"
        "assert 'unpacked' in jedi.__file__, jedi.__file__\n"
        "import random\n"
        "found = jedi.Interpreter('random.shuf', [globals()]).complete()\n"
        "print([one.name for one in found])\n"
        "found = jedi.Script('import numpy\\nnumpy.aran').complete()\n"
        "print([one.name for one in found])\n"
    )
    with zipfile.ZipFile(jedi.path) as archive:
        archive.extractall(tmp_path / "unpacked")
    said = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "unpacked"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.splitlines() == ["['shuffle']", "['arange']"]


@pytest.mark.parametrize(
    ("name", "reason"), [("numpy", "code for this machine"), ("no-such", "not installed")]
)
def test_what_cannot_be_packed_is_refused_with_the_next_step(tmp_path, name, reason):
    with pytest.raises(EnvironmentBroken, match=reason):
        wheels.packed(name, tmp_path)


def test_a_site_without_notebooks_in_the_browser_has_no_button(draft):
    assert not (draft.html / "lite").exists()
    assert not [
        path
        for path in pages_of(draft.html)
        if "Start in your browser</a>" in path.read_text("utf-8")
    ]


def test_pages_of_jupyterlite_are_not_the_sites_own(tmp_path):
    for name in ("index.html", "lite/lab/index.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert pages_of(tmp_path) == [tmp_path / "index.html"]
    assert 'href="../lite/x"' in handbook.start_button("../lite/x")
