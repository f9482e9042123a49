# What the student believed: kwargs is a dict of this function's own.
# breaks: what any caller expects: kwargs = {"b": 2}; memo_key(f, (1,), kwargs) leaves
# {"b": 2, "a": 1}; the call f(1, **kwargs) that memo_pickle makes next is a TypeError.
def memo_key(function: Callable, args: tuple = (), kwargs: Mapping[str, Any] | None = None) -> str:
    if kwargs is None:
        kwargs = {}
    bound = signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    kwargs.update(bound.arguments)
    return hashlib.sha256(code_bytes(function) + stable_bytes(kwargs)).hexdigest()
