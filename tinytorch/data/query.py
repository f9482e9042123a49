"""Queries over the columns of a dataset, answered by DuckDB, which the first query imports.

    select * where labels != 5 order by score desc limit 100

    (select * where contains(categories, 'car') limit 1000)
    union (select * where contains(categories, 'motorcycle') limit 1000)

A query selects whole rows and returns their numbers. The language is a small part of Deep Lake's:
`where` with comparisons, `and`, `or`, `not`, `in`, `between`, `like`, `is null`, arithmetic and the
functions of `expressions.FUNCTIONS`; `order by`, `limit`, `offset`; `union` (each row once), `union
all`, `intersect`, `except`. NaN counts as null, in a column and as the result of arithmetic or of a
function, so no comparison with it holds.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tinytorch.data.expressions import Expression, Names, QueryError, Sql, Token, tokens_of
from tinytorch.data.query_errors import explained
from tinytorch.data.rows import check_weights
from tinytorch.data.suggestions import did_you_mean

MAX_DEPTH = 20  # nested parentheses around selects
_SETS = ("union", "intersect", "except")
_STOPS = {"order", "limit", "offset", "where", "from", *_SETS}
# Clauses of Deep Lake that belong to another step here, each with the way that works.
_BY = {
    "sample": "weights belong to the loader: .sample_by('max_weight(labels == 5: 10)')",
    "group": "a query selects whole rows; for one row of each value use np.unique(values,"
    " return_index=True)",
    "expand": "for neighbors as well, add them to the rows that the query returns:"
    " np.unique(np.add.outer(rows, [-1, 0, 1]))",
}
_NO_FROM = (
    "a query always reads the dataset that it is called on, so it has no from: select * where ..."
)
_WHOLE_ROWS = "; a query selects whole rows: select * where ... (choose columns with tensors=[...])"
_ORDER = ("where", "order", "limit", "offset")
_CHOICES = {"max_weight": np.maximum, "sum_weight": np.add}


def query(dataset, query_string: str) -> np.ndarray:
    """Return the numbers of the rows that `query_string` selects: int64, shape (M,).

    The rows are in the order of the dataset, or of `order by` (rows with equal values stay in the
    dataset's order). A union has the rows of its first part, then those of the next. So the order
    is the same in every run.

    Raises:
        QueryError: the grammar is wrong, a column or class is unknown, or types do not fit. It is a
            ValueError whose message marks the place with a caret.
        ImportError: DuckDB is missing.
    """
    return _Parser(query_string, dataset).query().rows(dataset, query_string)


def weights(dataset, text: str) -> np.ndarray:
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
    pairs, choose = _Parser(text, dataset, _CHOICES, what="the text of weights").weights()
    values = _values(dataset, [expression for pair in pairs for expression in pair], text)
    if choose is None:
        return check_weights(values[0], len(dataset))
    total = np.zeros(len(dataset))
    for condition, weight in zip(values[::2], values[1::2], strict=True):
        holds = np.nan_to_num(condition) != 0
        # Weights are checked before they are combined: a larger one must not hide a negative one.
        bad = np.flatnonzero(holds & ~(np.isfinite(weight) & (weight >= 0)))
        if len(bad):
            raise ValueError(
                "weights must be finite and 0 or more;"
                f" row {bad[0]} has {weight[bad[0]]} in {text!r}"
            )
        total = choose(total, np.where(holds, weight, 0))
    return check_weights(total, len(dataset))


@dataclass
class _Select:
    """One select, or a combination of others with a limit of its own."""

    where: Expression | None = None
    order: list[tuple[Expression, str]] = field(default_factory=list)
    parts: list[_Select] = field(default_factory=list)
    kind: str = ""  # for a combination: union, union all, intersect or except
    limit: int | None = None
    offset: int = 0

    def rows(self, dataset, text: str) -> np.ndarray:
        if self.parts:
            rows = _combine(self.kind, [part.rows(dataset, text) for part in self.parts])
        elif self.where is None and not self.order:
            rows = np.arange(len(dataset), dtype=np.int64)
        else:
            sql = Sql().add("select row from dataset")
            if self.where is not None:
                sql.add("where (").add(self.where).add(")")
            sql.add("order by")
            for expression, direction in self.order:
                sql.add("(").add(expression).add(f") {direction} nulls last,")
            used = [self.where] * (self.where is not None) + [
                expression for expression, _ in self.order
            ]
            rows = np.asarray(_run(dataset, sql.add("row"), used, text)["row"], dtype=np.int64)
        return rows[self.offset :][: self.limit]


def _combine(kind: str, parts: list[np.ndarray]) -> np.ndarray:
    result = parts[0]
    for part in parts[1:]:
        if kind in ("union", "union all"):
            result = np.concatenate([result, part])
        else:
            result = result[np.isin(result, part, invert=kind == "except")]
    if kind in ("", "union all"):
        return result
    # each row once, at its first place
    return result[np.sort(np.unique(result, return_index=True)[1])]


class _Parser:
    """Reads a query or weights from left to right."""

    def __init__(self, text: str, dataset, choices: Iterable[str] = (), what: str = "a query"):
        self.tokens = tokens_of(text, what)
        self.text, self.place = text, 0
        numbers = frozenset(
            name for name, column in dataset.columns.items() if column.holds_numbers()
        )
        self.names = Names(dataset.names, dataset.class_names, numbers, frozenset(choices))
        for token, following in itertools.pairwise(self.tokens):
            if token.lower in _BY and following.lower == "by":
                raise self.error(f"a query has no {token.lower} by: {_BY[token.lower]}", token)

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def error(self, reason: str, token: Token | None = None) -> QueryError:
        return QueryError(reason, self.text, (token or self.token).position)

    def here(self) -> str:
        return repr(self.token.text) if self.token.kind != "end" else "the end"

    def take(self, word: str) -> bool:
        """Skip `word` if it is the current token; return whether it was."""
        found = self.token.lower == word
        self.place += found
        return found

    def need(self, word: str, remedy: str = "") -> None:
        if not self.take(word):
            raise self.error(f"expected {word!r}, got {self.here()}{remedy}")

    def query(self) -> _Select:
        result = self.combined(0)
        if self.token.kind == "end":
            return result
        if self.token.text == ";":
            raise self.error("one query at a time")
        if self.token.lower == "from":
            raise self.error(_NO_FROM)
        if self.token.lower in _ORDER:
            raise self.error(f"each clause comes at most once, in the order {', '.join(_ORDER)}")
        raise self.error(
            f"expected the end of the query, got {self.here()}"
            + did_you_mean_word(self.token, ("where", "order", "limit", "union"))
        )

    def combined(self, depth: int) -> _Select:
        """operand {union operand} [order by ...] [limit n] [offset n]"""
        parts, kind = [self.operand(depth)], ""
        while self.token.lower in _SETS:
            operator = self.token
            self.place += 1
            word = operator.lower + (
                " all" if operator.lower == "union" and self.take("all") else ""
            )
            if kind and word != kind:
                raise self.error(
                    f"{kind} and {word} cannot be mixed:"
                    " put parentheses around the part that comes first",
                    operator,
                )
            kind = word
            parts.append(self.operand(depth))
        plain = not kind and not parts[0].parts
        result = (
            parts[0]
            if plain and parts[0].limit is None and not parts[0].offset and not parts[0].order
            else _Select(parts=parts, kind=kind)
        )
        self.tail(result)
        if self.token.lower in _SETS:
            raise self.error(
                f"a select with order by or limit needs parentheses before {self.token.lower}:"
                f" (select * ... limit 10) {self.token.lower} (...)"
            )
        return result

    def operand(self, depth: int) -> _Select:
        if self.token.text == "(":
            if depth == MAX_DEPTH:
                raise self.error(f"more than {MAX_DEPTH} parentheses inside one another")
            opening = self.token
            self.place += 1
            result = self.combined(depth + 1)
            if not self.take(")"):
                raise (
                    self.error("this parenthesis is not closed", opening)
                    if self.token.kind == "end"
                    else self.error(f"expected ')', got {self.here()}")
                )
            return result
        if self.token.lower != "select":
            raise self.error(f"a query begins with select * ..., got {self.here()}")
        self.place += 1
        self.need("*", _WHOLE_ROWS)
        if self.token.text == "," or self.token.lower == "as":
            raise self.error(f"after * comes no {self.token.text!r}{_WHOLE_ROWS}")
        if self.token.lower == "from":
            raise self.error(_NO_FROM)
        return _Select(where=self.expression("where") if self.take("where") else None)

    def tail(self, select: _Select) -> None:
        if self.token.lower == "order":
            if select.parts:
                raise self.error("order by must stand inside the parentheses of one select")
            self.place += 1
            self.need("by")
            while True:
                expression = self.expression("order by", stops={",", "asc", "desc"})
                descending = self.take("desc")
                if not descending:
                    self.take("asc")  # may be left out
                select.order.append((expression, "desc" if descending else "asc"))
                if not self.take(","):
                    break
        if self.take("limit"):
            select.limit = self.count("limit")
        if self.take("offset"):
            select.offset = self.count("offset")

    def count(self, word: str) -> int:
        if (
            self.token.kind != "number"
            or not self.token.text.isdigit()
            or len(self.token.text) > 18
        ):
            raise self.error(f"{word} needs a whole number, 0 or more, got {self.here()}")
        self.place += 1
        return int(self.tokens[self.place - 1].text)

    def expression(self, after: str, stops: Iterable[str] = ()) -> Expression:
        """The expression up to the next clause, a word of `stops`, or a closing parenthesis that
        was not opened in it.
        """
        start, opened, stops = self.place, [], {*stops, *_STOPS}
        while self.token.kind != "end":
            if self.token.text == "(":
                opened.append(self.token)
            elif self.token.text == ")":
                if not opened:
                    break
                opened.pop()
            elif self.token.text == ";" or (self.token.lower in stops and not opened):
                break
            elif self.token.lower == "select":
                raise self.error(
                    "a select inside a condition is not possible here; run it first, and write its"
                    " values as a list: labels in (1, 2)"
                )
            self.place += 1
        if opened:
            raise self.error("this parenthesis is not closed", opened[-1])
        if self.place == start:
            raise self.error(
                f"expected {'a condition' if after == 'where' else 'an expression'} after"
                f" {after!r}, got {self.here()}"
            )
        return Expression(self.tokens[start : self.place], self.text, self.names)

    def weights(self) -> tuple[list[Sequence[Expression]], Any]:
        """([(condition, weight), ...], how to combine them), or ([(expression,)], None)."""
        if self.token.kind == "end":
            raise self.error(
                "weights are empty; write an expression such as max_weight(labels == 5:"
                " 10, labels == 6: 5)"
            )
        choice = self.token.lower
        if choice not in _CHOICES or self.tokens[self.place + 1].text != "(":
            pairs, choose = [(self.expression("the start", stops={":", ","}),)], None
        else:
            self.place += 2
            pairs, choose = [self.pair(choice)], _CHOICES[choice]
            while self.take(","):
                pairs.append(self.pair(choice))
            self.need(")")
        if self.token.kind != "end":
            raise self.error(f"expected the end of the weights, got {self.here()}")
        return pairs, choose

    def pair(self, choice: str) -> tuple[Expression, Expression]:
        condition = self.expression(choice, stops={":", ","})
        self.need(":", f"; each condition has a weight: {choice}(labels == 5: 10, ...)")
        return condition, self.expression(":", stops={",", ":"})


def did_you_mean_word(token: Token, words: Sequence[str]) -> str:
    found = did_you_mean(token.text, words)
    return found if "did you mean" in found else ""


def _values(dataset, expressions: list[Expression], text: str) -> list[np.ndarray]:
    """The value of each expression in each row: float64 of shape (N,), NaN for null."""
    sql = Sql().add("select")
    for number, expression in enumerate(expressions):
        sql.add("cast((").add(expression).add(f") as double) as v{number},")
    result = _run(
        dataset,
        sql.add("row from dataset order by row"),
        expressions,
        text,
        "the weights cannot be computed",
    )
    return [
        np.ma.filled(np.ma.asarray(result[f"v{number}"], dtype=np.float64), np.nan)
        for number in range(len(expressions))
    ]


def _run(
    dataset,
    sql: Sql,
    expressions: list[Expression],
    text: str,
    subject: str = "the query cannot be answered",
) -> dict[str, np.ndarray]:
    """Run the SQL in DuckDB and return its columns. DuckDB receives only the columns that are
    named; it cannot read files, use the network or change settings. It runs in one thread, which
    ends with this call. `subject` begins the message of an error.
    """
    try:
        import duckdb
    except ImportError as error:
        raise ImportError("a query needs DuckDB: python -m pip install duckdb") from error
    table = {"row": np.arange(len(dataset), dtype=np.int64)}
    for expression in expressions:
        for name in expression.columns:
            if (key := expression.names.in_sql(name)) not in table:
                try:
                    table[key] = dataset.columns[name].table(dataset.row_numbers)
                except ValueError as error:
                    token = next(
                        token
                        for token in expression.tokens
                        if token.kind in ("word", "quoted") and token.name == name
                    )
                    raise QueryError(str(error), text, token.position) from None
    with duckdb.connect(
        ":memory:",
        config={
            "threads": 1,
            "enable_external_access": False,
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
            "errors_as_json": True,
        },
    ) as database:
        database.register("dataset", table)
        database.execute("set lock_configuration = true")
        try:
            return database.execute(str(sql)).fetchnumpy()
        except duckdb.Error as error:
            found = error
        try:
            database.execute(str(typed := sql.as_typed())).fetchnumpy()
        except duckdb.Error as error:
            found, sql = error, typed
        raise explained(found, sql, expressions, text, subject)
