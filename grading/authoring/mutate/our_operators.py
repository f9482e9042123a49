"""Operators of our own, for what students get wrong and mutmut does not know. Each takes a node
of its kind and gives (name, the whole text of the cell with one change).

A change is made in the text, not in the tree, so that the rest of the cell stays as the author
wrote it. What does not compile or changes nothing is dropped later.
"""

import ast
import itertools
from collections.abc import Callable
from typing import Any

from grading.authoring.mutate.scope import LOOPS, name_of, names_in
from grading.authoring.mutate.solution_code import Code, Function, Mutants, defaults_of
from grading.authoring.mutate.state_operators import foreign_errors, kept_state

OPPOSITES = {
    "min": "max",
    "any": "all",
    "argmin": "argmax",
    "minimum": "maximum",
    "mean": "median",
    "std": "var",
    "floor": "ceil",
    "append": "extend",
    "left": "right",
}
OPPOSITES |= {other: name for name, other in OPPOSITES.items()}
DTYPES = {
    "float32": "float64",
    "float64": "float32",
    "int64": "int32",
    "int32": "int64",
    "uint8": "int8",
}
# Calls that convert or copy what they are given; without them the value itself is used.
CONVERSIONS = {"list", "tuple", "dict", "set", "sorted", "int", "float", "bool", "reversed", "abs"}
CONVERSIONS |= {"asarray", "array", "sqrt", "float32", "float64", "int64", "deepcopy", "unique"}
CONVERTING_METHODS = {"copy", "item", "tolist", "astype", "keys"}
# They read all that they are given at once, so a list and a generator are the same to them.
GREEDY = {"list", "tuple", "set", "dict", "sorted", "sum", "min", "max", "any", "all", "join"}
# The order of their arguments means nothing.
SYMMETRIC = {"min", "max", "minimum", "maximum", "isclose", "allclose", "array_equal"}
# What a `raise` names, and what a careless student raises instead.
ERRORS = {"ValueError": "TypeError", "IndexError": "KeyError", "RuntimeError": "ValueError"}


def our_mutants(code: Code) -> Mutants:
    for node in ast.walk(code.tree):
        for kind, operator in OPERATORS:
            if isinstance(node, kind) and (kind is not Function or node in code.solved):
                yield from operator(node, code)


def _bracketed(node: ast.AST, code: Code) -> str:
    """The text of an expression, in brackets unless it holds together by itself."""
    whole = (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript, ast.List, ast.Dict)
    return code.of(node) if isinstance(node, whole) else f"({code.of(node)})"


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def numbers(node: ast.Constant, code: Code) -> Mutants:
    """mutmut adds one to a whole number; here one is taken away, and a fraction is doubled."""
    if type(node.value) is int:
        yield "number", code.replaced(node, str(node.value - 1))
    elif type(node.value) is float:
        yield "number", code.replaced(node, repr(node.value * 2 or 1.0))


def bounds(node: ast.Slice | ast.Call, code: Code) -> Mutants:
    """One more and one less: an end of a slice, of `range` or of `islice`."""
    ends: list[ast.expr | None] = []
    if isinstance(node, ast.Slice):
        ends = [node.lower, node.upper]
    elif name_of(node.func) in ("range", "islice", "slice"):
        ends = [*node.args]
    for end in ends:
        if end is not None and not _is_number(end) and not isinstance(end, ast.Starred):
            for sign in "+-":
                yield "bound", code.replaced(end, f"{_bracketed(end, code)} {sign} 1")


def divisions_and_differences(node: ast.BinOp, code: Code) -> Mutants:
    """Up in place of down; `b - a` in place of `a - b`."""
    left, right = _bracketed(node.left, code), _bracketed(node.right, code)
    if isinstance(node.op, ast.FloorDiv):
        yield "rounding", code.replaced(node, f"(-(-{left} // {right}))")
    if isinstance(node.op, (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)):
        yield "operands", code.put((*code.at(node.left), right), (*code.at(node.right), left))


def conditions(node: ast.If | ast.While | ast.IfExp | ast.comprehension, code: Code) -> Mutants:
    """The opposite of a condition."""
    for test in node.ifs if isinstance(node, ast.comprehension) else [node.test]:
        yield "condition-negated", code.replaced(test, f"not ({code.of(test)})")
        if isinstance(node, ast.comprehension):
            yield "filter-dropped", code.replaced(test, "True")


def parts_of_conditions(node: ast.BoolOp | ast.Compare, code: Code) -> Mutants:
    """One part of an `and`, of an `or`, or of a chain such as `0 <= i < n` is forgotten."""
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            neutral = "True" if isinstance(node.op, ast.And) else "False"
            yield "part-dropped", code.replaced(part, neutral)
    elif len(node.ops) > 1:
        whole = [node.left, *node.comparators]
        begin, end = code.at(node)
        yield "part-dropped", code.put((begin, code.at(whole[1])[0], ""))
        yield "part-dropped", code.put((code.at(whole[-2])[1], end, ""))


