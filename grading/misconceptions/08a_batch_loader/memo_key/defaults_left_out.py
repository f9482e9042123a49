# What a student believed: bind() fills the defaults in.
# caught by: test_memo_key
# reads: A default gives the same key, written or left out.
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **(kwargs or {}))
    return hashlib.sha256(stable_bytes([code_bytes(function), dict(bound.arguments)])).hexdigest()
