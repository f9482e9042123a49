# What a student believed: repr shows all of a value.
# caught by: test_memo_key
# reads: Different arguments have different keys: each value and the type of an array count.
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    return hashlib.sha256(
        code_bytes(function) + repr(sorted(bound.arguments.items())).encode()
    ).hexdigest()
