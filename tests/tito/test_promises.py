"""The numbered sentences of a Contract."""

from hypothesis import given
from hypothesis import strategies as st

from tito.notebook.cells import parse_percent
from tito.notebook.exercises import exercises
from tito.notebook.promises import by_sentence, promises

WORDS = st.lists(
    st.sampled_from(["an", "order", "`N`", "0..N-1", "is", "ValueError", "[i, j]"]), min_size=1
)
SENTENCES = st.lists(WORDS.map(" ".join).map("Rule {}.".format), max_size=12)
TEXT = '''# %% [markdown]
"""
### 3a take: some of them
<!-- points -->, about 5 minutes

**Goal.** 1. not a promise.

**Contract.** `take(n)` -> a list.

{}

**By hand.** `take(2)`:

1. not a promise either
"""

# %% nbgrader={{"grade_id": "test_take", "grade": true, "points": 1, "locked": true}}
check(test_take)
'''


def notebook(sentences, width):
    """The sentences as a numbered list whose lines have about `width` columns."""
    items = []
    for number, sentence in enumerate(sentences, 1):
        lines = [f"{number}."]
        for word in sentence.split(" "):
            if len(lines[-1]) + len(word) < width or lines[-1] == f"{number}.":
                lines[-1] += f" {word}"
            else:
                lines.append(f"   {word}")
        items.append("\n".join(lines))
    return exercises(parse_percent(TEXT.format("\n".join(items)), name="x.py"))


@given(sentences=SENTENCES, width=st.integers(10, 88))
def test_each_numbered_sentence_of_the_contract_is_a_promise_however_its_lines_break(
    sentences, width
):
    (exercise,) = notebook(sentences, width)
    found = promises(exercise)
    assert [one.text for one in found] == sentences
    assert [one.id for one in found] == [f"3a.{n}" for n in range(1, len(sentences) + 1)]


@given(sentences=SENTENCES)
def test_a_sentence_finds_its_promises_without_the_marks_of_code(sentences):
    known = by_sentence(notebook(sentences, 88))
    assert set(known) == {sentence.replace("`", "") for sentence in sentences}
    assert sum(len(found) for found in known.values()) == len(sentences)
