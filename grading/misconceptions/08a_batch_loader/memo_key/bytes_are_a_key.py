# What a student believed: A digest is a digest.
# caught by: test_memo_key
# reads: A key is a text of 64 hexadecimal digits.
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    return hashlib.sha256(stable_bytes([code_bytes(function), dict(bound.arguments)])).digest()
