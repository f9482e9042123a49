"""Hours follow from the minutes that are below a notebook's headings."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tito.notebook import hours
from tito.notebook.cells import parse_percent


def notebook(*texts: str):
    return parse_percent("\n\n".join(f'# %% [markdown]\n"""\n{text}\n"""' for text in texts))


@given(st.integers(1, 3000))
def test_the_range_ends_at_the_next_half_hour_and_begins_at_three_quarters_of_it(minutes):
    found = re.fullmatch(r"(?:([\d.]+) to )?([\d.]+) hours?", hours.hours(minutes))
    most = float(found[2])
    least = float(found[1] or most)
    assert minutes <= 60 * most < minutes + 30
    assert 0.75 * minutes <= 60 * least < 0.75 * minutes + 30
    assert (least * 2).is_integer() and (most * 2).is_integer()


def test_hours_are_written_as_one_says_them():
    said = {20: "0.5 hours", 60: "1 hour", 65: "1 to 1.5 hours", 240: "3 to 4 hours"}
    assert {minutes: hours.hours(minutes) for minutes in said} == said


@given(st.lists(st.integers(1, 60), min_size=1), st.lists(st.integers(1, 60), min_size=1))
def test_each_part_has_the_minutes_of_the_headings_below_it(first, second):
    def part(name, minutes):
        return f"# Part {name}\n" + "\n".join(
            f"### 1a One\n<!-- points -->, about {number} minutes\nIt takes 99 minutes."
            for number in minutes
        )

    cells = notebook("# 09 A title", part("A", first), part("B", second))
    parts = hours.minutes(cells)
    assert parts == {"Part A": sum(first), "Part B": sum(second)}
    assert hours.filled_in("<!-- hours --> | <!-- hours Part B -->", parts) == " | ".join(
        [hours.hours(sum(first) + sum(second)), hours.hours(sum(second))]
    )
    assert hours.summary(parts) == ", ".join(
        [f"Part A {hours.hours(sum(first))}", f"Part B {hours.hours(sum(second))}"]
    )


def test_a_notebook_without_parts_has_one_sum_and_a_part_that_is_none_keeps_its_mark():
    stated = ("<!-- points -->, about 50 minutes", "2 points, about 70 minutes")
    parts = hours.minutes(notebook(*(f"### 1a One\n{line}" for line in stated)))
    assert hours.summary(parts) == "1.5 to 2 hours"
    for mark, known in (("<!-- hours Part B -->", parts), ("<!-- hours -->", {})):
        assert hours.filled_in(mark, known) == mark
