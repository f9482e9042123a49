# What a student believed: Twice means twice in a row.
# caught by: test_add_step
# reads: A name that is in steps already raises ValueError: .batch() has already been called.
def add_step(steps: dict, name: str, settings: dict) -> dict:

    if steps and name == list(steps)[-1]:
        raise ValueError(f".{name}() has already been called")
    return {**steps, name: settings}
