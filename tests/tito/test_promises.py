"""The numbered sentences of a Contract. `tests/test_course.py` proves that those of the course are
found.
"""

from tito.notebook.cells import parse_percent
from tito.notebook.exercises import exercises
from tito.notebook.promises import by_sentence, promises

TEXT = '''# %% [markdown]
"""
### 3a take: some of them
<!-- points -->, about 5 minutes

**Goal.** 1. not a promise.

**Contract.** `take(n)` -> a list.

1. It has `n`
   items, in
   order.
2. A negative n raises ValueError.

**By hand.** `take(2)`:

1. not a promise either
"""

# %% nbgrader={"grade_id": "test_take", "grade": true, "points": 1, "locked": true}
check(test_take)
'''


def test_each_numbered_sentence_of_the_contract_and_no_other_is_a_promise():
    (exercise,) = exercises(parse_percent(TEXT, name="x.py"))
    assert [(one.id, one.text) for one in promises(exercise)] == [
        ("3a.1", "It has `n` items, in order."),
        ("3a.2", "A negative n raises ValueError."),
    ]
    plain = ["It has n items, in order.", "A negative n raises ValueError."]
    assert list(by_sentence([exercise])) == plain
