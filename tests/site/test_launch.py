"""Launch buttons are made from one setting and left out while it is empty; Binder and a dev
container install the versions that the course pins.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from site_tools import launch

from tito.files import read_toml
from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = "modules/31_feed/feed_dev.ipynb"
LAB = "HEAD?urlpath=lab%2Ftree%2Fmodules%2F31_feed%2Ffeed_dev.ipynb"
ON_GITHUB = {
    "Open in Binder": f"https://mybinder.org/v2/gh/ann/course/{LAB}",
    "Open in Colab": f"https://colab.research.google.com/github/ann/course/blob/HEAD/{NOTEBOOK}",
    "Download the notebook": f"https://raw.githubusercontent.com/ann/course/HEAD/{NOTEBOOK}",
}
RAW = "https://gitlab.com/school/year-2/course/-/raw/HEAD"
ON_GITLAB = {  # Colab reads GitHub only
    "Open in Binder": f"https://mybinder.org/v2/gl/school%2Fyear-2%2Fcourse/{LAB}",
    "Download the notebook": f"{RAW}/{NOTEBOOK}?inline=false",
}


@pytest.mark.parametrize(
    ("spelled", "wanted"),
    [
        ("", {}),
        ("https://github.com/ann/course", ON_GITHUB),
        ("https://github.com/ann/course.git", ON_GITHUB),
        (" https://www.github.com/ann/course ", ON_GITHUB),
        ("https://gitlab.com/school/year-2/course.git", ON_GITLAB),
    ],
)
def test_a_repository_gives_its_buttons_and_none_gives_none(spelled, wanted):
    assert launch.links(spelled, NOTEBOOK) == wanted


@pytest.mark.parametrize(
    "wrong",
    [
        "https://github.com/ann/course/tree/main",
        "https://github.com.evil.example/ann/course",
        "https://github.com/../course",
    ],
)
def test_any_other_address_is_refused_with_the_rule_and_the_setting(wrong):
    with pytest.raises(
        ValueError,
        match=(r"https://github\.com/OWNER/NAME or https://gitlab\.com/GROUP/NAME.*in tito\.toml"),
    ) as refused:
        launch.links(wrong, NOTEBOOK)
    assert repr(wrong) in str(refused.value)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_binder_and_a_dev_container_install_the_students_extra_in_the_tested_versions():
    container = json.loads(text_of(".devcontainer/devcontainer.json"))
    for command, folder in (
        (text_of(".binder/requirements.txt"), ROOT / ".binder"),  # -c is relative to the file
        (container["postCreateCommand"], ROOT),
    ):
        pins = re.search(r"-c\s+(\S+)", command)[1]
        assert (folder / pins).resolve() == ROOT / "constraints.txt"
        assert re.search(r"-e\s+'?\.\[([\w,]+)\]'?", command)[1] == "notebook"
    project = read_toml(ROOT / "pyproject.toml", ValueError)["project"]
    (version,) = re.findall(r"^python-3\.(\d+)$", text_of(".binder/runtime.txt").strip())
    (least,) = re.findall(r"^>=3\.(\d+)$", project["requires-python"])
    assert int(version) >= int(least)


def test_a_published_bundle_opens_in_binder_and_in_a_dev_container():
    from grading.authoring import bundle

    workspace = Workspace(ROOT)
    contents = bundle._contents(workspace, workspace.modules()[-1:])
    needed = {".binder/requirements.txt", ".binder/runtime.txt", ".devcontainer/devcontainer.json"}
    needed |= {"constraints.txt", "pyproject.toml", "hatch_build.py"}
    assert needed <= contents.keys()
    container = json.loads(contents[".devcontainer/devcontainer.json"])
    opened = container["customizations"]["codespaces"]["openFiles"]
    assert contents.keys() >= set(opened)
