"""The page of questions and answers quotes what the programs print."""

import ast
import doctest
import io
import os
import re
import sys
import zipfile
from pathlib import Path

import pytest

from helpers.patience import PATIENCE_SECONDS
from tito.child_processes import finished
from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "site" / "faq.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
RUN = [block for block in BLOCKS if block.startswith("$ ")]
ASKS = "[y/N] y\n"
# Quoted from runs that need a second machine, a damaged file or another system. Each is a part of
# a message in the file.
MESSAGES = {
    "were both changed, and they disagree in:": "tito/notebook/pair.py",
    "at the level limits one submission is graded at a time, because its code could read and"
    " change all the others; this run has ": "grading/engine/run/local_pool.py",
    "AppArmor keeps ordinary users from user namespaces: sudo sysctl -w"
    " kernel.apparmor_restrict_unprivileged_userns=0": "grading/engine/sandbox/doctor_probes.py",
    "--security-opt seccomp=unconfined --security-opt"
    " systempaths=unconfined": "grading/engine/sandbox/doctor_probes.py",
    "speeds varied by ": "tinytorch/profiler/diagnosis/loader_report.py",
    " can be read: ": "tito/notebook/damage.py",
    "the zip cannot be read: ": "grading/engine/intake/arrived_files.py",
}


@pytest.fixture(scope="module")
def handout(tmp_path_factory):
    """What a student unpacks: one module, in which nobody has begun."""
    from grading.authoring import bundle

    place = tmp_path_factory.mktemp("handout")
    workspace = Workspace(ROOT)
    with zipfile.ZipFile(io.BytesIO(bundle.build(workspace, workspace.modules()[:1]))) as packed:
        packed.extractall(place)
    return place


@pytest.mark.parametrize("block", RUN, ids=lambda block: block.splitlines()[0])
def test_a_command_prints_what_the_page_quotes(handout, block):
    command, _, want = block.removeprefix("$ ").partition("\n")
    if ASKS in want:  # without a terminal the answer is an option
        command, want = f"{command} --yes", want.partition(ASKS)[2]
    words = ["sh", "-c", f'exec "$0" -m {command} 2>&1', sys.executable]
    environment = {**os.environ, "PYTHONPATH": str(handout), "TITO_WORKSPACE": str(handout)}
    got = finished(words, handout, environment, timeout_seconds=PATIENCE_SECONDS)
    assert doctest.OutputChecker().check_output(want, got.stdout, doctest.ELLIPSIS), got.stdout


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_that_the_page_quotes_is_one_of_the_program(message):
    tree = ast.parse((ROOT / MESSAGES[message]).read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert any(isinstance(text, str) and message in text for text in texts)
    assert message.strip() in " ".join(PAGE.split())
