"""Queries over the columns of a dataset, answered by DuckDB, which the first query imports.

    select * where labels != 5 order by score desc limit 100

    (select * where contains(categories, 'car') limit 1000)
    union (select * where contains(categories, 'motorcycle') limit 1000)

A query selects whole rows and returns their numbers. The conditions are DuckDB's: comparisons,
`and`, `or`, `not`, `in`, `between`, `like`, `is null`, `case`, arithmetic and the functions of
`FUNCTIONS`. `union` joins selects in parentheses and keeps each row once. NaN in a column counts as
null, so no comparison with it holds; a NaN that is computed is the largest number, as in DuckDB.
"""

from __future__ import annotations

import itertools
import json
import re
from typing import Any, NamedTuple

import numpy as np

from tinytorch.data.rows import check_weights
from tinytorch.data.suggestions import did_you_mean

MAX_NESTED = 100  # parentheses inside one another
_TOKEN = re.compile(
    r"""\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
    |(?P<string>'(?:[^']|'')*')|(?P<quoted>"(?:[^"]|"")+")|(?P<word>[^\W\d]\w*)
    |(?P<sign>==|!=|<>|<=|>=|\|\||[-+*/%<>=(),:])|(?P<end>\Z))""",
    re.VERBOSE,
)
_KEYWORDS = set(
    "and or not in is null like ilike between true false case when then else end asc desc".split()
)
_CONDITION_ENDS = {"and", "or", "when", "then", "else"}
_CLAUSES = set("select where order limit offset union intersect except".split())
# The database runs no other function, so none that reads a file or a setting.
FUNCTIONS = set(
    "contains starts_with ends_with lower upper length abs round floor ceil sqrt ln exp pow sin cos"
    " least greatest coalesce".split()
)
_LOCKED = ["set python_enable_replacements = false", "set lock_configuration = true"]
# Clauses of other query languages, each with the way that works here.
_INSTEAD = {
    "from": "a query always reads the dataset that it is called on, so it has no from:"
    " select * where ...",
    "sample by": "weights belong to the loader: .sample_by('max_weight(labels == 5: 10)')",
    "group by": "a query selects whole rows; for one row of each value use"
    " np.unique(values, return_index=True)",
    "expand by": "for neighbors as well, add them to the rows that the query returns:"
    " np.unique(np.add.outer(rows, [-1, 0, 1]))",
}
_CHOICES: dict[str, Any] = {"max_weight": np.max, "sum_weight": np.sum}


class QueryError(ValueError):
    """A query that cannot be understood. `position` counts characters from 0; the message shows
    the place.
    """

    def __init__(self, reason: str, text: str, position: int):
        self.position = position
        start = text.rfind("\n", 0, position) + 1
        line = text[start:].split("\n", 1)[0].rstrip()
        cut = max(0, position - start - 100)  # of a long line, only the part near the place
        caret = " " * (position - start - cut) + "^"
        super().__init__(f"{reason}\n  {line[cut : cut + 140]}\n  {caret}")


def query(dataset: Any, query_string: str) -> np.ndarray:
    """Return the numbers of the rows that `query_string` selects: int64, shape (M,).

    The rows are in the order of the dataset, or of `order by` (rows with equal values stay in the
    dataset's order). A union has the rows of its first part, then those of the next. So the order
    is the same in every run.

    Raises:
        QueryError: the grammar is wrong, a column or class is unknown, or types do not fit. It is a
            ValueError whose message marks the place with a caret.
        ImportError: DuckDB is missing.
    """
    reader = _Reader(query_string, dataset, "a query")
    rows = reader.combined()
    reader.end()
    return rows


def weights(dataset: Any, text: str) -> np.ndarray:
    """Return one weight for each row: float64, shape (N,).

    Args:
        dataset: a ColumnDataset.
        text: "max_weight(labels == 5: 10, labels == 6: 5)" gives each row the largest weight of the
            conditions that hold for it, 0 if none holds; "sum_weight(...)" gives the sum of those
            weights; a column's name gives its values; any other expression gives its value, where
            true counts 1 and false 0.

    Raises:
        QueryError: as for `query`.
        ValueError: a weight is negative, NaN, null or infinite, or all weights are 0.
        ImportError: DuckDB is missing.
    """
    reader = _Reader(text, dataset, "the text of weights")
    choose = _CHOICES.get(reader.token.word)
    if choose is None:
        values = [[("(", None), *reader.expression(","), (")", None)]]
    else:
        reader.place += 1
        reader.need("(")
        values = [reader.pair()]
        while reader.take(","):
            values.append(reader.pair())
        reader.need(")")
    reader.end()
    sql: list[Piece] = [("select", None)]
    for number, value in enumerate(values):
        sql += [("cast(", None), *value, (f"as double) as v{number},", None)]
    result = reader.run([*sql, ("row from dataset order by row", None)])
    columns = [np.ma.filled(result[f"v{number}"], np.nan) for number in range(len(values))]
    if choose is None:
        return check_weights(columns[0], len(dataset))
    # A larger weight must not hide a negative one.
    least, chosen = np.min(columns, axis=0), choose(columns, axis=0)
    return check_weights(np.where(least < 0, least, chosen), len(dataset))


