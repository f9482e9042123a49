"""The list in peers_pytorch.py is complete: every test of PyTorch's file has a test of ours or a
reason, and every test of ours is in the list.
"""

import ast
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from peers_pytorch import LESS, MORE, TESTS

NAMED = {f"{kind}.{name}": ours for kind, names in TESTS.items() for name, ours in names.items()}


def written() -> set[str]:
    """`file.name` of every test in the files of this kind."""
    return {
        f"{path.stem.removeprefix('test_peers_')}.{node.name}"
        for path in Path(__file__).parent.glob("test_peers_*.py")
        if path != Path(__file__)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_the_list_has_pytorch_s_115_names():
    assert len(NAMED) == 115


def test_every_name_has_a_test_of_ours_or_a_reason_and_at_least_100_have_a_test():
    tests = written()
    answered = {name for name, ours in NAMED.items() if ours in tests}
    reasons = {name: NAMED[name] for name in NAMED.keys() - answered}
    assert all(" " in why and ":" in why for why in reasons.values()), reasons
    assert len(answered) >= 100
    assert set(LESS) <= answered


def test_every_test_of_ours_is_asked_for_by_a_name():
    names = {name.partition(".")[2] for name in NAMED}
    assert set(MORE) <= names
    assert written() == written() & {*NAMED.values(), *sum(MORE.values(), [])}
