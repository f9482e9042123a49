"""What a function's names are: given to it, made by it, or code of somebody else."""

import ast

import numpy as np

from grading.authoring.mutate.solution_code import Function, defaults_of

LOOPS = (ast.For, ast.AsyncFor)
# What these parameters hold and these methods do is plain data, not code of somebody else.
PLAIN_TYPES = {"ndarray", "Tensor", "int", "float", "bool", "str", "Sequence", "Path", "tuple"}
CODE_TYPES = {"Callable", "Iterable", "Iterator"}  # what yields or takes arrays is code, too
PLAIN_METHODS = {"keys", "values", "items", *(name for name in dir(np.ndarray) if name[0] != "_")}


def name_of(function: ast.expr) -> str:
    """`array` of `np.array`, `array` of `array`."""
    return str(getattr(function, "attr", "") or getattr(function, "id", ""))


def uses_foreign(statement: ast.stmt, function: Function) -> bool:
    """Whether a statement may run code of somebody else: it calls what it was given or holds,
    loops over what it was given, reads a place of it that it computes, or hands out a value.
    """
    # the function may make what is None by default, such as the axes of a plot
    made = [one for one, value in defaults_of(function) if ast.unparse(value) == "None"]
    given = {
        one.arg
        for one in ast.walk(function.args)
        if isinstance(one, ast.arg)
        and one not in made
        and not (one.annotation and _is_plain(one.annotation))
    }
    values = (given | own_names(function)) - {"self"}
    for node in ast.walk(statement):
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if isinstance(node, (*LOOPS, ast.comprehension)):
            if isinstance(node.iter, ast.Name) and node.iter.id in given:
                return True
        elif isinstance(node, ast.Call) and name_of(node.func) not in PLAIN_METHODS:
            called = node.func
            if isinstance(called, ast.Name) and called.id in values:
                return True
            # a method of one's own class, such as self._place, is one's own code
            own = isinstance(called, ast.Attribute) and called.attr.startswith("_")
            if isinstance(called, ast.Attribute) and not own and _root(called) in given:
                return True
        elif (
            isinstance(node, ast.Subscript)
            and _root(node) in given
            # two indices are a place of an array
            and not isinstance(node.slice, (ast.Constant, ast.Slice, ast.Tuple))
        ):
            return True
    return False


def _is_plain(annotation: ast.expr) -> bool:
    names = names_in(annotation)
    return bool(PLAIN_TYPES & names) and not CODE_TYPES & names


def names_in(node: ast.AST) -> set[str]:
    return {name_of(one) for one in ast.walk(node) if isinstance(one, (ast.Name, ast.Attribute))}


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def own_names(function: Function, *, kept: bool = False) -> set[str]:
    """Names that the function's own statements give a value; with `kept`, those that get one
    outside of all loops, and so have to last through them.
    """
    inner = {
        id(name)
        for node in ast.walk(function)
        if isinstance(node, (ast.comprehension, *((*LOOPS, ast.While) if kept else ())))
        for name in ast.walk(node.target if isinstance(node, ast.comprehension) else node)
    }
    return {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in inner
    }
