"""The operators of mutmut, which work on libcst's syntax tree: each takes a node and gives other
nodes in its place.

Left out are mutmut's operators that change strings (messages are prose, and a string that is
compared is covered by the comparison) and those that put None in place of a value or leave out an
argument without a name: any call breaks on such a mutant, so it says nothing about the tests.
"""

from collections.abc import Iterator
from typing import Any

from tito.errors import EnvironmentBroken

NAMES = {  # of mutmut's operators here
    "operator_number": "number",
    "operator_name": "boolean",
    "operator_remove_unary_ops": "not-dropped",
    "operator_arg_removal": "argument-dropped",
    "operator_symmetric_string_methods_swap": "string-method",
    "operator_keywords": "keyword",
    "operator_augmented_assignment": "augmented",
    "operator_if_exp": "branch",
    "operator_swap_op": "swap",
}


def library_mutants(text: str) -> Iterator[tuple[str, str]]:
    """(operator, the whole text with one change) for each change that mutmut makes.

    Raises:
        EnvironmentBroken: mutmut is not installed.
    """
    try:
        import libcst
        from mutmut.mutation import mutators
    except ImportError as problem:
        raise EnvironmentBroken(
            f"mutants are made with mutmut, which cannot be imported ({problem}). Install it:"
            " python -m pip install 'tinytorch-course[instructor]'"
        ) from None
    swaps: dict[Any, str] = {
        libcst.ComparisonTarget: "compare-boundary",
        libcst.BooleanOperation: "and-or",
        libcst.AugAssign: "augmented",
    }
    tree: Any = libcst.parse_module(text)
    for node in _all(tree):
        for kind, operator in mutators.mutation_operators:
            name = NAMES.get(operator.__name__)
            # a fraction is doubled by an operator of our own
            if not name or not isinstance(node, kind) or isinstance(node, libcst.Float):
                continue
            for other in operator(node):
                if name == "argument-dropped" and not _lacks_keyword(node, other):
                    continue
                label = swaps.get(type(node), "arithmetic") if name == "swap" else name
                yield label, tree.deep_replace(node, other).code


def _lacks_keyword(call: Any, other: Any) -> bool:
    """Whether the other call is the same without an argument that has a name."""
    before, after = (sum(one.keyword is not None for one in each.args) for each in (call, other))
    return after < before


def _all(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children:
        yield from _all(child)
