"""Methods that have cells of their own are in their class in the export, line by line."""

from hypothesis import given
from hypothesis import strategies as st

from tinytorch.classes import add_to_class
from tito.notebook.cells import parse_percent
from tito.student_work.exporter import locate, render


class Made:
    name = "07_made"


BODIES = (
    "return {value}",
    'text = """\n{value}\n  kept"""\n    return len(text) + {value}',
    '"""A docstring\n\n    of three lines.\n    """\n    return {value}',
    'return len(f"""{{1}}\n{value}""")',
    "return {value}\n    # a remark below",
    'return (\n        "a"\n        "b" * {value}\n    )',
)
DECORATORS = ("", "@property\n", "@staticmethod\n", "@classmethod\n")


@st.composite
def notebooks(draw):
    """(percent script, {class: {method: decorator}}): classes in some cells, methods in others."""
    names = draw(st.lists(st.sampled_from("ABC"), min_size=1, max_size=3, unique=True))
    cells, methods = [], {name: {} for name in names}
    for name in names:
        text = f'class {name}:\n    """A class."""\n\n    own = 1\n'
        together = cells and draw(st.booleans())
        if together:
            cells[-1] += f"\n\n{text}"
        else:
            cells.append(f"#| export\n{text}")
        if draw(st.booleans()):
            cells[-1] += f"\n\nafter_{name} = {name}.own\n"
    for number in range(draw(st.integers(0, 5))):
        name, decorator = draw(st.sampled_from(names)), draw(st.sampled_from(DECORATORS))
        first = {"@staticmethod\n": "", "@classmethod\n": "cls"}.get(decorator, "self")
        body = draw(st.sampled_from(BODIES)).format(value=number)
        text = f"@add_to_class({name})\n{decorator}def m{number}({first}):\n    {body}\n"
        methods[name][f"m{number}"] = decorator
        if number and draw(st.booleans()):
            cells[-1] += f"\n\n{text}"
        else:
            cells.append(f"#| export\n{text}")
    return "\n".join(f"# %%\n{cell}" for cell in cells), methods


def asked(holder, name, decorator):
    found = getattr(holder() if decorator in ("", "@property\n") else holder, name)
    return found if decorator == "@property\n" else found()


@given(notebooks())
def test_the_export_is_the_notebook_with_whole_classes(notebook):
    script, methods = notebook
    cells = parse_percent(script)
    attached = {"add_to_class": add_to_class}
    for cell in cells:
        exec(cell.source, attached)
    text = render(cells, Made, source_name="made.py")
    exported = {}
    exec(text, exported)
    assert "add_to_class" not in text
    for name, own in methods.items():
        for method, decorator in own.items():
            wanted = asked(attached[name], method, decorator)
            assert asked(exported[name], method, decorator) == wanted
            shown = vars(exported[name])[method], vars(attached[name])[method]
            assert type(shown[0]) is type(shown[1])


@given(notebooks())
def test_each_line_of_the_export_is_found_in_its_cell(notebook):
    script, _ = notebook
    cells = {f"cell {cell.index}": cell.source.split("\n") for cell in parse_percent(script)}
    text = render(parse_percent(script), Made, source_name="made.py")
    for number, line in enumerate(text.split("\n"), start=1):
        place = locate(text, number)
        if place and line.strip() and not line.strip().startswith("# %% [cell"):
            assert cells[place[0]][place[1] - 1].strip() == line.strip()
