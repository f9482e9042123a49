# What the student believed: equal values have equal reprs, different ones do not.
# breaks: "different for different ones" and "(a dict's order does not count)";
# memo_key(f, (x,)) for x = np.zeros(2000), and again with x[1000] = 1: the same key.
def memo_key(function: Callable, args: tuple = (), kwargs: Mapping[str, Any] | None = None) -> str:
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    named = repr(sorted(bound.arguments.items(), key=lambda pair: pair[0]))
    return hashlib.sha256(code_bytes(function) + named.encode()).hexdigest()
