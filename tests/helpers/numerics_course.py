"""The module `roots` of a numerics course, as a lecturer would write it: one exercise with its
laws, wrong and right solutions, a question and a demo. It takes the place of the sample module that
`tito new-course numerics --module 01_roots` makes.
"""

import shutil
from pathlib import Path

SOURCE = '''\
# %% [markdown]
"""
# 01 Roots

Where does a function become zero? **<!-- hours -->, <!-- points -->.**
"""

# %% given given_setup
#| export
import numpy as np

# %% given given_test_tools
from tinytorch.laws import checker
from tinytorch.testing import demo, finish, progress

check = checker("01_roots")

# %% [markdown]
"""
## 1 Bisection

### 1a bisect: halve the interval
<!-- points -->, about 20 minutes

**Goal.** Find a root of a continuous function between two limits.

**Given.** `np.sign`.

**Contract.** `bisect(f, low, high, tolerance)` -> a float.

1. The result is at most `tolerance` away from a root between the limits.
2. A function that falls is treated as one that rises.
3. Values of one sign at both limits are a `ValueError` that says both values.

**By hand.** `bisect(lambda x: x - 1, 0, 4, 0.5)` lies between 0.5 and 1.5.

**Out of scope:** functions that jump.
"""


# %% stub bisect
#| export
def bisect(f, low: float, high: float, tolerance: float) -> float:
    """Return a number at most `tolerance` away from a root of `f` in low..high.

    Raises:
        ValueError: f(low) and f(high) have one sign.
    """
    # TODO: about eight lines. Keep the half at whose ends the signs differ.
    ### BEGIN SOLUTION
    at_low, at_high = f(low), f(high)
    if np.sign(at_low) == np.sign(at_high):
        raise ValueError(f"f must change its sign, got {at_low} and {at_high}")
    while high - low > tolerance:
        middle = (low + high) / 2
        if np.sign(f(middle)) == np.sign(at_low):
            low = middle
        else:
            high = middle
    return (low + high) / 2
    ### END SOLUTION


# %% law, 8 points
check("1a")

# %%
progress("Roots")

# %% question why_halves, 2 points [markdown]
"""
### 1b How many halves?
<!-- points -->, about 10 minutes

How many steps does bisection need from an interval of length 1 to one of 0.001?

### BEGIN MARK SCHEME
2 points: ten, because each step halves the interval and 2 to the power of 10 is 1024.
### END MARK SCHEME
"""

# %% [markdown]
"""
*Your answer here.*
"""

# %% [markdown]
"""
**Guess.** How many digits of the square root of 2 are right with a tolerance of 0.001?
"""

# %% demo demo_root
with demo("the square root of 2"):
    for tolerance in (0.1, 0.001, 0.00001):
        print(f"{tolerance}: {bisect(lambda x: x * x - 2, 0, 2, tolerance):.6f}")

# %% [markdown]
"""
**What you see.** Each hundredth of the tolerance gives about two more digits.
"""

# %% given given_finish
finish()
'''

LAWS = '''\
"""Laws of exercise 1a, bisect."""

from tinytorch.laws import Case, law


@law(1, "away from a root", look="when does the loop end?")
def test_the_result_is_near_a_root(tt, draw):
    for root in (0.5, 2.0, float(draw.uniform(0.1, 2.9))):
        call = f"bisect(lambda x: x**3 - {root}**3, 0, 3, 1e-6)"
        got = lambda: float(tt.bisect(lambda x: x**3 - root**3, 0, 3, 1e-6))  # noqa: E731
        yield Case(call, got, root, holds=lambda value: abs(value - root) <= 1e-6)


@law(2, "that falls", look="compare the signs, not with 0")
def test_a_function_that_falls_has_a_root_too(tt, draw):
    for root in (1.0, float(draw.uniform(0.1, 3.9))):
        call = f"bisect(lambda x: {root} - x, 0, 4, 0.01)"
        got = lambda: float(tt.bisect(lambda x: root - x, 0.0, 4.0, 0.01))  # noqa: E731
        yield Case(call, got, root, holds=lambda value: abs(value - root) <= 0.01)


@law(3, "says both values", look="compare f(low) with f(high) before the loop")
def test_one_sign_at_both_limits_is_refused(tt, draw):
    for add in (3.0, float(draw.integers(4, 30))):
        call = f"bisect(lambda x: x + {add}, 1, 2, 0.1)"
        got = lambda: tt.bisect(lambda x: x + add, 1.0, 2.0, 0.1)  # noqa: E731
        yield Case(call, got, [1 + add, 2 + add], raises=ValueError)
    got = lambda: abs(float(tt.bisect(lambda x: x, -1.0, 2.0, 0.1)))  # noqa: E731
    call = "bisect(lambda x: x, -1, 2, 0.1)"
    yield Case(call, got, 0, holds=lambda value: value <= 0.1)
'''

