"""NaN that is computed in a query counts as null: no comparison with it holds, and it sorts last.

To the database a NaN is larger than every number. So each value that may be NaN is put into a
`case`, at the place where it is judged: in a comparison, in a list of values, in a function such as
coalesce, in `order by`. Inside of arithmetic nothing is done, since there NaN gives NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

# Numeric functions: NaN gives NaN. All other functions judge their arguments.
_NUMERIC = {"abs", "round", "floor", "ceil", "sqrt", "ln", "exp", "pow", "sin", "cos"}
_ARITHMETIC = set("+-*/%")
_VALUES = {"null", "true", "false"}  # keywords that are values
MAX_NESTED = 100  # parentheses (and cases) inside one another
_MOST_PIECES = 20_000  # each level of judged values doubles the SQL

Piece = tuple[str, int | None]


class NanAsNull:
    """Makes the SQL of an expression: `pieces`, one or more for each token.

    Args:
        tokens: those of the expression.
        pieces: (SQL, position) of each token.
        is_keyword: whether token number i is a keyword.
        is_other: whether token number i is a column that does not hold numbers.
        refuse: makes the error to raise, of a reason and a token's number.
    """

    def __init__(
        self,
        tokens: Sequence,
        pieces: Sequence[Piece],
        is_keyword: Callable[[int], bool],
        is_other: Callable[[int], bool],
        refuse: Callable[[str, int], Exception],
    ):
        self.tokens, self.plain, self.is_other, self.refuse = tokens, pieces, is_other, refuse
        self.keywords = [
            token.lower if is_keyword(place) else "" for place, token in enumerate(tokens)
        ]
        self.closing = self._closing()
        self.pieces = self._group(0, len(tokens), judged=True)

    def _closing(self) -> dict[int, int]:
        """Where each parenthesis and each case ends."""
        closing, opened = {}, []
        for place, token in enumerate(self.tokens):
            if token.text == "(" or self.keywords[place] == "case":
                opened.append(place)
                if len(opened) > MAX_NESTED:
                    raise self.refuse(
                        f"more than {MAX_NESTED} parentheses inside one another", place
                    )
            elif token.text == ")":
                while opened and self.tokens[opened[-1]].text != "(":
                    opened.pop()  # a case without end: the database refuses it
                if opened:
                    closing[opened.pop()] = place
            elif self.keywords[place] == "end" and opened and self.keywords[opened[-1]] == "case":
                closing[opened.pop()] = place
        return closing

    def _is_separator(self, place: int) -> bool:
        token = self.tokens[place]
        if self.keywords[place]:
            return self.keywords[place] not in _VALUES
        return token.kind == "sign" and token.text not in _ARITHMETIC and token.text != "("

    def _group(self, start: int, end: int, judged: bool) -> list[Piece]:
        """The SQL of tokens start..end-1. Between comparisons, conditions and commas stand values,
        which are judged; a value that is alone is judged if its group is.
        """
        values, separators, place = [[]], [], start
        while place < end:
            if place in self.closing:
                values[-1].append((place, self.closing[place] + 1))
            elif self._is_separator(place):
                separators.append(self.plain[place])
                values.append([])
            else:
                values[-1].append((place, place + 1))
            place = values[-1][-1][1] if values[-1] else place + 1
        judged = judged or bool(separators)
        pieces = self._value(values[0], judged)
        for separator, value in zip(separators, values[1:], strict=True):
            pieces += [separator, *self._value(value, judged)]
        return pieces

    def _value(self, parts: list[tuple[int, int]], judged: bool) -> list[Piece]:
        wrapped = judged and self._may_be_nan(parts)
        pieces = []
        for start, end in parts:
            if end - start == 1:
                pieces.append(self.plain[start])
            else:
                pieces += self._inside(start, end, judged and not wrapped)
        if not wrapped:
            return pieces
        if len(pieces) > _MOST_PIECES:
            raise self.refuse("too many values that are computed inside one another", parts[0][0])
        return [
            ("case when isnan(", None),
            *pieces,
            (") then null else", None),
            *pieces,
            ("end", None),
        ]

    def _inside(self, start: int, end: int, judged: bool) -> list[Piece]:
        """The SQL of parentheses with what is in them, or of a case."""
        name = self._function(start)
        if name in _NUMERIC:
            inside, first = [], start + 1
            for comma in [*self._commas(start + 1, end - 1), end - 1]:
                inside += self._group(first, comma, judged=False)
                if comma < end - 1:
                    inside.append(self.plain[comma])
                first = comma + 1
        else:
            judged = judged or bool(name) or self.keywords[start] == "case"
            inside = self._group(start + 1, end - 1, judged)
        return [self.plain[start], *inside, self.plain[end - 1]]

    def _commas(self, start: int, end: int) -> list[int]:
        commas, place = [], start
        while place < end:
            if self.tokens[place].text == ",":
                commas.append(place)
            place = self.closing.get(place, place) + 1
        return commas

    def _function(self, start: int) -> str:
        """The function whose parentheses open at `start`, "" if there is none."""
        before = start - 1
        if self.tokens[start].text != "(" or before < 0 or self.keywords[before]:
            return ""
        return self.tokens[before].lower if self.tokens[before].kind == "word" else ""

    def _may_be_nan(self, parts: list[tuple[int, int]]) -> bool:
        starts = [start for start, _ in parts]
        if any(map(self.is_other, starts)):  # a sum of lists is a list
            return False
        if any(self.tokens[start].text in _ARITHMETIC for start in starts[1:]):
            return True
        return any(
            self._function(start) in _NUMERIC
            or (place > 0 and self.tokens[start].text == "(" and not self._function(start))
            for place, start in enumerate(starts)
        )
