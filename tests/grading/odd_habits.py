"""What people and their editors do to a notebook. Each habit changes the notebook of a `Desk` at
one exercise or question, or as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from desk import Desk, flags, label, without_export

from grading.engine.nbgrader.library import nbformat

AT_EXERCISE: dict[str, Callable[[Desk], None]] = {}
AT_QUESTION: dict[str, Callable[[Desk], None]] = {}
WHOLE: dict[str, Callable[[Desk], None]] = {}


def habit(table: dict[str, Callable[[Desk], None]]) -> Callable[[Any], Any]:
    def kept(act: Callable[[Desk], None]) -> Callable[[Desk], None]:
        table[act.__name__] = act
        return act

    return kept


# A copy of the stub


@habit(AT_EXERCISE)
def a_copied_stub_below(desk: Desk) -> None:
    desk.put(desk.stub, desk.work, metadata=desk.work["metadata"])


@habit(AT_EXERCISE)
def a_copied_stub_above(desk: Desk) -> None:
    desk.put(desk.stub, desk.work, after=False, metadata=desk.work["metadata"])


@habit(AT_EXERCISE)
def a_copied_stub_without_a_label_at_the_end(desk: Desk) -> None:
    desk.put(desk.stub, desk.cells[-1])


@habit(AT_EXERCISE)
def a_copied_stub_with_a_note_below(desk: Desk) -> None:
    desk.put(desk.stub + "\n# my first idea was a loop", desk.work, metadata=desk.work["metadata"])


@habit(AT_EXERCISE)
def the_stub_stays_below_in_the_same_cell(desk: Desk) -> None:
    desk.work["source"] += "\n\n" + without_export(desk.stub)


# The solution in another cell


@habit(AT_EXERCISE)
def the_solution_in_a_new_cell_below_its_stub(desk: Desk) -> None:
    desk.put(desk.back_to_stub(), desk.work)


@habit(AT_EXERCISE)
def the_solution_in_a_new_cell_that_is_not_exported(desk: Desk) -> None:
    desk.put(without_export(desk.back_to_stub()), desk.work)


@habit(AT_EXERCISE)
def the_solution_in_a_new_cell_above_its_stub(desk: Desk) -> None:
    desk.put(without_export(desk.back_to_stub()), desk.work, after=False)


@habit(AT_EXERCISE)
def the_solution_typed_above_a_locked_test(desk: Desk) -> None:
    desk.test["source"] = without_export(desk.back_to_stub()) + "\n\n" + desk.test["source"]


@habit(AT_EXERCISE)
def the_solution_typed_below_a_locked_test(desk: Desk) -> None:
    desk.test["source"] += "\n\n" + desk.back_to_stub()


@habit(AT_EXERCISE)
def the_solution_in_place_of_a_locked_test(desk: Desk) -> None:
    desk.test["source"] = desk.back_to_stub()


@habit(AT_EXERCISE)
def a_trial_typed_into_a_locked_test(desk: Desk) -> None:
    desk.test["source"] += "\nprint('it works for me')  # a trial\n# and for my neighbor"


@habit(AT_EXERCISE)
def a_locked_test_edited_until_it_said_more(desk: Desk) -> None:
    lines = desk.test["source"].split("\n")
    lines.insert(1, "    print('inside the test')")
    desk.test["source"] = "\n".join(lines)


# Cells split, merged, moved, copied


@habit(AT_EXERCISE)
def a_helper_in_a_cell_that_is_not_exported(desk: Desk) -> None:
    name = f"_helper_{desk.exercise[0]}"
    desk.put(f"def {name}():\n    return True", desk.work, after=False)
    desk.work["source"] += f"\n\n\nassert {name}()"


@habit(AT_EXERCISE)
def an_import_in_a_cell_that_is_not_exported(desk: Desk) -> None:
    desk.put("import math as my_math", desk.cells[0])
    desk.work["source"] += "\n\n\nassert my_math.pi > 3"


@habit(AT_EXERCISE)
def an_import_typed_into_the_first_locked_cell(desk: Desk) -> None:
    first = next(cell for cell in desk.cells if label(cell).startswith("given"))
    first["source"] += "\nimport math as given_math"
    desk.work["source"] += "\n\n\nassert given_math.pi > 3"


@habit(AT_EXERCISE)
def a_cell_split_below_its_first_line(desk: Desk) -> None:
    first, rest = desk.work["source"].split("\n", 1)
    work = desk.work
    desk.put(rest, work, metadata=work["metadata"])
    work["source"] = first


@habit(AT_EXERCISE)
def a_cell_split_inside_its_function(desk: Desk) -> None:
    work, lines = desk.work, desk.work["source"].split("\n")
    desk.put("\n".join(lines[-1:]), work)
    work["source"] = "\n".join(lines[:-1])


@habit(AT_EXERCISE)
def a_solution_merged_with_its_test(desk: Desk) -> None:
    work, test = desk.work, desk.test
    work["source"] += "\n\n" + test["source"]
    desk.cells.remove(test)


@habit(AT_EXERCISE)
def a_solution_merged_into_the_test_above_or_below(desk: Desk) -> None:
    work, test = desk.work, desk.test
    test["source"] += "\n\n" + work["source"]
    desk.cells.remove(work)


@habit(AT_EXERCISE)
def a_test_moved_above_its_solution(desk: Desk) -> None:
    work, test = desk.work, desk.test
    desk.cells.remove(test)
    desk.cells.insert(desk.cells.index(work), test)


@habit(AT_EXERCISE)
def a_solution_cell_twice(desk: Desk) -> None:
    desk.put(desk.work["source"], desk.work, metadata=desk.work["metadata"])


@habit(AT_EXERCISE)
def two_cells_of_one_id(desk: Desk) -> None:
    desk.put(desk.stub, desk.work, metadata=desk.work["metadata"])
    desk.cells[desk.cells.index(desk.work) + 1]["id"] = desk.work["id"]


@habit(AT_EXERCISE)
def a_test_cell_copied_to_the_top(desk: Desk) -> None:
    desk.put(desk.test["source"], desk.cells[0], after=False, metadata=desk.test["metadata"])


@habit(AT_EXERCISE)
def a_test_cell_deleted(desk: Desk) -> None:
    desk.cells.remove(desk.test)


@habit(AT_EXERCISE)
def a_renamed_cell(desk: Desk) -> None:
    work = desk.work
    work["id"] = f"mine-{desk.exercise[0].replace('_', '-')}"
    flags(work)["grade_id"] = f"my_{desk.exercise[0]}"


@habit(AT_EXERCISE)
def a_cell_without_label_and_id(desk: Desk) -> None:
    work = desk.work
    work["metadata"], work["id"] = {}, f"x{desk.chance.randrange(10**6)}"


@habit(AT_EXERCISE)
def the_export_line_deleted(desk: Desk) -> None:
    desk.work["source"] = without_export(desk.work["source"])


@habit(AT_EXERCISE)
def a_timer_above_the_export_line(desk: Desk) -> None:
    desk.work["source"] = "%matplotlib inline\n# solved on Monday\n" + desk.work["source"]


@habit(AT_EXERCISE)
def a_solution_turned_into_text(desk: Desk) -> None:
    work = desk.work
    work["cell_type"] = desk.chance.choice(["markdown", "raw"])
    del work["outputs"], work["execution_count"]


@habit(AT_EXERCISE)
def a_scratch_cell_that_is_not_python(desk: Desk) -> None:
    desk.put("does this work??\nfor x in", desk.work)


# The answer in another cell


@habit(AT_QUESTION)
def an_answer_below_the_question_in_its_cell(desk: Desk) -> None:
    desk.asked["source"] += "\n\n" + desk.answer["source"]
    desk.cells.remove(desk.answer)


@habit(AT_QUESTION)
def an_answer_over_the_question(desk: Desk) -> None:
    desk.asked["source"] = desk.answer["source"]
    desk.answer["source"] = "*Your answer.*"


@habit(AT_QUESTION)
def an_answer_between_the_lines_of_the_question(desk: Desk) -> None:
    lines = desk.asked["source"].split("\n")
    desk.asked["source"] = "\n".join([lines[0], desk.answer["source"], *lines[1:]])
    desk.cells.remove(desk.answer)


@habit(AT_QUESTION)
def an_answer_in_a_new_cell(desk: Desk) -> None:
    desk.put(desk.answer["source"], desk.answer, cell_type="markdown")
    desk.cells.remove(desk.answer)


@habit(AT_QUESTION)
def an_answer_in_a_code_cell(desk: Desk) -> None:
    desk.put(desk.answer["source"], desk.answer)
    desk.answer["source"] = "*Your answer.*"


@habit(AT_QUESTION)
def an_answer_cell_turned_into_code(desk: Desk) -> None:
    desk.answer.update(cell_type="code", outputs=[], execution_count=None)


@habit(AT_QUESTION)
def an_answer_cell_turned_into_raw_text(desk: Desk) -> None:
    desk.answer["cell_type"] = "raw"


@habit(AT_QUESTION)
def an_answer_as_comments_in_a_code_cell(desk: Desk) -> None:
    desk.put(f'"""\n{desk.answer["source"]}\n"""', desk.asked)
    desk.cells.remove(desk.answer)


# The whole notebook


@habit(WHOLE)
def ids_lost(desk: Desk) -> None:
    desk.notebook["nbformat_minor"] = desk.chance.choice([0, 1, 2, 4])
    for cell in desk.cells:
        del cell["id"]


@habit(WHOLE)
def metadata_lost(desk: Desk) -> None:
    for cell in desk.cells:
        cell["metadata"] = {}


@habit(WHOLE)
def a_later_minor_version(desk: Desk) -> None:
    desk.notebook["nbformat_minor"] = 9


def _through(form: str) -> Callable[[str], bytes]:
    def write(text: str) -> bytes:
        import jupytext

        made = nbformat.from_dict(json.loads(text))
        made.metadata.pop("jupytext", None)
        again = jupytext.reads(jupytext.writes(made, fmt=form), fmt=form)
        return json.dumps(again).encode()

    return write


@habit(WHOLE)
def written_by_another_editor(desk: Desk) -> None:
    desk.data = _through(desk.chance.choice(["py:percent", "md"]))


@habit(WHOLE)
def saved_in_format_3(desk: Desk) -> None:
    desk.data = lambda text: json.dumps(
        nbformat.convert(nbformat.from_dict(json.loads(text)), to_version=3)
    ).encode()


@habit(WHOLE)
def saved_as_utf_16(desk: Desk) -> None:
    form = desk.chance.choice(["utf-16", "utf-16-le", "utf-16-be"])
    desk.data = lambda text: text.encode(form)


@habit(WHOLE)
def saved_in_windows_1252(desk: Desk) -> None:
    desk.put("Größe: é, ü, €", desk.cells[0], cell_type="markdown")
    desk.data = lambda text: json.dumps(json.loads(text), ensure_ascii=False).encode("cp1252")


@habit(WHOLE)
def lines_that_end_as_in_windows(desk: Desk) -> None:
    for cell in desk.cells:
        cell["source"] = cell["source"].replace("\n", "\r\n")
    desk.data = lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()


@habit(WHOLE)
def outputs_of_twenty_megabytes(desk: Desk) -> None:
    line = {"output_type": "stream", "name": "stdout", "text": "x" * 20 * 2**20}
    next(cell for cell in desk.cells if cell["cell_type"] == "code")["outputs"] = [line]


@habit(WHOLE)
def another_file_name(desk: Desk) -> None:
    desk.file = "homework final (1).ipynb"
