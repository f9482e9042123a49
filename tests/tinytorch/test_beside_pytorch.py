"""The handbook's pages beside PyTorch: where a page shows the same program twice, below "Here:" and
"PyTorch:", both have the same training loop, and PyTorch's runs with the real PyTorch.

The check of a page (`tito dev check`) runs the program below "Here:", line by line.
"""

import doctest
import re
from pathlib import Path

import pytest

from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
PAIR = re.compile(
    r"^Here:\n\n```python\n(?P<here>.*?)^```\n\nPyTorch:\n\n```text\n(?P<pytorch>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PAIRS = [
    pytest.param(module.name, page, pair, id=f"{module.name}-{number}")
    for module in Workspace(ROOT).modules()
    for page in [(module.folder / "ABOUT.md").read_text(encoding="utf-8")]
    for number, pair in enumerate(PAIR.finditer(page))
]


def loop_of(program: str) -> list[str]:
    lines = program.splitlines()
    return lines[next(n for n, line in enumerate(lines) if line.startswith("for ")) :]


def snippets(text: str) -> str:
    """The `>>>` lines of a page as one program, without those that raise an error."""
    examples = doctest.DocTestParser().get_examples(text)
    return "".join(example.source for example in examples if example.exc_msg is None)


def test_a_page_shows_both_programs_below_the_words_that_this_file_looks_for():
    pages = [
        (one.folder / "ABOUT.md").read_text(encoding="utf-8") for one in Workspace(ROOT).modules()
    ]
    assert len(PAIRS) == sum(page.count("\nPyTorch:\n") for page in pages) >= 1


@pytest.mark.parametrize(("name", "page", "pair"), PAIRS)
def test_both_training_loops_are_the_same_and_forget_the_gradients_of_the_step_before(
    name, page, pair
):
    here, pytorch = loop_of(snippets(pair["here"])), loop_of(pair["pytorch"])
    assert here == pytorch
    calls = [line.strip() for line in here]
    assert calls.index("optimizer.zero_grad()") < calls.index("loss.backward()")


@pytest.mark.torch
@pytest.mark.parametrize(("name", "page", "pair"), PAIRS)
def test_the_program_for_pytorch_learns_and_its_orders_can_be_repeated(
    name, page, pair, references
):
    pytest.importorskip("torch", reason="PyTorch is not installed: make test-torch")
    before = snippets(page[: pair.start()])
    check = f"""
import torch as the_library
orders = []
for seed in (0, 1):  # of the weights, not of the order
    the_library.manual_seed(seed)
    own = dict(globals())
    exec({pair["pytorch"]!r}, own)
    assert own["loss"].item() < np.log(3), own["loss"].item()
    orders.append([y.tolist() for _ in range(2) for x, y in own["loader"]])
assert orders[0] == orders[1]
assert orders[0][:3] != orders[0][3:]
"""
    done = references(name).run(before + check)
    assert done.returncode == 0, done.stderr
