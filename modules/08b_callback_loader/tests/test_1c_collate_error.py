"""Laws of exercise 1c, collate_error."""

import re

import numpy as np

from tinytorch.laws import Case, law

NONE = "is this your ValueError? Its message has `item k` for each odd item"


def raised(tt, items, kind, cause=None):
    """What collate_error raises for an error of this kind, which may have a cause: its
    type, its message, and what it has to do with that error.
    """
    import builtins

    first = getattr(builtins, kind)("the first error")
    first.__cause__ = cause and getattr(builtins, cause)("what it came from")
    try:
        tt.collate_error(first, items)
    except Exception as problem:
        if isinstance(problem, NotImplementedError):
            raise
        name = (
            "ValueError" if isinstance(problem, ValueError) else type(problem).__name__
        )
        name = "e itself" if problem is first else name
        return name, str(problem), problem.__cause__ is first
    return "no error", "", False


def arrays(sizes):
    return [np.zeros(size) for size in sizes]


def named(message):
    """The items that a message names as `item 3`, whatever is behind it."""
    return sorted({int(k) for k in re.findall(r"\bitem (\d+)", message, re.IGNORECASE)})


def shuffled(draw, usual, *odd):
    """A few usual things with odd ones at drawn places; and these places."""
    count = int(draw.integers(3, 7)) + 2 * len(odd)
    items, places = (
        [usual] * count,
        sorted(draw.permutation(count)[: len(odd)].tolist()),
    )
    for place, thing in zip(places, odd, strict=True):
        items[place] = thing
    return items, places


@law(1, "most items have", look="the most frequent description, or that of the first?")
def test_the_most_frequent_is_the_usual_one(inside, draw):
    sizes, _ = shuffled(draw, 3, 5)
    zeros = np.zeros(2)
    for call, items in (
        *(
            (f"arrays of sizes {s}", arrays(s))
            for s in ([5, 3, 3, 3], [3, 3, 5], sizes)
        ),
        ("5, 'a', 'b', 'c'", [5, "a", "b", "c"]),
        (
            "pairs (zeros, 'a'), one (zeros, 3)",
            [(zeros, "a"), (zeros, 3), (zeros, "b")],
        ),
        ("{'x': 1}, {'y': 1}, {'x': 2}", [{"x": 1}, {"y": 1}, {"x": 2}]),
        (
            "{'x': 1, 'y': 2} twice, {'y': 2, 'x': 1}",
            [{"x": 1, "y": 2}] * 2 + [{"y": 2, "x": 1}],
        ),
    ):
        _, message, _ = inside(raised, items, "ValueError")
        one = len(named(message)) == 1  # which number it has is promise 3
        text = f"collate_error(e, items): {call}; how many items are named as odd"
        look = None if named(message) else NONE
        yield Case(text, f"{len(named(message))}: {message}", "1", one, look)


@law(
    2, "equally frequent", look="in the order of the items: Counter(...).most_common(1)"
)
def test_of_equally_frequent_ones_the_first_is_usual(inside, draw):
    n = int(draw.integers(3, 6))
    for first, second in ((3, 5), (5, 3)):
        for order in ("aabb", "abba", "abab", "abccab", "a" * n + "b" * n):
            sizes = [{"a": first, "b": second, "c": 4}[letter] for letter in order]
            _, message, _ = inside(raised, arrays(sizes), "ValueError")
            got, odd = named(message), [k for k, one in enumerate(order) if one != "a"]
            # also counted from 1, which is promise 3
            right = got != [] and {*got} <= {*odd, *(k + 1 for k in odd)}
            call = f"collate_error(e, arrays of sizes {sizes}): the items named as odd"
            yield Case(call, got, odd, right, None if got else NONE)


@law(
    3,
    "names each of them",
    look="positions count from 0; a new ValueError, with `item k` for each odd one",
)
def test_every_odd_item_is_named(inside, draw):
    drawn = [shuffled(draw, 3, *range(4, 5 + k)) for k in (0, 1, 2, 3, 40)]
    for sizes, places in (
        ([3, 3, 5], [2]),
        ([5, 3, 3], [0]),
        ([3, 5, 3, 4, 3], [1, 3]),
        ([3, 5, 5, 3, 3], [1, 2]),
        ([4, 3, 3, 5], [0, 3]),
        ([3] * 12 + [5], [12]),
        ([5] * 12 + [3] * 13, [*range(12)]),
        *drawn,
    ):
        for kind in ("ValueError", "TypeError"):
            name, message, _ = inside(raised, arrays(sizes), kind)
            call = (
                f"collate_error({kind}(...), arrays of sizes {sizes}): what is raised"
            )
            want = "ValueError", places
            yield f"{call}, the items it names", (name, named(message)), want


@law(
    4, "difference from the usual", look="difference(description, usual), in this order"
)
def test_the_message_has_the_difference(inside, draw):
    a, b, c = draw.choice(np.arange(1, 90), 3, replace=False).tolist()
    zeros = np.zeros(2)
    of = "item is ndarray of shape ({},), usually ndarray of shape ({},)".format
    for call, items, texts in (
        ("arrays of sizes [3, 3, 5]", arrays([3, 3, 5]), [of(5, 3)]),
        (
            f"arrays of sizes {[a, b, a, c, a]}",
            arrays([a, b, a, c, a]),
            [of(b, a), of(c, a)],
        ),
        (
            "pairs (zeros, 'a'), the last (zeros, 3)",
            [(zeros, "a"), (zeros, "b"), (zeros, 3)],
            ["item[1] is int, usually str"],
        ),
        (
            "[{'x': 1}, {'x': 1, 'y': 2}, {'x': 1}]",
            [{"x": 1}, {"x": 1, "y": 2}, {"x": 1}],
            ["item['y'] is int, usually not there"],
        ),
    ):
        _, message, _ = inside(raised, items, "ValueError")
        holds = all(text in message for text in texts)
        yield f"collate_error(e, items): {call}; the message", message, texts, holds


@law(5, "comes from e", look="raise ValueError(...) from e")
def test_the_first_error_is_the_cause(inside, draw):
    kinds = ("ValueError",), ("TypeError",), ("KeyError",), ("ValueError", "KeyError")
    for kind in (*kinds, ("TypeError", "ValueError")):
        sizes, _ = shuffled(draw, 3, 5)
        name, _, cause = inside(raised, arrays(sizes), *kind)
        kind = "(...) from ".join(kind)
        call = f"e = {kind}(...); collate_error(e, arrays of sizes {sizes}): what is"
        yield (
            f"{call} raised, and is its __cause__ e?",
            (name, cause),
            ("ValueError", True),
        )


@law(6, "no item is odd", look="raise e, the very object that was given")
def test_without_an_odd_item_the_error_itself_comes(inside, draw):
    size, count = draw.integers(1, 9, 2).tolist()
    for call, items in (
        ("arrays of sizes [3, 3]", arrays([3, 3])),
        ("one array", arrays([3])),
        (f"{count} arrays of size {size}", arrays([size] * count)),
        ("zeros and ones", [np.zeros(3), np.ones(3), np.zeros(3)]),
        ("'a', 'b'", ["a", "b"]),
        ("{'x': 1}, {'x': 2}", [{"x": 1}, {"x": 2}]),
    ):
        for kind in ("ValueError", "TypeError", "KeyError"):
            name, message, _ = inside(raised, items, kind)
            text = f"e = {kind}('the first error'); collate_error(e, items): {call}"
            want = "e itself", "the first error"
            yield text, (name, message.strip("'")), want
