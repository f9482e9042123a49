"""The command line's page: each verb's words and arguments, in the order of the work, with examples
that were run.
"""

import re
from pathlib import Path

import pytest
from site_tools import cli_page, verb_examples
from site_tools.verb_examples import Example, Step

from tito.errors import WorkError
from tito.verbs import GROUPS, verbs

ROOT = Path(__file__).resolve().parents[2]
STEPS = verb_examples.steps(ROOT / "site" / "_examples" / "verbs.toml")
ALL = {
    " ".join(filter(None, (verb.group, verb.name))): verb
    for group in (None, *GROUPS)
    for verb in verbs(group).values()
}


def test_each_verb_stands_on_the_page_with_the_words_that_its_help_prints():
    page = cli_page.page()
    for name, verb in ALL.items():
        entry = page.split(f"\n### tito {name}\n")[1].split("\n### ")[0]
        words = " ".join(entry.split())
        assert f" usage: tito {name} " in words and verb.help in words and "show this help" in words


def test_each_example_belongs_to_a_verb():
    shown = [step for step in STEPS if step.verb]
    assert {step.verb for step in shown} <= set(ALL)
    assert all(f"{step.command} ".startswith(f"tito {step.verb} ") for step in shown)


def test_an_example_prints_what_its_command_prints_without_this_machine():
    steps = [
        Step("tito dev new 09_spatial"),
        Step("tito reset 09 --list", verb="reset"),
        Step("tito doctor", verb="doctor", lines=9),
    ]
    found = verb_examples.run(ROOT, steps)
    assert found["reset"] == [
        Example("tito reset 09 --list", "no backups of spatial_dev.ipynb yet")
    ]
    doctor = found["doctor"][0].output
    assert "workspace: ~/course" in doctor and doctor.endswith("\n...")
    assert "/tmp" not in doctor and not re.search(r"^ok    python: .* at /", doctor)


def test_an_example_that_ends_otherwise_is_a_fault():
    with pytest.raises(WorkError, match="`tito test 99`, ended with 3"):
        verb_examples.run(ROOT, [Step("tito test 99", fails=True)])
