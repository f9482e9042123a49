"""Wrong solutions are spliced into the reference by qualified name; the rest of a cell does not
change.
"""

import pytest

from grading.authoring.variants.splice import splice
from grading.engine.course.wrong_and_right_solutions import read_variant, read_wrong
from tito.errors import WorkError
from tito.notebook.cells import Cell

CLASS_CELL = '''#| export
class Box(Base):
    """Holds things."""   # a comment that stays

    size: int = 3

    @property
    @cached
    def first(self):
        return self.things[0]

    def __len__(self):
        ### BEGIN SOLUTION
        return len(self.things)
        ### END SOLUTION

    class Inner:
        def value(self):
            return 1

# the line after the class'''
METHOD = "#| export\n@add_to_class(Given)\ndef one(self):\n    return 1\n"
DOUBLE = "def double(x):\n    return {}"


def cell(source, index=1, **nbgrader):
    return Cell(index, "code", source, nbgrader or {"solution": True})


GIVEN = cell("#| export\nclass Given:\n    size = 3\n", locked=True)


def spliced(tmp_path, text, *cells):
    path = tmp_path / "wrong.py"
    path.write_text(text, encoding="utf-8")
    return [c.source for c in splice(cells or [cell(CLASS_CELL)], read_variant(path))]


@pytest.mark.parametrize(
    "text, old, new",
    [
        (
            "    @property\n    def first(self):\n        return None\n",
            "    @cached\n    def first(self):\n        return self.things[0]",
            "    def first(self):\n        return None",
        ),
        (
            "    class Inner:\n        def value(self):\n            return 2\n",
            "return 1",
            "return 2",
        ),
        (
            "    def __iter__(self):\n        return iter(())\n",
            "            return 1\n",
            "            return 1\n\n    def __iter__(self):\n        return iter(())\n",
        ),
        ("    size = 4\n", "size: int = 3", "size = 4"),
    ],
    ids=["a method with its decorators", "a nested class", "a new method", "an attribute"],
)
def test_a_member_is_replaced_by_its_qualified_name_and_the_rest_stays(tmp_path, text, old, new):
    assert spliced(tmp_path, f"class Box:\n{text}") == [CLASS_CELL.replace(old, new)]


def test_new_names_stand_in_front_of_the_first_cell_that_changes_and_behind_its_export_mark(
    tmp_path,
):
    double = "#| export\n" + DOUBLE.format("2 * x")
    cells = [cell("one = 1"), cell(double, 2), cell("def half(x):\n    return x / 2", 3)]
    half = "def half(x):\n    return helper()"
    new = f"import math\n\ndef helper():\n    return 0\n\n{half}\n\n{DOUBLE.format('helper()')}\n"
    same, first, last = spliced(tmp_path, new, *cells)
    assert (same, last) == ("one = 1", half)
    assert first.startswith("#| export\nimport math\n")
    assert first.index("def helper") < first.index("def double")


def test_tests_and_demos_are_never_replaced(tmp_path):
    tested = DOUBLE.format("'test'")
    cells = [cell(DOUBLE.format("2 * x")), cell(tested, 2, grade=True)]
    assert spliced(tmp_path, DOUBLE.format("3"), *cells) == [DOUBLE.format("3"), tested]


@pytest.mark.parametrize(
    "text, said",
    [
        ("def duble(x):\n    return 3\n", "duble"),
        ("def double(:\n", "wrong.py:1: "),
        ("x += 1\n", "no definition"),
        ("class Box(Other):\n    size = 1\n", "class statement"),
        ("class Given:\n    size = 4\n", r"wrong.py:2: class Given is given, so only methods"),
        ("limit = 9\n", "wrong.py:1: limit is given, and a student cannot change it"),
        ("\ndef one(self):\n    pass\n", r"wrong.py:2: one is a method of Given, and"),
        ("@add_to_class(Box)\ndef one(self):\n    pass\n", "wrong.py:1: .* Box is none of: Given"),
    ],
)
def test_a_file_that_changes_nothing_is_refused_by_its_name(tmp_path, text, said):
    limit = cell("#| export\nlimit = 3\n", 3, locked=True)
    with pytest.raises(WorkError, match=said) as problem:
        spliced(tmp_path, text, GIVEN, cell(METHOD, 2), limit, cell(CLASS_CELL, 4))
    assert "wrong.py" in str(problem.value)


def test_the_wrong_solutions_of_a_file_are_read_with_their_headers_and_line_numbers(tmp_path):
    (tmp_path / "f.py").write_text(
        "# %% one: Half\n#   and more. (promise 2)\ndef f():\n    pass\n\n\n"
        "# %% two: Both. (promises 3, 1)\ndef f():\n    return\n",
        encoding="utf-8",
    )
    (one, two), faults = read_wrong(tmp_path)
    assert faults == [] and (one.name, two.name) == ("f/one", "f/two")
    assert (one.believed, one.numbers) == ("Half and more.", (2,))
    assert (two.believed, two.numbers) == ("Both.", (3, 1))
    assert two.text.splitlines()[7:] == ["def f():", "    return"]
    assert "return" not in one.text and "pass" not in two.text