def statements(node: ast.stmt, code: Code) -> Mutants:
    """A statement, or a check that refuses something, is forgotten."""
    if not code.in_region(node):
        return
    name = "statement-dropped"
    if isinstance(node, ast.If):
        if node.orelse:
            return
        if isinstance(node.body[-1], (ast.Raise, ast.Return)):
            name = "check-dropped"
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if all(isinstance(one, ast.Name) and _first_of(one, node, code) for one in targets):
            return  # without it the name does not exist
        if any(isinstance(one, ast.Tuple) for one in targets):
            return
    elif isinstance(node, (ast.Return, ast.Raise)):
        above = code.parents[node]
        alone = isinstance(above, ast.If) and len(above.body) == 1 and not above.orelse
        if alone or isinstance(node, ast.Return):
            return
    elif isinstance(node, (Function, ast.ClassDef, ast.Pass, ast.Import, ast.ImportFrom)):
        return
    yield name, code.replaced(node, "pass")


def _first_of(target: ast.Name, statement: ast.stmt, code: Code) -> bool:
    """Whether a statement is the only one that gives the name a value."""
    function = code.function_of(statement)
    if function is None:
        return True
    arguments = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
    stored = [
        one.id
        for one in ast.walk(function)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    ]
    return target.id not in arguments and stored.count(target.id) == 1


def contexts(node: ast.With, code: Code) -> Mutants:
    """The body of a `with`, without it: no lock is held, nothing is closed."""
    if not any(one.optional_vars for one in node.items):
        begin, end = code.at(node)[0], code.at(node.items[-1].context_expr)[1]
        yield "context-dropped", code.put((begin, end, "if True"))


def copies_and_conversions(node: ast.Call, code: Code) -> Mutants:
    """A copy or a conversion is forgotten."""
    name = name_of(node.func)
    fresh = isinstance(code.parents[node], ast.BinOp)  # the result is a new array anyway
    if name == "array" and isinstance(node.func, ast.Attribute) and not fresh:
        yield "copy-dropped", code.replaced(node.func, f"{code.of(node.func.value)}.asarray")
    if name in CONVERSIONS and len(node.args) == 1 and not isinstance(node.args[0], ast.Starred):
        yield "conversion-dropped", code.replaced(node, _bracketed(node.args[0], code))
    elif isinstance(node.func, ast.Attribute) and name in CONVERTING_METHODS:
        kind = "copy-dropped" if name == "copy" else "conversion-dropped"
        yield kind, code.replaced(node, code.of(node.func.value))


