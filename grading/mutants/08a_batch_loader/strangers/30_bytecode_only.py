# What the student believed: co_code is the function's code.
# breaks: "of the function's code and its arguments", "If the code changed since, the
# old result is wrong"; f with `return x + 1.5` and with `return x + 2.5`: one key.
def memo_key(function: Callable, args: tuple = (), kwargs: Mapping[str, Any] | None = None) -> str:
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    code = function.__code__.co_code
    return hashlib.sha256(code + stable_bytes(dict(bound.arguments))).hexdigest()
