"""Hostile submissions get the points that their honest part earns and nothing else; in doubtful
cases a person has to look.

One batch grades them all, three at a time, with honest neighbors before, between and after. If this
machine has neither namespaces nor bubblewrap, the entries that need a sandbox are skipped with that
reason. The usual suite grades a sample (sample.py), the long tests every entry at each level.
"""

from __future__ import annotations

import pytest

from attacks import arena
from attacks import course as fort
from attacks.conftest import matches
from helpers.chromium import chromium
from helpers.tiny_course import REPOSITORY

CANARIES = {
    "the instructor's answers": fort.ANSWER_CANARY,
    "hidden contract tests": fort.HIDDEN_CONTRACT_CANARY,
    "a mark scheme": fort.SCHEME_CANARY,
    "a neighbor's notebook": fort.NEIGHBOR_CANARY,
    "the grader's environment": fort.ENVIRONMENT_CANARY,
}


@pytest.fixture
def attack(battle, entry, by_name):
    """(battle, student, entry) for each entry."""
    if entry.name not in by_name:
        pytest.skip("NOT ISOLATED here: this attack is run only where a sandbox isolates")
    return battle, by_name[entry.name], entry


def test_an_attack_earns_what_its_honest_part_earns(attack):
    battle, student, entry = attack
    report, said = battle.arena.report(student), battle.arena.said(student)
    assert battle.arena.points(student, "contract") == pytest.approx(entry.sealed, abs=0.01), said
    review = report["status"] == "needs_review"
    for cell, points in battle.arena.points(student, "test").items():
        earned = entry.guarded[cell]
        assert points <= earned or review, f"{cell} gave {points}, honestly {earned}; {said}"
    assert review or not entry.review, "a person has to see this"
    assert entry.says is None or matches(entry.says, said), said


def test_what_is_lost_is_never_lost_in_silence(attack):
    """If a submission does not get points that its honest part earns, a person is asked or a test
    gives the reason.
    """
    battle, student, entry = attack
    rows = {row["grade_id"]: row for row in battle.arena.report(student)["cells"]}
    lost = [name for name, points in entry.guarded.items() if rows[name]["points"] < points]
    said = battle.arena.said(student)
    assert not lost or said or all(rows[name]["message"] for name in lost), lost


def test_every_submission_has_one_row_and_one_verdict(battle):
    assert sorted(one.student for one in battle.done) == battle.arena.graded()
    wanted = sorted(
        grade_id for cells, groups in fort.EXERCISES.values() for grade_id in (*cells, *groups)
    )
    for one in battle.done:
        report = battle.arena.report(one.student)
        found, reasons = [row["grade_id"] for row in report["cells"]], report["reasons"]
        assert sorted(found) == sorted([*wanted, "q_why"]), one.student
        review = report["status"] == "needs_review"
        assert review == bool(reasons or report["flags"]), one.student
        assert all(reason.strip() and len(reason) < 2000 for reason in reasons), one.student


def test_every_submission_is_in_the_gradebook_with_the_reports_points(battle):
    from grading.engine.nbgrader.import_nbgrader import gradebook

    with gradebook(battle.arena.course.db_url) as book:
        for one in battle.done:
            (notebook,) = book.find_submission(battle.arena.assignment.name, one.student).notebooks
            found = {grade.name: grade.auto_score for grade in notebook.grades}
            rows = [battle.arena.points(one.student, kind) for kind in ("test", "contract")]
            points = rows[0] | rows[1]
            assert {name: found[name] or 0 for name in points} == pytest.approx(points), one.student
            assert {grade.manual_score for grade in notebook.grades} == {None}, one.student


def test_neighbors_get_full_marks_and_no_flag(battle):
    for student in battle.arena.neighbors:
        report = battle.arena.report(student)
        said = [report[part] for part in ("points", "reasons", "flags", "notes")]
        assert said == [fort.FULL_MARKS, [], [], []], student


# What is left after the batch


def test_nothing_of_the_course_the_repository_or_the_packages_changed(battle):
    for part in ("workspace", "course", "packages"):
        before, after = getattr(battle.before, part), getattr(battle.after, part)
        assert set(before.items()) ^ set(after.items()) == set(), part


def test_no_attacker_left_a_file_anywhere(battle):
    world = battle.arena.world
    places = ["/tmp", "/dev/shm", "/var/tmp", "/run", world.home, str(REPOSITORY), world.packages]
    places += [world.workspace, f"{world.course}/reports", f"{world.course}/autograded"]
    assert arena.named(battle.token, *places) == []
    assert battle.after.home == battle.before.home


def test_no_process_no_mount_and_no_scratch_file_is_left(battle):
    assert battle.after.processes - battle.before.processes == set()
    assert battle.after.mounts == battle.before.mounts
    assert battle.after.scratch == battle.before.scratch


def test_nobody_called(battle):
    if not battle.isolated:
        pytest.skip(f"the level limits leaves the network open ({battle.about})")
    assert battle.heard == []


def test_no_secret_comes_back_in_what_a_submission_printed(battle):
    for student, entry in battle.attacks():
        course, assignment = battle.arena.course, battle.arena.assignment
        places = [course.report(student, assignment), course.autograded(student, assignment)]
        text = "".join(path.read_text(encoding="utf-8") for path in places if path.is_file())
        # Only the grader sees the executed notebook, which holds the mark scheme by design.
        leaked = {what for what, canary in CANARIES.items() if canary in text}
        assert leaked <= {"a mark scheme"}, entry.name


# What students see


def test_no_page_shows_a_hidden_test_or_another_secret(battle, pages):
    assert set(pages) >= {student for student, entry in battle.attacks() if entry.page}
    for student, page in pages.items():
        secret = {**CANARIES, "a hidden test": fort.HIDDEN_CELL_CANARY}
        if student in battle.arena.neighbors:
            del secret["a neighbor's notebook"]  # it is the own one
        assert [what for what, canary in secret.items() if canary in page] == [], student


RUNS = (
    r"<(iframe|object|embed|base|form|svg|meta\s[^>]*refresh)\b",
    r"<[a-z]+\s[^<>]*\son[a-z]+\s*=",
    r"<[^<>]*(?:href|src)\s*=\s*[\"']?\s*(?:javascript|http):",
)


def test_no_page_runs_or_fetches_anything(pages):
    for student, page in pages.items():
        text = page.lower()
        assert "<script" not in text and "content-security-policy" in text, student
        assert not [pattern for pattern in RUNS if matches(pattern, text)], student


def test_a_page_with_scripts_in_it_opens_in_a_browser_and_runs_none(pages, by_name, tmp_path):
    path = tmp_path / "page.html"
    name = "Its markdown, attachments, outputs, errors, titles and raw cells hold scripts"
    hostile = by_name[name]
    path.write_text(pages[hostile], encoding="utf-8")
    seen: list[str] = []
    with chromium() as page:
        page.on("dialog", lambda dialog: (seen.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: seen.append(request.url))
        page.goto(path.as_uri())
        assert page.title()
    assert [what for what in seen if not what.startswith(("file:", "data:"))] == []
