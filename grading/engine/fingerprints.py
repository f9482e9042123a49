"""What two pieces of code have in common when names, comments and layout do not count.

Winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for Document Fingerprinting",
SIGMOD 2003): tokens, with every name the student chose written as one mark, are hashed in runs of
RUN tokens; of each WINDOW hashes the smallest is kept.
"""

from __future__ import annotations

import functools
import io
import keyword
import tokenize
from dataclasses import dataclass, field
from zlib import crc32

RUN = 12  # tokens in a fingerprint: a line or two
# of each 6 fingerprints one is kept; a shared piece of RUN + WINDOW - 1 = 17 tokens is always seen
WINDOW = 6
# Characters of a line that is compared: a longer one is data, and the tokenizer of some Pythons
# takes time that grows with the square of it.
MAX_LINE = 2000


@dataclass(frozen=True)
class Pair:
    """Two submissions; `share` is the part of the smaller one's own code that the other has too,
    0 to 1.
    """

    share: float
    shared: int  # fingerprints
    first: str
    second: str
    cells: tuple[str, ...]  # where the code is alike, most alike first
    answers: tuple[str, ...] = ()  # answers in words that are the same


@dataclass
class Written:
    """What a student wrote in one submission: code with its fingerprints, and answers in words."""

    code: dict[str, str] = field(default_factory=dict)  # grade_id of a solution cell -> source
    prints: dict[str, frozenset[int]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)

    @property
    def all(self) -> set[int]:
        return set().union(*self.prints.values())


@functools.lru_cache(maxsize=8192)
def fingerprints(source: str) -> frozenset[int]:
    """The winnowed hashes of a piece of Python; equal for equal code modulo names, comments,
    layout and docstrings.
    """
    marks = tokens(source)
    hashes = [crc32(" ".join(marks[i : i + RUN]).encode()) for i in range(len(marks) - RUN + 1)]
    return frozenset(
        min(hashes[i : i + WINDOW]) for i in range(max(1, len(hashes) - WINDOW + 1)) if hashes
    )


def tokens(source: str) -> list[str]:
    found: list[str] = []
    source = "\n".join(line for line in source.split("\n") if len(line) <= MAX_LINE)
    begin = True  # of a statement: a text alone there is a docstring
    try:
        for one in tokenize.generate_tokens(io.StringIO(source).readline):
            if one.type in (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER, tokenize.ERRORTOKEN):
                continue
            if one.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                begin = True
                found += [tokenize.tok_name[one.type]] if one.type != tokenize.NEWLINE else []
                continue
            if one.type == tokenize.NAME and not keyword.iskeyword(one.string):
                found.append("n")
            elif one.type == tokenize.STRING:
                found += [] if begin else ["s"]
            else:
                found.append(one.string)
            begin = False
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        pass  # what came before the damage counts
    return found
