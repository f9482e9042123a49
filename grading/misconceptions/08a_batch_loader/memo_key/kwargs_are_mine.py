# What a student believed: kwargs is a dict of this function's own.
# caught by: test_memo_key
# reads: args and kwargs are not changed.
def memo_key(function: Callable, args: tuple = (), kwargs: Mapping[str, Any] | None = None) -> str:
    if kwargs is None:
        kwargs = {}
    bound = signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    kwargs.update(bound.arguments)
    return hashlib.sha256(code_bytes(function) + stable_bytes(kwargs)).hexdigest()
