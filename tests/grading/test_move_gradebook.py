"""`tito grade move`: the whole gradebook in another database, or nothing of it."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from grading.engine.course.directory import Course
from grading.engine.marks.by_hand_record import settle
from grading.engine.nbgrader.import_nbgrader import Gradebook, quiet
from grading.engine.nbgrader.move_gradebook import copied
from helpers.servers import postgres
from helpers.tiny_class import Class, grade
from tito.files import locked


def again(room: Class) -> Course:
    """The course as the next command reads it."""
    return Course(room.course.root)


def files(room: Class) -> dict[str, bytes]:
    names = ("gradebook.db", "nbgrader_config.py")
    return {name: (room.course.root / name).read_bytes() for name in names}


def with_grades_by_hand(room: Class) -> str:
    """The class's table, after a person gave a grade and a comment."""
    words = ("finished", "q_why", "3", "--comment", "Ünten: \N{GREEK SMALL LETTER PI} 'x' \\n %s")
    assert room.here("mark", *words, "--replace")[0] == 0
    return room.here("export", "07")[1]


def unchanged_after(room: Class, table: str, before: dict[str, bytes]) -> None:
    """All marks are where they were before, and nothing is graded again."""
    course = again(room)
    assert {one.status for one in grade(course, room.module)} == {"unchanged"}
    assert room.here("export", "07")[1] == table
    assert files(room)["gradebook.db"] == before["gradebook.db"]
    (copy,) = (course.root / "replaced").glob("*-gradebook.db")
    assert copy.read_bytes() == before["gradebook.db"]


def test_every_mark_is_in_the_new_database_and_nothing_is_graded_again(own_class):
    with own_class.course.book() as book:  # as nbgrader does without course_id
        book.find_assignment(own_class.module.name).course_id = ""
        book.db.commit()
    table, before = with_grades_by_hand(own_class), files(own_class)
    code, said = own_class.here("move", "sqlite:///new.db")
    assert code == 0 and "compared: all equal (" in said
    assert again(own_class).database == own_class.course.root / "new.db"
    with again(own_class).book() as book:
        assert book.find_assignment(own_class.module.name).course.id == ""
    unchanged_after(own_class, table, before)
    # what is graded from now on is in the new one only
    assert own_class.here("mark", "partly", "q_why", "1", "--replace")[0] == 0
    assert own_class.here("export", "07")[1] != table
    assert files(own_class)["gradebook.db"] == before["gradebook.db"]


def test_a_grade_of_formgrader_that_no_command_has_seen_is_moved_too(own_class):
    for points in ("3", "2"):
        assert own_class.here("mark", "finished", "q_why", points, "--replace")[0] == 0
    with own_class.course.book() as book:  # as formgrader does; 3 is an earlier grade, too
        where = ("q_why", own_class.module.stem, own_class.module.name, "finished")
        book.find_grade(*where).manual_score = 3
        book.db.commit()
    assert own_class.here("move", "sqlite:///new.db")[0] == 0
    course = again(own_class)
    settle(course, own_class.module)
    with course.book() as book:
        assert book.find_grade(*where).manual_score == 3


def test_a_database_with_other_rows_is_refused(own_class, tmp_path):
    url, before = f"sqlite:///{tmp_path / 'theirs.db'}", files(own_class)
    with quiet(), Gradebook(url, "default_course") as theirs:
        theirs.add_student("zoe")
    code, said = own_class.here("move", url)
    assert code and "into an empty database only" in said and "student (1)" in said
    assert files(own_class) == before
    with quiet(), Gradebook(url, "default_course") as theirs:
        assert [one.id for one in theirs.students] == ["zoe"]


def test_a_copy_that_differs_is_never_used(own_class, tmp_path):
    url, before = f"sqlite:///{tmp_path / 'rounds.db'}", files(own_class)
    with quiet(), Gradebook(url, "default_course") as new:
        rounds = "UPDATE student SET first_name = 'X' WHERE id = NEW.id"
        trigger = f"CREATE TRIGGER t AFTER INSERT ON student BEGIN {rounds}; END"
        new.db.connection().exec_driver_sql(trigger)
        new.db.commit()
    code, said = own_class.here("move", url)
    assert code and "differs from" in said and "student (" in said
    assert files(own_class) == before


def test_a_move_that_is_killed_after_its_copy_goes_on(own_class, monkeypatch):
    table, before = with_grades_by_hand(own_class), files(own_class)

    def full(*_) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("grading.commands.move.write_atomic", full)
        with pytest.raises(KeyboardInterrupt):
            own_class.here("move", "sqlite:///new.db")
    assert files(own_class) == before
    assert own_class.here("export", "07")[1] == table
    assert own_class.here("move", "sqlite:///new.db")[0] == 0
    assert again(own_class).database == own_class.course.root / "new.db"
    code, said = own_class.here("move", "sqlite:///new.db")
    assert code and "is there already" in said


