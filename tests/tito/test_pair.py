"""The .ipynb and the .py of a module: which one holds the work."""

import pytest

from tito.errors import WorkError
from tito.files import backup
from tito.notebook import pair
from tito.notebook.cells import code_hash, read_ipynb, read_percent

STUB, DONE = 'raise NotImplementedError("your turn: add")', "return a + b"


def contents(folder):
    return [path.read_bytes() for path in folder.iterdir()]


def test_two_files_with_the_same_code_agree_whatever_the_order_they_were_saved_in(paired):
    notebook = paired.load()  # prose and outputs are no disagreement
    notebook["cells"][0]["source"] = ["Other prose"]
    notebook["cells"][2]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["x"]}]
    paired.save(notebook)
    work = pair.read_work(paired.module)
    assert work.source == paired.module.notebook and work.stale is None
    assert work.code == work.released == code_hash(read_percent(paired.module.script))


@pytest.mark.parametrize("winner, loser", [("script", "notebook"), ("notebook", "script")])
def test_the_one_that_was_changed_wins(paired, tito, winner, loser):
    if winner == "script":
        paired.write_py(STUB, DONE)
    else:
        paired.solve()
    work = pair.read_work(paired.module)
    wanted = (getattr(paired.module, winner), getattr(paired.module, loser))
    assert (work.source, work.stale) == wanted
    # a .py that is as it was handed out is of no interest to who works in the notebook
    heard, before = winner == "script", [path.read_bytes() for path in wanted]
    for verb in (["export", "07", "--partial"], ["test", "07"]):
        assert (f"{wanted[1].name} is behind; `tito sync 07" in tito(*verb)[1]) == heard
    assert [path.read_bytes() for path in wanted] == before
    assert tito("sync", "07")[0] == 0 and pair.read_work(paired.module).stale is None
    assert "nothing to do" in tito("sync", "07")[1]


def test_both_changed_and_different_stops_with_the_names_of_the_cells_and_changes_nothing(
    paired, tito
):
    paired.solve()
    paired.write_py(STUB, "return b + a")
    files = (paired.module.notebook, paired.module.script)
    before = [path.read_bytes() for path in files]
    for verb in ("export", "test", "sync", "submit"):
        code, _, err = tito(verb, "07")
        assert code == 1 and "both changed" in err and "cell 4 (add)" in err
        assert "--from ipynb" in err
    assert [path.read_bytes() for path in files] == before
    assert tito("sync", "07", "--from", "ipynb")[0] == 0
    assert pair.read_work(paired.module).stale is None
    assert before[1] in contents(paired.workspace.backups), "the loser is kept"


@pytest.mark.parametrize("written", ['markdown] id="answer-sys-why"', "markdown]"])
def test_sync_from_the_py_keeps_ids_metadata_outputs_and_prose(paired, tito, written):
    """Also where an editor has dropped the id by which the grader finds an answer."""
    notebook = paired.load()
    for place, text in ((1, "kept"), (3, "of the old code")):
        output = {"output_type": "stream", "name": "stdout", "text": [text]}
        notebook["cells"][place]["outputs"] = [output]
    paired.save(notebook)
    paired.write_py(STUB, DONE)
    paired.write_py('markdown] id="answer-sys-why"', written)
    paired.write_py("*Your answer here.*", "Because it is asked.")
    code, out, _ = tito("sync", "07")
    after = paired.load()
    assert code == 0 and "refreshed: modules/07_adder/adder_dev.ipynb" in out
    for key in ("id", "metadata"):
        assert [c[key] for c in after["cells"]] == [c[key] for c in notebook["cells"]]
    assert after["metadata"] == notebook["metadata"]
    assert after["cells"][1]["outputs"] == notebook["cells"][1]["outputs"]
    assert after["cells"][3]["outputs"] == []
    assert "".join(after["cells"][9]["source"]) == "Because it is asked."
    script = code_hash(read_percent(paired.module.script))
    assert code_hash(read_ipynb(paired.module.notebook)) == script
    assert len(list(paired.workspace.backups.glob("*adder_dev.ipynb"))) == 1


@pytest.mark.parametrize(
    "text, says",
    [
        (b'{"cells": [{"cell_type": "code"}]}', "cell 1"),
        (b'{"cells": 3}', "list of cells"),
        (b'{"cells": [{"cell_type": "code", "source": [1], "metadata": {}}]}', "cell 1"),
        (b"", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b'{"cells": [{"cell_type": "code", "source": "\'\\ud800\'"}]}', "UTF-8 can encode"),
        (b'{"cells": "\xff"}', "UTF-8"),
    ],
    ids=lambda given: str(given[:12]),
)
def test_a_damaged_notebook_is_refused_with_a_way_back(course, text, says):
    course.module.notebook.write_bytes(text)
    with pytest.raises(WorkError, match=f"(?s){says}.*tito reset 07$"):
        pair.read_work(course.module)
    backup(course.module.starter, course.workspace.backups)
    with pytest.raises(WorkError, match=f"(?s){says}.*tito reset 07 --list"):
        pair.read_work(course.module)


@pytest.mark.parametrize(
    "damaged, damage, source",
    [
        ("notebook", b"[]", "py"),
        ("script", b"# %% tags=oops\nx = 1\n", "ipynb"),
        ("script", b"# %%\nx = '\xff'\n", "ipynb"),
    ],
)
def test_a_damaged_file_is_made_again_from_the_other(paired, tito, damaged, damage, source):
    paired.solve()
    notebook = paired.load()
    notebook["cells"][3]["metadata"] |= {"jupyter": {"source_hidden": True}, "tags": ["mine"]}
    paired.save(notebook)
    tito("sync", "07")
    before = [(raw["id"], raw["metadata"]) for raw in paired.load()["cells"]]
    getattr(paired.module, damaged).write_bytes(damage)
    for verb in ("test", "export", "submit", "sync"):
        code, _, err = tito(verb, "07")
        assert code == 1 and f"tito sync 07 --from {source}" in err
    assert tito("sync", "07", "--from", source)[0] == 0
    assert damage in contents(paired.workspace.backups)
    work = pair.read_work(paired.module)
    assert tito("export", "07")[0] == 0 and work.released and work.stale is None
    after = [(raw["id"], raw["metadata"]) for raw in paired.load()["cells"]]
    assert [one[1] for one in after] == [one[1] for one in before] and after[9] == before[9]


def test_a_file_that_is_not_there_is_said(course, tito):
    code, _, err = tito("sync", "07", "--from", "py")
    assert code == 1 and "there is no adder_dev.py" in err
    course.module.notebook.unlink()
    with pytest.raises(WorkError, match="tito start 07"):
        pair.read_work(course.module)
