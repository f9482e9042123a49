# What a student believed: What has no stable bytes has a repr.
# caught by: test_memo_key
# reads: A value without stable bytes raises TypeError.
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    try:
        data = stable_bytes([code_bytes(function), dict(bound.arguments)])
    except TypeError:
        data = code_bytes(function) + repr(bound.arguments).encode()
    return hashlib.sha256(data).hexdigest()
