# What a student believed: A function is known by its id.
# caught by: test_memo_key
# reads: Equal code with equal arguments has an equal key, in every process.
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    return hashlib.sha256(stable_bytes([id(function), dict(bound.arguments)])).hexdigest()
