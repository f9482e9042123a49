# What a student believed: repr shows all of a value.
# caught by: test_memo_key
# reads: Arrays count with all their values and their dtype.
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    return hashlib.sha256(
        code_bytes(function) + repr(sorted(bound.arguments.items())).encode()
    ).hexdigest()
