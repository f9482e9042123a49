"""Hours follow from the minutes below a notebook's headings, its text and its demos."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tito.notebook import hours
from tito.notebook.cells import Cell, parse_percent


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


@given(st.lists(st.integers(1, 60), min_size=1), st.lists(st.integers(1, 60), min_size=1))
def test_a_part_has_its_stated_minutes_text_and_demos_and_the_last_the_submission(first, second):
    def part(name, minutes):
        return f"# Part {name}\n" + "\n".join(
            f"### 1a One\n<!-- points -->, about {number} minutes\nIt takes 99 minutes."
            for number in minutes
        )

    read = "## Read this\n" + "word " * (hours.WORDS_PER_MINUTE - 3)  # a minute, as the title is
    cells = notebook("# 09 A title", part("A", first), read, part("B", second))
    cells.append(Cell(9, "code", "run()", tags=("demo",)))
    parts = hours.minutes(cells)
    a, b = sum(first) + 2, sum(second) + hours.DEMO_MINUTES + hours.HAND_IN_MINUTES
    assert parts == {"Part A": a, "Part B": b}
    nobodys = "<!-- hours Part C -->"
    assert hours.filled_in(f"<!-- hours --> | <!-- hours Part B --> | {nobodys}", parts) == (
        f"{hours.hours(a + b)} | {hours.hours(b)} | {nobodys}"
    )
    assert hours.summary(parts) == f"Part A {hours.hours(a)}, Part B {hours.hours(b)}"
