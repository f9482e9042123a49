"""Launch buttons are made from one setting and left out while it is empty; Binder and a dev
container install the versions that the course pins.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from site_tools import launch

from tito.workspace import Workspace

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = "modules/31_feed/feed_dev.ipynb"
ON_GITHUB = {
    "Open in Binder": (
        "https://mybinder.org/v2/gh/ann/course/HEAD?urlpath=lab%2Ftree%2Fmodules%2F31_feed%2Ffeed_dev.ipynb"
    ),
    "Open in Colab": (
        "https://colab.research.google.com/github/ann/course/blob/HEAD/modules/31_feed/feed_dev.ipynb"
    ),
    "Download the notebook": (
        "https://raw.githubusercontent.com/ann/course/HEAD/modules/31_feed/feed_dev.ipynb"
    ),
}
# Colab reads GitHub only.
ON_GITLAB = {
    "Open in Binder": (
        "https://mybinder.org/v2/gl/school%2Fyear-2%2Fcourse/HEAD?urlpath=lab%2Ftree%2Fmodules%2F31_feed%2Ffeed_dev.ipynb"
    ),
    "Download the notebook": (
        "https://gitlab.com/school/year-2/course/-/raw/HEAD/modules/31_feed/feed_dev.ipynb?inline=false"
    ),
}


@pytest.mark.parametrize(
    ("spelled", "wanted"),
    [
        ("", {}),
        ("  ", {}),
        ("https://github.com/ann/course", ON_GITHUB),
        ("https://github.com/ann/course/", ON_GITHUB),
        ("https://github.com/ann/course.git", ON_GITHUB),
        (" https://www.github.com/ann/course ", ON_GITHUB),
        ("https://gitlab.com/school/year-2/course.git", ON_GITLAB),
    ],
)
def test_a_repository_gives_its_buttons_and_none_gives_none(spelled, wanted):
    assert launch.links(spelled, NOTEBOOK) == wanted


def test_a_path_with_a_space_and_a_hash_arrives_whole():
    path = "modules/31 feed/a#b.ipynb"
    made = launch.links("https://github.com/ann/course", path)
    assert (
        unquote(urlsplit(made["Open in Colab"]).path).endswith(path)
        and not urlsplit(made["Open in Colab"]).fragment
    )
    assert unquote(urlsplit(made["Download the notebook"]).path).endswith(path)
    # Binder passes urlpath to JupyterLab, which decodes it a second time.
    assert (
        unquote(parse_qs(urlsplit(made["Open in Binder"]).query)["urlpath"][0])
        == f"lab/tree/{path}"
    )


@pytest.mark.parametrize(
    "wrong",
    [
        "github.com/ann/course",
        "http://github.com/ann/course",
        "git@github.com:ann/course.git",
        "https://github.com/ann",
        "https://github.com/ann/course/tree/main",
        "https://bitbucket.org/ann/course",
        "https://github.com.evil.example/ann/course",
        "https://github.com/ann/course?x=1",
        "https://github.com/../course",
        "https://gitlab.com/ann",
        'https://github.com/ann/"course',
    ],
)
def test_any_other_address_is_refused_with_the_rule_and_the_setting(wrong):
    with pytest.raises(
        ValueError,
        match=(r"https://github\.com/OWNER/NAME or https://gitlab\.com/GROUP/NAME.*in tito\.toml"),
    ) as refused:
        launch.links(wrong, NOTEBOOK)
    assert repr(wrong) in str(refused.value)


# Packages that a launched machine installs


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def installed_by(command: str, folder: Path) -> tuple[Path, set[str]]:
    """The file of pinned versions and the extras that the pip arguments name; paths of `-c` are
    relative to `folder`.
    """
    pins = re.search(r"-c\s+(\S+)", command).group(1)
    return (folder / pins).resolve(), set(
        re.search(r"-e\s+'?\.\[([\w,]+)\]'?", command).group(1).split(",")
    )


def test_binder_installs_the_students_extra_in_the_tested_versions():
    folder = ROOT / ".binder"
    # pip resolves -c relative to the file, and -e relative to the working folder
    pins, extras = installed_by((folder / "requirements.txt").read_text(encoding="utf-8"), folder)
    assert pins == ROOT / "constraints.txt" and pins.is_file()
    assert extras == {"notebook"} and extras <= project()["optional-dependencies"].keys()
    version = (folder / "runtime.txt").read_text(encoding="utf-8").strip()
    least = re.fullmatch(r">=3\.(\d+)", project()["requires-python"]).group(1)
    assert re.fullmatch(r"python-3\.\d+", version) and int(version.partition(".")[2]) >= int(least)


def test_the_dev_container_installs_the_same_and_opens_a_notebook_that_is_there():
    container = json.loads(
        (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    )
    assert installed_by(container["postCreateCommand"], ROOT) == (
        ROOT / "constraints.txt",
        {"notebook"},
    )
    notebooks = {
        module.notebook.relative_to(ROOT).as_posix() for module in Workspace(ROOT).modules()
    }
    opened = container["customizations"]["codespaces"]["openFiles"]
    assert opened and set(opened) <= notebooks


def test_jupyterlab_finds_the_defaults_that_open_a_paired_script_as_a_notebook():
    """The wheel installs the defaults where JupyterLab looks for them; they say that jupytext opens
    Python files as notebooks.
    """
    shared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"][
        "build"
    ]["targets"]["wheel"]["shared-data"]
    place = shared["tito/jupyterlab_defaults.json"]
    assert re.fullmatch(r"share/jupyter/lab/settings/overrides\.d/[\w-]+\.json", place)
    assert project()["optional-dependencies"]["notebook"] and any(
        need.startswith("jupytext") for need in project()["optional-dependencies"]["notebook"]
    )
    viewers = json.loads((ROOT / "tito" / "jupyterlab_defaults.json").read_text(encoding="utf-8"))[
        "@jupyterlab/docmanager-extension:plugin"
    ]["defaultViewers"]
    assert viewers["python"] == "Jupytext Notebook"


def test_a_published_bundle_opens_in_binder_and_in_a_dev_container():
    from grading.authoring import bundle

    workspace = Workspace(ROOT)
    module = workspace.modules()[-1]
    contents = bundle._contents(workspace, [module])
    assert {
        ".binder/requirements.txt",
        ".binder/runtime.txt",
        ".devcontainer/devcontainer.json",
        "constraints.txt",
        "pyproject.toml",
        "hatch_build.py",
    } <= contents.keys()
    container = json.loads(contents[".devcontainer/devcontainer.json"])
    assert set(container["customizations"]["codespaces"]["openFiles"]) <= contents.keys()
