# What a student believed: What was written is what was called.
# caught by: test_memo_key
# reads: Arguments are compared by name: f(1, 2) is f(b=2, a=1).
def memo_key(function, args=(), kwargs=None):
    signature(function).bind(*args, **(kwargs or {}))
    return hashlib.sha256(
        stable_bytes([code_bytes(function), args, dict(kwargs or {})])
    ).hexdigest()
