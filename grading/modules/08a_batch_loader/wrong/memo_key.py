# %% the_address_of_the_function: A function is known by its id. (promise 2)
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    return hashlib.sha256(stable_bytes([id(function), dict(bound.arguments)])).hexdigest()


# %% arguments_as_text: repr shows all of a value. (promises 3, 9)
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    return hashlib.sha256(
        code_bytes(function) + repr(sorted(bound.arguments.items())).encode()
    ).hexdigest()


# %% name_of_the_function: A function is known by its name. (promise 4)
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    return hashlib.sha256(stable_bytes([function.__name__, dict(bound.arguments)])).hexdigest()


# %% args_and_kwargs_apart: What was written is what was called. (promise 5)
def memo_key(function, args=(), kwargs=None):
    signature(function).bind(*args, **(kwargs or {}))
    return hashlib.sha256(
        stable_bytes([code_bytes(function), args, dict(kwargs or {})])
    ).hexdigest()


# %% defaults_left_out: bind() fills the defaults in. (promise 6)
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **(kwargs or {}))
    return hashlib.sha256(stable_bytes([code_bytes(function), dict(bound.arguments)])).hexdigest()


# %% kwargs_is_always_a_dict: Nobody leaves kwargs out. (promise 7)
def memo_key(function, args=(), kwargs=None):
    bound = signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return hashlib.sha256(stable_bytes([code_bytes(function), dict(bound.arguments)])).hexdigest()


# %% names_by_hand: Names and values are joined with zip, as bind does. (promise 8)
def memo_key(function, args=(), kwargs=None):
    parameters = signature(function).parameters
    arguments = {
        name: one.default for name, one in parameters.items() if one.default is not one.empty
    }
    arguments.update(zip(parameters, args))
    arguments.update(kwargs or {})
    return hashlib.sha256(stable_bytes([code_bytes(function), arguments])).hexdigest()


# %% kwargs_are_mine: kwargs is a dict of this function's own. (promise 10)
def memo_key(function: Callable, args: tuple = (), kwargs: Mapping[str, Any] | None = None) -> str:
    if kwargs is None:
        kwargs = {}
    bound = signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    kwargs.update(bound.arguments)
    return hashlib.sha256(code_bytes(function) + stable_bytes(kwargs)).hexdigest()
