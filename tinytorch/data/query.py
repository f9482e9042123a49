"""Queries over the columns of a dataset, answered by DuckDB, which the first query imports.

    select * where labels != 5 order by score desc limit 100

    (select * where contains(categories, 'car') limit 1000)
    union (select * where contains(categories, 'motorcycle') limit 1000)

A query selects whole rows and returns their numbers. What follows `select *` is DuckDB's:
comparisons, `and`, `or`, `not`, `in`, `between`, `like`, `is null`, `case`, arithmetic, the
functions of `FUNCTIONS`, `order by`, `limit` and `offset`. `union` joins selects in parentheses and
keeps each row once. NaN in a column counts as null, so no comparison with it holds; a NaN that is
computed is the largest number, as in DuckDB.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tinytorch.data.mistyped_names import did_you_mean
from tinytorch.data.rows import check_weights

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
    |(?P<string>'(?:[^']|'')*')|(?P<quoted>"(?:[^"]|"")+")|(?P<word>[^\W\d]\w*)
    |(?P<sign>==|!=|<>|<=|>=|\|\||[-+*/%<>=(),:])|(?P<end>\Z))""",
    re.VERBOSE,
)
_CONDITION_ENDS = {"and", "or", "when", "then", "else", "where", "order"}
_KEYWORDS = _CONDITION_ENDS | set(
    "not in is null like ilike between true false case end asc desc by limit offset".split()
)
_CLAUSES = ("where", "order", "limit", "offset")
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
_UNION = "several selects are written (select * ...) union (select * ...)"
_CHOICES = {"max_weight": "list_max", "sum_weight": "list_sum"}
# What the signs of "condition: weight, condition: weight" become between the SQL of `weights`.
_CASES = {":": "then", ",": "else 0 end as double), 'nan'), coalesce(cast(case when"}


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
    rows = np.concatenate([reader.select(part) for part in reader.parts()])
    return rows[np.sort(np.unique(rows, return_index=True)[1])]  # each at its first place


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
    choose, end = _CHOICES.get(reader.tokens[0].word), len(reader.tokens) - 1
    if choose is None:
        choose, around = "list_max", ("", "")
        value = reader.sql(range(end))
    else:
        close = reader.closing(1)
        if close + 1 != end:
            raise reader.error("expected the end", close + 1)
        around = ("case when", "else 0 end")
        value = reader.sql(range(2, close), _CASES)
    # DuckDB's largest number is NaN, so that no null is overlooked.
    before = f"select {choose}(w) as chosen, list_min(w) as least from (select row, [coalesce(cast("
    after = " as double), 'nan')] as w from dataset) order by row"
    result = reader.run([(before + around[0], None), *value, (around[1] + after, None)])
    # A larger weight must not hide a negative one.
    return check_weights(
        np.where(result["least"] < 0, result["least"], result["chosen"]), len(dataset)
    )


class _Token(NamedTuple):
    kind: str  # number, string, quoted, word, sign, end
    text: str
    position: int

    @property
    def word(self) -> str:
        return self.text.lower() if self.kind == "word" else ""

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
    used, position = text.rstrip().removesuffix(";").rstrip(), 0
    while not tokens or tokens[-1].kind != "end":
        match = _TOKEN.match(used, position)
        if match is None:
            position = len(used) - len(used[position:].lstrip())
            hint = "; contains(column, value) looks into a list" * (used[position] == "[")
            raise QueryError(f"{used[position]!r} means nothing here{hint}", text, position)
        kind = str(match.lastgroup)
        tokens.append(_Token(kind, match[kind], match.start(kind)))
        position = match.end()
    return tokens


