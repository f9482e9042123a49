"""Compares pieces of code without regard to names, comments and layout.

Winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for Document Fingerprinting",
SIGMOD 2003): tokens, in which the same mark stands for every name that the student chose, are
hashed in runs of RUN tokens; of each WINDOW hashes the smallest is kept.
"""

import functools
import io
import keyword
import tokenize
from dataclasses import dataclass, field
from zlib import crc32

RUN = 12  # tokens in a fingerprint: a line or two
# one of every 6 fingerprints is kept; a shared piece of RUN + WINDOW - 1 = 17 tokens is always
# found
WINDOW = 6
# Most characters of a line that is compared. A longer line is data, and in some Python versions the
# tokenizer's time grows with the square of a line.
MAX_LINE = 2000


@dataclass(frozen=True)
class Pair:
    """Two submissions; `share`, from 0 to 1, is the fraction of the smaller one's own code that the
    other has too.
    """

    share: float
    shared: int  # fingerprints
    first: str
    second: str
    cells: tuple[str, ...]  # cells with similar code, the most similar first
    answers: tuple[str, ...] = ()  # written answers that are equal


@dataclass(frozen=True)
class Group:
    """Many students with the same code, or the same answer, in the same cells."""

    students: tuple[str, ...]
    cells: tuple[str, ...]


@dataclass
class Written:
    """A student's own work in one submission: code with its fingerprints, and written answers."""

    code: dict[str, str] = field(default_factory=dict)  # grade_id of a solution cell -> source
    prints: dict[str, frozenset[int]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)

    @property
    def all(self) -> set[int]:
        return set().union(*self.prints.values())


@functools.lru_cache(maxsize=8192)
def fingerprints(source: str) -> frozenset[int]:
    """The winnowed hashes of a piece of Python. Names, comments, layout and docstrings make no
    difference.
    """
    marks = tokens(source)
    hashes = [crc32(" ".join(marks[i : i + RUN]).encode()) for i in range(len(marks) - RUN + 1)]
    return frozenset(
        min(hashes[i : i + WINDOW]) for i in range(max(1, len(hashes) - WINDOW + 1)) if hashes
    )


def tokens(source: str) -> list[str]:
    names: list[str] = []
    source = "\n".join(line for line in source.split("\n") if len(line) <= MAX_LINE)
    begin = True  # at the start of a statement, where a string alone is a docstring
    try:
        for one in tokenize.generate_tokens(io.StringIO(source).readline):
            if one.type in (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER, tokenize.ERRORTOKEN):
                continue
            if one.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                begin = True
                names += [tokenize.tok_name[one.type]] if one.type != tokenize.NEWLINE else []
                continue
            if one.type == tokenize.NAME and not keyword.iskeyword(one.string):
                names.append("n")
            elif one.type == tokenize.STRING:
                names += [] if begin else ["s"]
            else:
                names.append(one.string)
            begin = False
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        pass  # the tokens before the error count
    return names
