"""What DuckDB says about a query, as a sentence in the words of the query."""

from __future__ import annotations

import json
import re

from tinytorch.data.expressions import Expression, QueryError, Sql

# The database's words for types, the first that fits counts.
_TYPES = (
    (r".*\[\d*\]$", "a list"),
    (r"VARCHAR|STRING_LITERAL|CHAR", "text"),
    (r"BOOL", "true or false"),
    (r"TUPLE|STRUCT|ROW", "a group of values"),
    (r".*NULL", "null"),
    (r".*", "a number"),
)
_OPERATORS = {"~~": "like", "!~~": "not like", "~~*": "ilike", "!~~*": "not ilike"}
_CURES = {
    "contains": "it needs a column and one value of the column's kind: contains(labels, 2)",
    "like": "it compares text with a pattern in quotes: name like 'a%'",
    "ilike": "it compares text with a pattern in quotes: name ilike 'a%'",
}
_LISTS = "contains(column, value) looks into a list"


def explained(
    error: Exception, sql: Sql, expressions: list[Expression], text: str, subject: str
) -> QueryError:
    """Return the error to raise for an error of the database: a sentence that begins with
    `subject`, and the place.
    """
    message, position = str(error), expressions[0].position
    try:
        facts = json.loads(message[message.index("{") :])
        message = facts["exception_message"]
        place, is_over = sql.position(int(facts["position"]))
    except (ValueError, KeyError):  # the error states no position
        place, is_over = None, False
    if place is not None:
        position = place
    if is_over and facts.get("exception_type") == "Parser":  # what follows is not from the query
        return QueryError("the expression breaks off after this", text, position)
    for expression in expressions:
        for name in expression.columns:
            message = message.replace(expression.names.in_sql(name), name)
    return QueryError(f"{subject}: {_sentence(message)}", text, position)


def _sentence(message: str) -> str:
    for pattern, say in _SENTENCES:
        found = re.search(pattern, message, re.DOTALL)
        if found:
            return say(*found.groups())
    return message.split("\n", 1)[0]


def _words(types: str) -> list[str]:
    """The types of "INTEGER, VARCHAR[]", in words."""
    return [
        next(words for pattern, words in _TYPES if re.match(pattern, one.strip()))
        for one in re.split(r",(?![^(]*\))", types)
        if one.strip()
    ]


def _cure(*words: str) -> str:
    return f"; {_LISTS}" if "a list" in words else ""


def _unconverted(value: str, kind: str, column: str | None) -> str:
    (needed,) = _words(kind)
    if column is not None:
        return f"column {column!r} holds text, and {needed} is needed here"
    return f"'{value}' is text, and {needed} is needed here"


def _uncast(one: str, other: str) -> str:
    (got,), (needed,) = _words(one), _words(other)
    if got == needed:
        return "these two values are of different kinds"
    return f"this is {got}, and {needed} is needed here{_cure(got, needed)}"


def _unequal(one: str, other: str) -> str:
    words = _words(one) + _words(other)
    return f"{words[0]} and {words[1]} cannot be compared{_cure(*words)}"


def _no_function(name: str, types: str) -> str:
    name, words = _OPERATORS.get(name, name), _words(types)
    cure = f"; {_CURES[name]}" if name in _CURES else _cure(*words)
    return f"{name} cannot be used with {' and '.join(words) or 'nothing in parentheses'}{cure}"


_SENTENCES = (
    (
        r"Could not convert string '(.*?)' to (\w+)(?: when casting from source column (.*))?",
        _unconverted,
    ),
    (r"Unimplemented type for cast \((.*) -> (.*)\)", _uncast),
    (r"Type (\S+) with value .* can't be cast to the destination type (\S+)", _uncast),
    (r"Cannot compare values of type (.*) and type (.*?) - ", _unequal),
    (r"Cannot (?:combine|mix)\D*? of (.*) and (.*?) (?:-|in )", _unequal),
    (r"No function matches the given name and argument types '(.*?)\((.*?)\)'\.", _no_function),
    (r"Cannot deduce template type", lambda: f"contains cannot be used here; {_CURES['contains']}"),
    (r"[Bb]ignum too large|out of range|Overflow", lambda: "a number is too large here"),
    (
        r"[Ee]xpression depth",
        lambda: (
            "too many operators, signs or parentheses inside one another; write a list of"
            " values as labels in (1, 2)"
        ),
    ),
    (r"ORDER BY non-integer", lambda: "a constant puts rows in no order; name a column"),
    (r"STAR expression", lambda: "* is not a value; name a column"),
    (r"Division by zero", lambda: "the remainder of a division by 0 does not exist"),
    (
        r"Chained comparisons",
        lambda: "compare two values at a time: x < y and y < z",
    ),
    (
        r'syntax error at or near "(.*)"',
        lambda near: (
            f"{near.strip(chr(34))!r} is not expected here; between two values stands an operator,"
            " and between two conditions and or or"
        ),
    ),
)
