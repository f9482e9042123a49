"""Wrong solutions are spliced into the reference by qualified name; the rest of a cell does not
change.
"""

import pytest

from grading.authoring.check.splice import splice
from grading.engine.course.variants import read_misconceptions, read_variant
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


def cell(source, index=1, **nbgrader):
    return Cell(index, "code", source, nbgrader or {"solution": True})


def variant(tmp_path, text):
    path = tmp_path / "wrong.py"
    path.write_text(text, encoding="utf-8")
    return read_variant(path)


def spliced(tmp_path, text, *cells):
    return [c.source for c in splice(cells or [cell(CLASS_CELL)], variant(tmp_path, text))]


def test_a_method_is_replaced_with_its_decorators_and_the_rest_stays(tmp_path):
    (text,) = spliced(
        tmp_path, "class Box:\n    @property\n    def first(self):\n        return None\n"
    )
    assert text == CLASS_CELL.replace(
        "    @property\n    @cached\n    def first(self):\n        return self.things[0]",
        "    @property\n    def first(self):\n        return None",
    )


def test_a_method_of_a_nested_class_is_replaced_by_its_qualified_name(tmp_path):
    (text,) = spliced(
        tmp_path, "class Box:\n    class Inner:\n        def value(self):\n            return 2\n"
    )
    assert text == CLASS_CELL.replace("return 1", "return 2")


def test_a_method_that_the_reference_lacks_is_appended_to_the_class(tmp_path):
    (text,) = spliced(tmp_path, "class Box:\n    def __iter__(self):\n        return iter(())\n")
    assert text == CLASS_CELL.replace(
        "            return 1\n",
        "            return 1\n\n    def __iter__(self):\n        return iter(())\n",
    )


def test_a_class_attribute_is_replaced(tmp_path):
    assert spliced(tmp_path, "class Box:\n    size = 4\n") == [
        CLASS_CELL.replace("size: int = 3", "size = 4")
    ]


def test_a_string_that_starts_in_column_zero_does_not_move_the_code_around_it(tmp_path):
    (text,) = spliced(
        tmp_path,
        'class Box:\n    def __len__(self):\n        text = """\nleft\n"""\n        return 0\n',
    )
    compile(text, "cell", "exec")
    assert '"""\nleft\n"""\n        return 0' in text


def test_new_names_stand_in_front_of_the_first_cell_that_changes_and_behind_its_export_mark(
    tmp_path,
):
    cells = [
        cell("one = 1"),
        cell("#| export\ndef double(x):\n    return 2 * x", 2),
        cell("def half(x):\n    return x / 2", 3),
    ]
    got = spliced(
        tmp_path,
        "import math\n\ndef helper():\n    return 0\n\ndef half(x):\n    return helper()\n\ndef"
        " double(x):\n    return helper()\n",
        *cells,
    )
    assert got[0] == "one = 1"
    assert got[1].startswith("#| export\nimport math\n") and got[1].index("def helper") < got[
        1
    ].index("def double")
    assert got[2] == "def half(x):\n    return helper()"


def test_tests_and_demos_are_never_replaced(tmp_path):
    tests = [
        cell("def double(x):\n    return 2 * x"),
        cell("def double(x):\n    return 'test'", 2, grade=True),
    ]
    assert spliced(tmp_path, "def double(x):\n    return 3\n", *tests) == [
        "def double(x):\n    return 3",
        "def double(x):\n    return 'test'",
    ]


@pytest.mark.parametrize(
    "text, said",
    [
        ("def duble(x):\n    return 3\n", "duble"),
        ("def double(:\n", "line 1"),
        ("x += 1\n", "no definition"),
        ("class Box(Other):\n    size = 1\n", "class statement"),
    ],
)
def test_a_file_that_changes_nothing_is_refused_by_its_name(tmp_path, text, said):
    with pytest.raises(WorkError, match=said) as problem:
        splice([cell(CLASS_CELL)], variant(tmp_path, text))
    assert "wrong.py" in str(problem.value)