class _Token(NamedTuple):
    kind: str  # number, string, quoted, word, sign, end
    text: str
    position: int

    @property
    def word(self) -> str:
        return self.text.lower() if self.kind in ("word", "sign") else ""

    @property
    def value(self) -> str:
        """A name or a text without its quotes."""
        if self.kind not in ("string", "quoted"):
            return self.text
        return self.text[1:-1].replace(self.text[0] * 2, self.text[0])


Piece = tuple[str, int | None]  # SQL, and its position in the query; None for what is added


def _tokens_of(text: str, what: str) -> list[_Token]:
    """Return the tokens of `text`, the last of kind "end"."""
    if not isinstance(text, str):
        raise TypeError(f"{what} is a string, got {type(text).__name__}")
    tokens: list[_Token] = []
    used, position, depth = text.rstrip().removesuffix(";").rstrip(), 0, 0
    while not tokens or tokens[-1].kind != "end":
        match = _TOKEN.match(used, position)
        if match is None:
            position = len(used) - len(used[position:].lstrip())
            hint = "; contains(column, value) looks into a list" * (used[position] == "[")
            raise QueryError(f"{used[position]!r} means nothing here{hint}", text, position)
        kind = str(match.lastgroup)
        tokens.append(_Token(kind, match[kind], match.start(kind)))
        position = match.end()
        depth += (match[kind] == "(") - (match[kind] == ")")
        if depth > MAX_NESTED:
            reason = f"more than {MAX_NESTED} parentheses inside one another"
            raise QueryError(reason, text, tokens[-1].position)
    return tokens


