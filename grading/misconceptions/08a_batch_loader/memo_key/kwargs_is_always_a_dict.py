# What a student believed: Nobody leaves kwargs out.
# caught by: test_memo_key
# reads: args may be left out; kwargs too, or be None.
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return hashlib.sha256(stable_bytes([code_bytes(function), dict(bound.arguments)])).hexdigest()