def test_the_wrong_solutions_of_a_file_are_read_with_their_headers_and_line_numbers(tmp_path):
    (tmp_path / "f.py").write_text(
        "# %% one: Half\n#   and more. (promise 2)\ndef f():\n    pass\n\n\n"
        "# %% two: Both. (promises 3, 1)\ndef f():\n    return\n",
        encoding="utf-8",
    )
    (one, two), faults = read_misconceptions(tmp_path)
    assert faults == [] and (one.name, two.name) == ("f/one", "f/two")
    assert (one.believed, one.numbers) == ("Half and more.", (2,))
    assert (two.believed, two.numbers) == ("Both.", (3, 1))
    assert two.text.splitlines()[7:] == ["def f():", "    return"]
    assert "return" not in one.text and "pass" not in two.text


def test_a_file_that_is_no_utf_8_is_named_and_a_mark_of_utf_8_is_passed_over(tmp_path):
    (tmp_path / "f.py").write_bytes(b"\xef\xbb\xbf# %% one: X. (promise 1)\ndef f():\n    pass\n")
    (tmp_path / "g.py").write_bytes(b"# %% one: \xff (promise 1)\n")
    (tmp_path / "folder.py").mkdir()
    (one,), (fault,) = read_misconceptions(tmp_path)
    assert one.name == "f/one" and "g.py: the text is UTF-8; byte 10 is not" in fault


def test_a_block_that_took_in_the_next_one_is_refused(tmp_path):
    (tmp_path / "Box.py").write_text(
        "# %% one: X. (promise 1)\nclass Box:\n    def first(self):\n        pass\n\n\n"
        "# two: Y. (promise 1)\nclass Box:\n    def first(self):\n        return 1\n",
        encoding="utf-8",
    )
    (one,), _ = read_misconceptions(tmp_path)
    with pytest.raises(WorkError, match=r"Box\.py: one: Box is defined 2 times; each wrong"):
        splice([cell(CLASS_CELL)], one)


@pytest.mark.parametrize(
    "text, said",
    [
        ("# %% x: No number.\ndef f():\n    pass\n", "got '# %% x: No number.'"),
        ("#%% x: Y. (promise 1)\ndef f():\n    pass\n", "got '#%% x: Y. (promise 1)'"),
        ("def f():\n    pass\n", "begins with # %% NAME: WHAT A STUDENT BELIEVED."),
        ("y = 1\n# %% x: Y. (promise 1)\ndef f():\n    pass\n", "begins with # %% NAME"),
    ],
)
def test_a_wrong_header_is_reported_with_its_form(tmp_path, text, said):
    (tmp_path / "f.py").write_text(text, encoding="utf-8")
    _, (fault,) = read_misconceptions(tmp_path)
    assert "f.py" in fault and said in fault


METHOD = """#| export
@add_to_class(Given)
def one(self):
    return 1
"""


def with_a_given_class():
    given = cell("#| export\nclass Given:\n    size = 3\n", locked=True)
    return given, cell(METHOD, index=2)


def test_a_method_is_replaced_in_its_own_cell_and_a_new_one_stands_in_front(tmp_path):
    text = (
        "class Given:\n    @property\n    def two(self):\n        return 2\n\n    def one(self):\n"
    )
    before, after = spliced(tmp_path, text + "        return self.two\n", *with_a_given_class())
    assert before == with_a_given_class()[0].source
    assert "@add_to_class(Given)\ndef one(self):\n    return self.two" in after
    assert after.index("@add_to_class(Given)\n@property\ndef two(self):") < after.index("def one")


def test_a_class_that_a_given_cell_adds_a_method_to_stays_the_students(tmp_path):
    own = cell("#| export\nclass Given:\n    def two(self):\n        return 2")
    added = cell(METHOD, index=2, locked=True)
    text = "class Given:\n    def two(self):\n        return 3\n"
    before, after = spliced(tmp_path, text, own, added)
    assert before == own.source.replace("return 2", "return 3") and after == METHOD


@pytest.mark.parametrize(
    "text, said",
    [
        ("class Given:\n    size = 4\n", "class Given is given, so only methods"),
        ("limit = 9\n", "limit is given, and a student cannot change it"),
    ],
)
def test_what_is_given_cannot_be_replaced(tmp_path, text, said):
    cells = [*with_a_given_class(), cell("#| export\nlimit = 3\n", index=3, locked=True)]
    with pytest.raises(WorkError, match=said):
        spliced(tmp_path, text, *cells)
