"""What the notebooks in the browser are made of: wheels, the button, and where it is left out."""

import pytest
from site_tools import wheels
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