class _Reader:
    """Reads the frame of a query or of weights; the rest becomes SQL token by token."""

    def __init__(self, text: str, dataset: Any, what: str):
        self.text, self.dataset, self.tokens = text, dataset, _tokens_of(text, what)
        self.columns: dict[str, np.ndarray] = {"row": np.arange(len(dataset), dtype=np.int64)}
        for number, (token, following) in enumerate(itertools.pairwise(self.tokens)):
            reason = _INSTEAD.get(token.word) or _INSTEAD.get(f"{token.word} {following.word}")
            if reason:
                raise self.error(reason, number)

    def error(self, reason: str, number: int) -> QueryError:
        return QueryError(reason, self.text, self.tokens[number].position)

    def closing(self, number: int) -> int:
        """The number of the token that closes the parenthesis which token `number` opens."""
        if self.tokens[number].text != "(":
            raise self.error("expected '('", number)
        depth = 0
        for place in range(number, len(self.tokens)):
            depth += (self.tokens[place].text == "(") - (self.tokens[place].text == ")")
            if depth == 0:
                return place
        raise self.error("this parenthesis is not closed", number)

    def parts(self) -> list[range]:
        """The tokens of each select: of the only one, or of (select) {union (select)}."""
        if self.tokens[0].text != "(":
            return [range(len(self.tokens) - 1)]
        found: list[range] = []
        place = 0
        while not found or self.tokens[place - 1].kind != "end":
            close = self.closing(place)
            found.append(range(place + 1, close))
            if self.tokens[close + 1].word != "union" and self.tokens[close + 1].kind != "end":
                raise self.error(f"expected union or the end; {_UNION}", close + 1)
            place = close + 2
        return found

    def select(self, part: range) -> np.ndarray:
        """The rows of `select * ...`; rows with equal values are in the dataset's order."""
        if self.tokens[part.start].word != "select":
            raise self.error("a query begins with select * ...", part.start)
        star, rest = part.start + 1, range(part.start + 2, part.stop)
        words = [self.tokens[number].word for number in rest]
        if self.tokens[star].text != "*" or words[:1] == [""]:
            place = star + (self.tokens[star].text == "*")
            raise self.error("a query selects whole rows (columns: tensors=[...])", place)
        if words and words[0] not in _CLAUSES:
            raise self.error(f"expected {', '.join(_CLAUSES)} or the end", rest.start)
        end = min([n for n, word in enumerate(words) if word in _CLAUSES[2:]], default=len(words))
        order = ", row" if "order" in words[:end] else "order by row"
        before, after = self.sql(rest[:end]), self.sql(rest[end:])
        rows = self.run([("select row from dataset", None), *before, (order, None), *after])["row"]
        return np.asarray(rows, dtype=np.int64)

    def sql(self, numbers: range, instead: Mapping[str, str] | None = None) -> list[Piece]:
        """The SQL of these tokens; `instead` has other SQL for signs outside parentheses. In a
        condition on a column with class names, each text is the name of a class.
        """
        pieces: list[Piece] = []
        start, depth = numbers.start, 0
        for number in numbers:
            token = self.tokens[number]
            depth += (token.text == "(") - (token.text == ")")
            sign = token.text if depth == 0 and token.text in (",", ":") else ""
            if sign or token.word in _CONDITION_ENDS or number == numbers[-1]:
                names = {each: self._column(each) for each in range(start, number + 1)}
                coded = next((n for n in names.values() if n in self.dataset.class_names), None)
                for each, name in names.items():
                    pieces.append((self._sql(each, name, coded), self.tokens[each].position))
                start = number + 1
            if sign and instead:
                pieces[-1] = (instead[sign], token.position)
        return pieces

    def _column(self, number: int) -> str | None:
        """The name of a column that token `number` is; None for all other tokens."""
        token, following = self.tokens[number], self.tokens[number + 1].text
        if token.kind != "quoted" and (not token.word or token.word in _KEYWORDS):
            return None
        if token.word and following == "(":
            if token.word in FUNCTIONS:
                return None
            remedy = did_you_mean(token.text, sorted(FUNCTIONS | set(_CHOICES)))
            raise self.error(f"no function is named {token.text!r}{remedy}", number)
        if token.word in ("select", "union", "intersect", "except"):
            raise self.error(f"{token.text} cannot be part of a select; {_UNION}", number)
        if token.value in self.dataset.names:
            return token.value
        remedy = did_you_mean(token.value, [*self.dataset.names, *sorted(_KEYWORDS)])
        if token.kind == "quoted":
            remedy = f"; text is written in single quotes: '{token.value}'"
        raise self.error(f"no column is named {token.value!r}{remedy}", number)

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
                raise self.error(str(error), number) from None
            quoted = '"' + key.replace('"', '""') + '"'
            # With one number in each row, contains(labels, 2) means labels == 2.
            before = [each.text.lower() for each in self.tokens[max(0, number - 2) : number]]
            return (
                f"[{quoted}]" if before == ["contains", "("] and values.holds_numbers() else quoted
            )
        if token.kind == "string" and coded is not None:
            classes = self.dataset.class_names[coded]
            if token.value in classes:
                return str(classes.index(token.value))
            remedy = did_you_mean(token.value, classes)
            raise self.error(f"no class of {coded!r} is named {token.value!r}{remedy}", number)
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