def arguments(node: ast.Call | ast.Subscript | ast.keyword, code: Code) -> Mutants:
    """Two neighbors change places: arguments of a call, parts of an index; another axis."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.Call) and name_of(node.func) not in SYMMETRIC:
        parts, name = node.args, "arguments-swapped"
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        parts, name = node.slice.elts, "axis"
    elif isinstance(node, ast.keyword) and node.arg == "axis" and not _is_number(node.value):
        yield "axis", code.replaced(node.value, "0")  # numbers are changed anyway
    for one, two in itertools.pairwise(parts):
        if not isinstance(one, ast.Starred) and not isinstance(two, ast.Starred):
            yield name, code.put((*code.at(one), code.of(two)), (*code.at(two), code.of(one)))


def other_names(node: ast.Attribute | ast.Name, code: Code) -> Mutants:
    """Another dtype; a call of `max` in place of `min`."""
    old, end, above = name_of(node), code.at(node)[1], code.parents[node]
    if old in DTYPES:
        yield "dtype", code.put((end - len(old), end, DTYPES[old]))
    if old in OPPOSITES and isinstance(above, ast.Call) and above.func is node:
        yield "opposite", code.put((end - len(old), end, OPPOSITES[old]))


def loops(node: ast.AST, code: Code) -> Mutants:
    """A loop ends at its first pass, or is an `if`; a comprehension looks at the first element
    alone.
    """
    if isinstance(node, (*LOOPS, ast.While)) and code.in_region(node):
        last = node.body[-1]
        if not isinstance(last, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            end = code.at(last)[1]
            yield "early-return", code.put((end, end, f"\n{' ' * last.col_offset}break"))
    if isinstance(node, ast.While):
        begin = code.at(node)[0]
        yield "early-return", code.put((begin, begin + len("while"), "if"))
    if isinstance(node, ast.comprehension):
        yield "first-only", code.replaced(node.iter, f"[*{_bracketed(node.iter, code)}][:1]")


def handlers(node: ast.ExceptHandler, code: Code) -> Mutants:
    """An exception is caught too widely, or what is caught is forgotten."""
    if not code.in_region(node):
        return
    if node.type is not None and ast.unparse(node.type) != "Exception":
        yield "exception-widened", code.replaced(node.type, "Exception")
    for one in node.body:
        yield "exception-swallowed", code.replaced(one, "pass")


def raised(node: ast.Raise, code: Code) -> Mutants:
    """An error of another type; an error without its cause."""
    if node.exc is None:
        return
    kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if isinstance(kind, ast.Name) and kind.id[:1].isupper():
        yield "raise-type", code.replaced(kind, ERRORS.get(kind.id, "ValueError"))
    if node.cause is not None:
        yield "cause-dropped", code.replaced(node.cause, "None")


def lists_and_generators(node: ast.AST, code: Code) -> Mutants:
    """A list in place of a generator, and the other way round."""
    above = code.parents.get(node)
    greedy = isinstance(above, ast.Call) and name_of(above.func) in GREEDY
    greedy |= isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Tuple)
    if isinstance(node, ast.GeneratorExp) and not greedy:
        begin, end = code.at(node)
        bare = isinstance(above, ast.Call) and code.text[begin] != "("
        inner = code.of(node) if bare else code.of(node)[1:-1]
        yield "list-for-generator", code.put((begin, end, f"[{inner}]"))
    elif isinstance(node, ast.ListComp) and not greedy:
        yield "generator-for-list", code.replaced(node, f"({code.of(node)[1:-1]})")
    elif isinstance(node, LOOPS) and any(isinstance(one, ast.Yield) for one in ast.walk(node)):
        if isinstance(node.iter, ast.Call) and name_of(node.iter.func) == "range":
            return  # a range is all there from the start
        yield "list-for-generator", code.replaced(node.iter, f"list({code.of(node.iter)})")


def eager(node: Function, code: Code) -> Mutants:
    """A generator function that does all its work when it is called."""
    own = code.statements(node)
    inner = [one for part in own for one in ast.walk(part)]
    yields = [one for one in inner if isinstance(one, (ast.Yield, ast.YieldFrom))]
    if not yields or not all(isinstance(code.parents[one], ast.Expr) for one in yields):
        return
    pad = " " * own[0].col_offset
    begin, end = code.at(own[0])[0], code.at(own[-1])[1]
    changes = [(begin, begin, f"made = []\n{pad}"), (end, end, f"\n{pad}return iter(made)")]
    for one in yields:
        add = "append" if isinstance(one, ast.Yield) else "extend"
        value = code.of(one.value) if one.value else "None"
        changes.append((*code.at(one), f"made.{add}({value})"))
    changes += [
        (*code.at(one), "return iter(made)") for one in inner if isinstance(one, ast.Return)
    ]
    yield "list-for-generator", code.put(*changes)


def defaults(node: Function, code: Code) -> Mutants:
    """0 as the default of a number that is None; numbers, True and False are changed anyway."""
    for one, value in defaults_of(node):
        number = one.annotation is not None and {"int", "float"} & names_in(one.annotation)
        if number and isinstance(value, ast.Constant) and value.value is None:
            yield "default", code.replaced(value, "0")


def elements(node: ast.List | ast.Tuple, code: Code) -> Mutants:
    """One of several elements is forgotten; several are mixed into one, as `[seed, epoch]` into
    `seed + epoch`.
    """
    if not isinstance(node.ctx, ast.Load):
        return
    above = code.parents.get(node)
    if isinstance(above, ast.Subscript) or (isinstance(above, ast.Assign) and above.value is node):
        return
    for left_out in range(len(node.elts)) if len(node.elts) > 1 else ():
        kept = [code.of(one) for k, one in enumerate(node.elts) if k != left_out]
        ends = "[]" if isinstance(node, ast.List) else "()"
        comma = "," if len(kept) == 1 and ends == "()" else ""
        yield "element-dropped", code.replaced(node, f"{ends[0]}{', '.join(kept)}{comma}{ends[1]}")
    plain = all(isinstance(one, (ast.Name, ast.Attribute)) for one in node.elts)
    if isinstance(node, ast.List) and len(node.elts) > 1 and plain:
        yield "mixed", code.replaced(node, " + ".join(code.of(one) for one in node.elts))


# The kinds of node that an operator takes; of functions, those that hold a solution.
OPERATORS: tuple[tuple[Any, Callable[..., Mutants]], ...] = (
    (ast.Constant, numbers),
    (ast.Slice | ast.Call, bounds),
    (ast.BinOp, divisions_and_differences),
    (ast.If | ast.While | ast.IfExp | ast.comprehension, conditions),
    (ast.BoolOp | ast.Compare, parts_of_conditions),
    (ast.stmt, statements),
    (ast.With, contexts),
    (ast.Call, copies_and_conversions),
    (ast.Call | ast.Subscript | ast.keyword, arguments),
    (ast.Attribute | ast.Name, other_names),
    (ast.AST, loops),
    (ast.ExceptHandler, handlers),
    (ast.Raise, raised),
    (Function, foreign_errors),
    (Function, kept_state),
    (ast.AST, lists_and_generators),
    (Function, eager),
    (Function, defaults),
    (ast.List | ast.Tuple, elements),
)