def test_a_gradebook_that_is_written_to_is_not_moved(own_class):
    with locked(own_class.course.reports(own_class.module) / ".lock"):
        code, said = own_class.here("move", "sqlite:///new.db")
    assert code == 3 and "one run grades 07_tiny at a time" in said
    assert not (own_class.course.root / "new.db").exists()


def test_a_gradebook_of_an_older_nbgrader_is_upgraded_first(own_class):
    with contextlib.closing(sqlite3.connect(own_class.course.database)) as book:
        book.execute("ALTER TABLE grade DROP COLUMN extra_credit")
    code, said = own_class.here("move", "sqlite:///new.db")
    assert code == 1 and "lacks extra_credit in its table grade" in said
    assert "nbgrader db upgrade" in said


def test_nobody_writes_into_the_old_gradebook_before_the_new_one_is_named(own_class):
    old = own_class.course.database
    with (
        copied(own_class.course.db_url, f"sqlite:///{old.with_name('new.db')}"),
        contextlib.closing(sqlite3.connect(old, timeout=0)) as formgrader,
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        formgrader.execute("UPDATE grade SET manual_score = 1")


@pytest.mark.parametrize(
    ("lines", "last"),
    [
        ("c.CourseDirectory.db_url = 'sqlite:///gradebook.db'\nx = 1\n", "x = 1"),
        ("c.CourseDirectory.db_url = (\n  'sqlite:///gradebook.db'\n)\n", "c.CourseDirectory."),
    ],
)
def test_the_line_that_names_the_gradebook_is_replaced_or_overruled(own_class, lines, last):
    config = own_class.course.root / "nbgrader_config.py"
    config.write_text(config.read_text(encoding="utf-8") + lines, encoding="utf-8")
    assert own_class.here("move", "sqlite:///new.db")[0] == 0
    assert again(own_class).database == own_class.course.root / "new.db"
    assert config.read_text(encoding="utf-8").splitlines()[-1].startswith(last)


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("marks", "looks like postgresql"),
        ("oracle+cx_oracle://h/marks", "not installed"),
        (
            "postgresql+psycopg2://ann:secret@127.0.0.1:1/marks?password=secret",
            "the server of the gradebook post",
        ),
    ],
)
def test_what_is_no_address_or_does_not_answer_is_a_sentence(own_class, url, rule):
    before = files(own_class)
    code, said = own_class.here("move", url)
    assert code and rule in said and "secret" not in said
    assert files(own_class) == before


KILLED = """
import os, sys
from sqlalchemy import Engine, event
from grading.engine.nbgrader.move_gradebook import copied

@event.listens_for(Engine, "before_cursor_execute")
def kill(connection, cursor, statement, *_):
    if statement.startswith("INSERT INTO grade "):
        os.kill(os.getpid(), 9)

with copied(*sys.argv[1:]):
    pass
"""


@pytest.mark.long
@pytest.mark.usefixtures("walls")
def test_a_move_to_a_real_server_keeps_every_mark(own_class):
    table, before = with_grades_by_hand(own_class), files(own_class)
    with postgres() as url:
        killed = [sys.executable, "-c", KILLED, own_class.course.db_url, url]
        assert subprocess.run(killed, cwd=Path(__file__).parents[2]).returncode == -9
        assert tables_of(url) == [] and files(own_class) == before
        name_in(own_class.course, "x" * 200)  # SQLite takes it, the server does not
        code, said = own_class.here("move", url)
        assert code == 1 and "refuses a row of the table student: value too long" in said
        assert tables_of(url) == []
        name_in(own_class.course, None)
        before = files(own_class)
        with_password = url.replace("grader@", "grader:secret@")
        code, said = own_class.here("move", with_password)
        assert code == 0 and "secret" not in said and "grader:***@127.0.0.1" in said
        assert again(own_class).db_url == with_password
        unchanged_after(own_class, table, before)
        said = own_class.here("autograde", "07", "--dry-run")[1]
        assert "0 submissions would be graded" in said
        # and back: the way home is the same command
        code, said = own_class.here("move", "sqlite:///home.db")
        assert code == 0, said
        assert own_class.here("export", "07")[1] == table


def name_in(course: Course, name: str | None) -> None:
    with course.book() as book:
        book.find_student("finished").first_name = name
        book.db.commit()


def tables_of(url: str) -> list[str]:
    from sqlalchemy import create_engine, inspect

    engine = create_engine(url)
    try:
        return inspect(engine).get_table_names()
    finally:
        engine.dispose()
