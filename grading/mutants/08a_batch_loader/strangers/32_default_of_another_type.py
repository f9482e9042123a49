# What the student believed: an argument that equals its default can be left out.
# breaks: "different for different ones" (2 and 2.0 have different bytes);
# def f(a, b=2): return a // b: memo_key(f, (1, 2.0)) == memo_key(f, (1,)), f does not.
def memo_key(function: Callable, args: tuple = (), kwargs: Mapping[str, Any] | None = None) -> str:
    takes = signature(function)
    bound = takes.bind(*args, **(kwargs or {}))
    given = {}
    for name, value in bound.arguments.items():
        default = takes.parameters[name].default
        if default is takes.empty or value != default:
            given[name] = value
    return hashlib.sha256(code_bytes(function) + stable_bytes(given)).hexdigest()