WRONG = """\
# %% rising_only: f is negative at low and positive at high. (promise 2)
def bisect(f, low, high, tolerance):
    at_low, at_high = f(low), f(high)
    if np.sign(at_low) == np.sign(at_high):
        raise ValueError(f"f must change its sign, got {at_low} and {at_high}")
    while high - low > tolerance:
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) < 0 else (low, middle)
    return (low + high) / 2


# %% ten_steps: Ten halves are enough for every tolerance. (promise 1)
def bisect(f, low, high, tolerance):
    at_low, at_high = f(low), f(high)
    if np.sign(at_low) == np.sign(at_high):
        raise ValueError(f"f must change its sign, got {at_low} and {at_high}")
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sign(f(middle)) == np.sign(at_low) else (low, middle)
    return (low + high) / 2


# %% any_interval: The user knows that the function changes its sign. (promise 3)
def bisect(f, low, high, tolerance):
    at_low = f(low)
    while high - low > tolerance:
        middle = (low + high) / 2
        low, high = (middle, high) if np.sign(f(middle)) == np.sign(at_low) else (low, middle)
    return (low + high) / 2
"""

RIGHT = """\
# By calling itself on the half that holds the root.
def bisect(f, low, high, tolerance):
    if f(low) * f(high) > 0:
        raise ValueError(f"no change of sign: f is {f(low)} and {f(high)}")
    middle = (low + high) / 2
    if high - low <= tolerance:
        return middle
    if f(low) * f(middle) <= 0:
        return bisect(f, low, middle, tolerance)
    return bisect(f, middle, high, tolerance)
"""

TOML = """\
number = "01"
title = "Roots"
points = 10
right = 1
export = "numerics/core/roots.py"
notebook = "roots_dev"

[hints]
bisect = ["A root lies between two signs.", "np.sign", "Keep the half whose ends differ in sign."]
"""

ABOUT = """\
# 01 Roots

Bisection finds a root of every continuous function, slowly and surely.

```python
>>> from numerics.core.roots import bisect
>>> round(bisect(lambda x: x * x - 2, 0, 2, 1e-6), 4)
1.4142

```

## Common errors

### No change of sign

```python
>>> bisect(lambda x: x + 3.0, 1, 2, 0.1)
Traceback (most recent call last):
    ...
ValueError: f must change its sign, got 4.0 and 5.0

```
"""


def write(course: Path) -> None:
    """Put the module in the place of the sample `01_roots` of the course."""
    open_room, secret = course / "modules/01_roots", course / "grading/modules/01_roots"
    for place in (open_room / "tests", secret / "wrong", secret / "right"):
        shutil.rmtree(place)
    for path, text in (
        (secret / "roots_dev.py", SOURCE),
        (secret / "wrong/bisect.py", WRONG),
        (secret / "right/by_recursion.py", RIGHT),
        (open_room / "tests/test_1a_bisect.py", LAWS),
        (open_room / "module.toml", TOML),
        (open_room / "ABOUT.md", ABOUT),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
