# What a student believed: Names and values are joined with zip, as bind does.
# caught by: test_memo_key
# reads: Arguments that the function does not take raise TypeError.
def memo_key(function, args=(), kwargs=None):
    parameters = signature(function).parameters
    arguments = {
        name: one.default for name, one in parameters.items() if one.default is not one.empty
    }
    arguments.update(zip(parameters, args))
    arguments.update(kwargs or {})
    return hashlib.sha256(stable_bytes([code_bytes(function), arguments])).hexdigest()
