"""Operators on what is not a call's own: errors of foreign code, and state that outlives a call."""

import ast

from grading.authoring.mutate.scope import own_names, uses_foreign
from grading.authoring.mutate.solution_code import Code, Function, Mutants


def foreign_errors(node: Function, code: Code) -> Mutants:
    """An error of somebody else's code is swallowed, or replaced by one's own: around the last
    statements of a solution, those behind its own checks, where they use what they were given.
    """
    own = code.statements(node)
    checks = [
        n for n, one in enumerate(own) if any(isinstance(x, ast.Raise) for x in ast.walk(one))
    ]
    body = own[checks[-1] + 1 if checks else 0 :]
    if not body or not any(uses_foreign(one, node) for one in body):
        return
    pad = " " * body[0].col_offset
    begin, end = code.at(body[0])[0], code.at(body[-1])[1]
    lines = code.text[begin:end].split("\n")
    moved = "\n".join(f"    {line}" if line.strip() and k else line for k, line in enumerate(lines))
    for name, caught, then in (
        ("swallowed", "Exception", "return"),
        ("replaced", "Exception as problem", 'raise RuntimeError("it failed") from problem'),
    ):
        text = f"try:\n{pad}    {moved}\n{pad}except {caught}:\n{pad}    {then}"
        yield f"foreign-error-{name}", code.put((begin, end, text))


def kept_state(node: Function, code: Code) -> Mutants:
    """What is made in each call is made once, as with a default of `[]`; and in a generator an
    attribute takes the place of a local, so that two that run at the same time disturb each other.
    """
    method = bool(node.args.args) and node.args.args[0].arg == "self"
    for one in ast.walk(node):
        if (
            isinstance(one, ast.Assign)
            and isinstance(one.targets[0], ast.Name)
            and isinstance(one.value, (ast.List, ast.Dict))
            and not ast.unparse(one.value).strip("[]{}")
        ):
            holder = "self" if method else node.name
            new = f'{holder}.__dict__.setdefault("_{one.targets[0].id}", {code.of(one.value)})'
            yield "state-kept", code.replaced(one.value, new)
    if method and any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(node)):
        for name in sorted(own_names(node, kept=True)):
            uses = [one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id == name]
            yield (
                "attribute-for-local",
                code.put(*((*code.at(one), f"self._{name}") for one in uses)),
            )