class _Reader:
    """Reads a query or weights from left to right and asks the database for each select."""

    def __init__(self, text: str, dataset: Any, what: str):
        self.text, self.dataset, self.place = text, dataset, 0
        self.tokens = _tokens_of(text, what)
        self.columns: dict[str, np.ndarray] = {"row": np.arange(len(dataset), dtype=np.int64)}
        for token, following in itertools.pairwise(self.tokens):
            reason = _INSTEAD.get(token.word) or _INSTEAD.get(f"{token.word} {following.word}")
            if reason:
                raise self.error(reason, token)

    @property
    def token(self) -> _Token:
        return self.tokens[self.place]

    def error(self, reason: str, token: _Token | None = None) -> QueryError:
        return QueryError(reason, self.text, (token or self.token).position)

    def take(self, word: str) -> bool:
        """Skip `word` if it is the current token; return whether it was."""
        matches = self.token.word == word
        self.place += matches
        return matches

    def need(self, word: str, remedy: str = "") -> None:
        if not self.take(word):
            got = repr(self.token.text) if self.token.kind != "end" else "the end"
            raise self.error(f"expected {word!r}, got {got}{remedy}")

    def end(self) -> None:
        if self.token.kind != "end":
            remedy = "clauses come in the order where, order by, limit, offset"
            if self.token.word == "union":
                remedy = "write (select * ...) union (select * ...)"
            raise self.error(f"expected the end, got {self.token.text!r}; {remedy}")

    def combined(self) -> np.ndarray:
        """The rows of a select, or of (select) {union (select)}, with [limit n] [offset n]."""
        if self.token.text != "(":
            rows = self.select()
        else:
            parts = [self.in_parentheses()]
            while self.take("union"):
                parts.append(self.in_parentheses())
            rows = np.concatenate(parts)
            rows = rows[np.sort(np.unique(rows, return_index=True)[1])]  # at its first place
        limit = self.count() if self.take("limit") else None
        return rows[self.count() if self.take("offset") else 0 :][:limit]

    def in_parentheses(self) -> np.ndarray:
        self.need("(")
        rows = self.combined()
        self.need(")")
        return rows

    def select(self) -> np.ndarray:
        self.need("select", "; a query begins with select * ...")
        if not self.take("*") or self.token.text == ",":
            raise self.error("a query selects whole rows (choose columns with tensors=[...])")
        sql: list[Piece] = [("select row from dataset", None)]
        if self.take("where"):
            sql += [("where", None), *self.expression()]
        sql.append(("order by", None))
        if self.take("order"):
            self.need("by")
            sql += [*self.expression(), (",", None)]
        elif len(sql) == 2:
            return self.columns["row"]
        return np.asarray(self.run([*sql, ("row", None)])["row"], dtype=np.int64)

    def count(self) -> int:
        if not re.fullmatch(r"\d{1,18}", self.token.text):
            raise self.error("limit and offset need a whole number, 0 or more")
        self.place += 1
        return int(self.tokens[self.place - 1].text)

    def pair(self) -> list[Piece]:
        """The SQL of one "condition: weight"."""
        condition = self.expression(",")
        self.need(":", "; each condition has a weight: max_weight(labels == 5: 10, ...)")
        weight = self.expression(",")
        return [("case when", None), *condition, ("then", None), *weight, ("else 0 end", None)]

    def expression(self, stop: str = ":") -> list[Piece]:
        """The SQL of what is before the next clause, a colon, `stop` or a parenthesis that was
        not opened in it.
        """
        start, depth = self.place, 0
        while self.token.kind != "end" and (
            depth or self.token.word not in {*_CLAUSES, ":", ")", stop}
        ):
            depth += (self.token.text == "(") - (self.token.text == ")")
            self.place += 1
        if self.place == start:
            raise self.error("expected a condition or a value here")
        pieces: list[Piece] = []
        for number in range(start, self.place):
            if self.tokens[number].word in _CONDITION_ENDS or number == self.place - 1:
                pieces += self._condition(range(start, number + 1))
                start = number + 1
        return pieces

    def _condition(self, numbers: range) -> list[Piece]:
        """The SQL of the tokens with these numbers. In a condition on a column with class names,
        each text is the name of a class.
        """
        names = [self._column(number) for number in numbers]
        coded = next((name for name in names if name in self.dataset.class_names), None)
        return [
            (self._sql(number, name, coded), self.tokens[number].position)
            for number, name in zip(numbers, names, strict=True)
        ]

    def _column(self, number: int) -> str | None:
        """The name of a column that token `number` is; None for all other tokens."""
        token, following = self.tokens[number], self.tokens[number + 1].text
        is_name = token.kind == "word" and token.word not in _KEYWORDS and following != "("
        if not is_name and token.kind != "quoted":
            return None
        if token.value in self.dataset.names and token.word not in _CLAUSES:
            return token.value
        remedy = did_you_mean(token.value, self.dataset.names)
        if token.kind == "quoted":
            remedy = f"; text is written in single quotes: '{token.value}'"
        if token.word in _CLAUSES:
            remedy = f"; {token.text} cannot be part of a condition"
        raise self.error(f"no column is named {token.value!r}{remedy}", token)

    def _sql(self, number: int, column: str | None, coded: str | None) -> str:
        token = self.tokens[number]
        if column is not None:
            # The database ignores case, so a number makes the name unique.
            key = f"{column}:{self.dataset.names.index(column)}"
            values = self.dataset.columns[column]
            try:
                if key not in self.columns:
                    self.columns[key] = values.table(self.dataset.row_numbers)
            except ValueError as error:
                raise self.error(str(error), token) from None
            quoted = '"' + key.replace('"', '""') + '"'
            # With one number in each row, contains(labels, 2) means labels == 2.
            before = [each.word for each in self.tokens[max(0, number - 2) : number]]
            return (
                f"[{quoted}]" if before == ["contains", "("] and values.holds_numbers() else quoted
            )
        if token.kind == "string" and coded is not None:
            classes = self.dataset.class_names[coded]
            if token.value in classes:
                return str(classes.index(token.value))
            remedy = did_you_mean(token.value, classes)
            raise self.error(f"no class of {coded!r} is named {token.value!r}{remedy}", token)
        if token.kind == "word" and token.word not in _KEYWORDS | FUNCTIONS:
            remedy = did_you_mean(token.text, sorted(FUNCTIONS | set(_CHOICES)))
            raise self.error(f"no function is named {token.text!r}{remedy}", token)
        return token.text

    def run(self, sql: list[Piece]) -> dict[str, np.ndarray]:
        """Run the SQL in DuckDB and return its columns. DuckDB receives only the columns that are
        named; it cannot read files, use the network or change settings. It runs in one thread,
        which ends with this call.
        """
        try:
            import duckdb
        except ImportError as error:
            raise ImportError("a query needs DuckDB: python -m pip install duckdb") from error
        settings: dict[str, str | bool | int | float | list[str]] = {
            "threads": 1,
            "enable_external_access": False,
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
            "errors_as_json": True,
        }
        with duckdb.connect(":memory:", config=settings) as database:
            database.register("dataset", self.columns)
            database.execute(";".join(_LOCKED))
            try:
                return database.execute(" ".join(piece for piece, _ in sql)).fetchnumpy()
            except duckdb.Error as error:
                raise self._explained(str(error), sql) from None

    def _explained(self, message: str, sql: list[Piece]) -> QueryError:
        """The database's message and the place in the query. The database counts bytes of SQL."""
        _, brace, facts_text = message.partition("{")
        facts = json.loads(brace + facts_text) if brace else {"exception_message": message}
        message = facts["exception_message"].split("\n")[0]
        for name in self.columns:
            message = message.replace(name, name.rpartition(":")[0] or name)
        position, own, byte = None, False, int(facts.get("position", 0))
        for piece, place in sql:
            if byte < 0 and position is not None:
                break
            own, position = place is None, position if place is None else place
            byte -= len(piece.encode()) + 1
        if own and facts.get("exception_type") == "Parser":
            message = "this part breaks off"
        return QueryError(f"the database refuses this: {message}", self.text, position or 0)
