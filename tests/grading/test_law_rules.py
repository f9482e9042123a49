"""What a law may not write to, with the place and the line that says so."""

import pytest

from grading.authoring.check.law_rules import check_laws
from grading.authoring.check.subject import Subject
from helpers.module_copies import copied, laws_of

LAW = """

def parts(tt, draw):
    yield tt.Box(3), [1, 2]


@law(1, "the nearer limit")
def test_one_more(tt, inside, draw):
    box, own = tt.Box(2), [0]
    for other, numbers in parts(tt, draw):
        {}
    yield "box", inside(probe, own), 1


def probe(tt, values):
    box = tt.Box(2)
    box.bias.data[:] = values
    return box.bias.data
"""


@pytest.mark.parametrize(
    "line, refused",
    [
        ("box.bias.data[:] = 0", True),
        ("other.weight.data *= 2", True),
        ("other.limit = 3", True),
        ("tt.limit = 3", True),
        ("numbers[0] = other", False),
        ("own[0] = numbers[0]", False),
        ("limit = box.limit", False),
    ],
)
def test_a_law_that_writes_to_a_copy_is_refused_by_its_line(sample_module, tmp_path, line, refused):
    module = copied(sample_module, tmp_path)
    path = laws_of(module)
    text = path.read_text(encoding="utf-8") + LAW.format(line)
    path.write_text(text, encoding="utf-8")
    number = text.splitlines().index(f"        {line}") + 1
    found = [(place, said.endswith(line)) for place, said, _ in check_laws(Subject(module))]
    place = f"modules/09_spatial/tests/{path.name}:{number}"
    assert found == ([(place, True)] if refused else [])
