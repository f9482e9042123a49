"""The conditions and values in a query: cut into tokens, checked against a list of what is allowed,
and translated into DuckDB's SQL.

The database receives only columns, numbers, strings, and the operators, keywords and functions that
are listed here. An error message shows the text with a caret under the faulty place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinytorch.data.nan_as_null import NanAsNull
from tinytorch.data.suggestions import did_you_mean

MAX_LENGTH = 20_000  # characters of a query
_TOKEN = re.compile(
    r"""\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])|(?P<string>'(?:[^']|'')*')|(?P<quoted>"(?:[^"]|"")+")
    |(?P<word>[^\W\d]\w*)|(?P<sign>==|!=|<>|<=|>=|\|\||[-+*/%<>=(),:;]))""",
    re.VERBOSE,
)
_KEYWORDS = {
    "and",
    "or",
    "not",
    "in",
    "is",
    "null",
    "like",
    "ilike",
    "between",
    "true",
    "false",
    "case",
    "when",
    "then",
    "else",
    "end",
}
_CLAUSES = {
    "select",
    "from",
    "where",
    "order",
    "by",
    "asc",
    "desc",
    "limit",
    "offset",
    "union",
    "all",
    "intersect",
    "except",
}
# what other query languages have
_FOREIGN = {"having", "join", "distinct", "unnest", "arrange", "with", "window", "interval", "as"}
_WORDS = ("where", "order by", "limit", "offset", "union", "intersect", "except")
FUNCTIONS = {
    "contains",
    "starts_with",
    "ends_with",
    "lower",
    "upper",
    "length",
    "abs",
    "round",
    "floor",
    "ceil",
    "sqrt",
    "ln",
    "exp",
    "pow",
    "sin",
    "cos",
    "least",
    "greatest",
    "coalesce",
}
_COMPARISONS = {"==", "=", "!=", "<>"}


class QueryError(ValueError):
    """A query that cannot be understood. `position` counts characters from 0; the message shows
    the place.
    """

    def __init__(self, reason: str, text: str, position: int):
        self.position = position
        start = text.rfind("\n", 0, position) + 1
        line = text[start:].split("\n", 1)[0].rstrip()
        cut = max(0, position - start - 100)  # of a long line, show only the part near the place
        shown = (
            ("..." if cut else "")
            + line[cut : cut + 140]
            + ("..." if len(line) > cut + 140 else "")
        )
        super().__init__(
            f"{reason}\n  {shown}\n  {' ' * (position - start - cut + (3 if cut else 0))}^"
        )


@dataclass(frozen=True)
class Token:
    kind: str  # number, string, quoted, word, sign, end
    text: str
    position: int

    @property
    def lower(self) -> str:
        return self.text.lower() if self.kind in ("word", "sign") else ""

    @property
    def name(self) -> str:
        """The name in a word or a quoted name, without its quotes."""
        return self.text[1:-1].replace('""', '"') if self.kind == "quoted" else self.text

    @property
    def value(self) -> str:
        """The text of a string, without its quotes."""
        return self.text[1:-1].replace("''", "'")


def tokens_of(text: str, what: str = "a query") -> list[Token]:
    """Return the tokens of `text`, followed by one of kind 'end'. The first character that begins
    no token raises a QueryError. Messages call the text `what`.
    """
    if not isinstance(text, str):
        raise TypeError(f"{what} is a string, got {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise ValueError(f"{what} has at most {MAX_LENGTH} characters, got {len(text)}")
    tokens, position = [], 0
    while position < len(text.rstrip()):
        match = _TOKEN.match(text, position)
        if match is None or text.startswith("--", match.start(match.lastgroup)):
            raise _no_token(text, position)
        tokens.append(Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
        position = match.end()
    if tokens and tokens[-1].text == ";":  # a habit from other databases
        tokens.pop()
    return [*tokens, Token("end", "", len(text.rstrip()))]


def _no_token(text: str, position: int) -> QueryError:
    position += len(text[position:]) - len(text[position:].lstrip())
    character = text[position]
    if character in "'\"":
        return QueryError(
            f"the {'text' if character == chr(39) else 'name'}"
            f" that starts here has no closing {character}",
            text,
            position,
        )
    if text.startswith("--", position):
        return QueryError("comments are not allowed in a query", text, position)
    if character.isdigit():
        return QueryError("this is not a number", text, position)
    hint = {
        "&": "; write and",
        "|": "; write or",
        "!": "; write not, or !=",
        "[": "; contains(column, value) looks into a list",
    }.get(character, "")
    return QueryError(f"{character!r} means nothing in a query{hint}", text, position)


@dataclass(frozen=True)
class Names:
    """The names that an expression may use: columns, and for some columns the names of classes."""

    columns: Sequence[str]
    class_names: Mapping[str, Sequence[str]]
    numbers: frozenset[str]  # the columns whose rows are one number each
    # functions that are allowed elsewhere, for suggestions
    more_functions: frozenset[str] = frozenset()

    def in_sql(self, column: str) -> str:
        """The column's name in the database. The database ignores case, so a number makes the name
        unique; the colon keeps it apart from all other names.
        """
        return f"{column}:{self.columns.index(column)}"


class Expression:
    """One condition or value: its checked tokens, and their SQL: `typed`, as it was typed, and
    `pieces`, in which NaN counts as null.

    Args:
        tokens: those of the expression, at least one.
        text: the whole query, for error messages.
        names: the names that the expression may use.

    Raises:
        QueryError: a column, class or function is unknown, or a sign is not allowed in an
            expression.
    """

    def __init__(self, tokens: Sequence[Token], text: str, names: Names):
        self.text, self.names, self.tokens = text, names, list(tokens)
        self.columns: list[str] = []
        self.position = self.tokens[0].position
        self._classes = dict(self._class_numbers())
        self.typed = [
            (self._sql(number), token.position) for number, token in enumerate(self.tokens)
        ]
        self.pieces = NanAsNull(
            self.tokens,
            self.typed,
            is_keyword=lambda number: self.tokens[number].lower in _KEYWORDS,
            is_other=lambda number: (self._column(number) or "") not in {"", *names.numbers},
            refuse=lambda reason, number: QueryError(reason, text, self.tokens[number].position),
        ).pieces

    def _next(self, number: int) -> Token:
        return self.tokens[number] if 0 <= number < len(self.tokens) else Token("end", "", 0)

    def _column(self, number: int) -> str | None:
        """The column that token `number` names; None if it names none."""
        token = self._next(number)
        is_name = token.kind == "quoted" or (
            token.kind == "word"
            and token.lower not in _KEYWORDS
            and self._next(number + 1).text != "("
        )
        return token.name if is_name and token.name in self.names.columns else None

    def _sql(self, number: int) -> str:
        token = self.tokens[number]
        if number in self._classes:
            return self._classes[number]
        if token.kind in ("number", "string"):
            return token.text
        if token.kind == "sign":
            if token.text in ":;":
                raise QueryError(
                    f"{token.text!r} does not belong here"
                    + ("; one query at a time" if token.text == ";" else ""),
                    self.text,
                    token.position,
                )
            return {"==": "=", "<>": "!="}.get(token.text, token.text)
        if token.kind == "word" and token.lower in _KEYWORDS:
            if token.lower == "in" and self._next(number + 1).text != "(":
                raise QueryError(
                    "in needs its values in parentheses: labels in (1, 2)",
                    self.text,
                    token.position,
                )
            return token.lower
        if token.kind == "word" and self._next(number + 1).text == "(":
            if token.lower not in FUNCTIONS:
                known = sorted(FUNCTIONS | self.names.more_functions)
                raise QueryError(
                    f"no function is named {token.text!r}{did_you_mean(token.text, known)}",
                    self.text,
                    token.position,
                )
            return token.lower
        return self._column_sql(number)

    def _column_sql(self, number: int) -> str:
        token, column = self.tokens[number], self._column(number)
        if column is None:
            remedy = (
                f"; text is written in single quotes: '{token.name}'"
                if token.kind == "quoted"
                else did_you_mean(token.name, self.names.columns)
            )
            if token.lower in _CLAUSES:
                remedy = f"; {token.text} cannot be part of a condition"
            if token.lower in _FOREIGN:
                remedy = f", and a query has no {token.text}; it has {', '.join(_WORDS)}"
            raise QueryError(
                f"no column is named {token.name!r}{remedy}", self.text, token.position
            )
        if column not in self.columns:
            self.columns.append(column)
        quoted = '"' + self.names.in_sql(column).replace('"', '""') + '"'
        in_contains = (
            self._next(number - 1).text == "(" and self._next(number - 2).lower == "contains"
        )
        # With one number in each row, contains(labels, 2) means labels == 2.
        return f"[{quoted}]" if in_contains and column in self.names.numbers else quoted

    def _class_numbers(self) -> Iterator[tuple[int, str]]:
        """(index of the token, class number) of each string that is the name of a class: one that a
        column with class names is compared with, in its `in` list, or in its `contains`.
        """
        for number in range(len(self.tokens)):
            column = self._column(number)
            if column not in self.names.class_names:
                continue
            if self._next(number + 1).text in _COMPARISONS or (
                self._next(number - 2).lower == "contains" and self._next(number + 1).text == ","
            ):
                yield from self._class_number(column, number + 2)
            if self._next(number - 1).text in _COMPARISONS:
                yield from self._class_number(column, number - 2)
            start = number + (2 if self._next(number + 1).lower == "not" else 1)
            if self._next(start).lower == "in" and self._next(start + 1).text == "(":
                place = start + 2
                while self._next(place).kind not in ("end",) and self._next(place).text != ")":
                    yield from self._class_number(column, place)
                    place += 1

    def _class_number(self, column: str, number: int) -> Iterator[tuple[int, str]]:
        token, classes = self._next(number), self.names.class_names[column]
        if token.kind == "string":
            if token.value not in classes:
                raise QueryError(
                    f"no class of {column!r} is named"
                    f" {token.value!r}{did_you_mean(token.value, classes)}",
                    self.text,
                    token.position,
                )
            yield number, str(classes.index(token.value))


class Sql:
    """SQL that is put together from pieces. For each piece it is known where in the query it came
    from.
    """

    def __init__(self):
        # (SQL, position in the query; None for SQL that is not from the query)
        self.pieces: list[tuple[str, int | None]] = []
        self._typed: list[tuple[str, int | None]] = []

    def add(self, sql: str | Expression) -> Sql:
        own = [(sql, None)]
        self.pieces += sql.pieces if isinstance(sql, Expression) else own
        self._typed += sql.typed if isinstance(sql, Expression) else own
        return self

    def as_typed(self) -> Sql:
        """The same with the expressions as they were typed: its errors are in their words."""
        sql = Sql()
        sql.pieces = sql._typed = self._typed
        return sql

    def __str__(self) -> str:
        return " ".join(piece for piece, _ in self.pieces)

    def position(self, byte: int) -> tuple[int | None, bool]:
        """(position in the query of the SQL at `byte`, whether an expression ends before it). The
        position is None before the first expression.

        `byte` counts bytes of UTF-8, as the database does.
        """
        place, end, own = None, 0, True
        for piece, position in self.pieces:
            if end > byte:
                break
            place, own = (place, True) if position is None else (position, False)
            end += len(piece.encode()) + 1
        return place, own
