# What a student believed: A function is known by its name.
# caught by: test_memo_key
# reads: Different code has a different key, even under the same name.
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    return hashlib.sha256(stable_bytes([function.__name__, dict(bound.arguments)])).hexdigest()
