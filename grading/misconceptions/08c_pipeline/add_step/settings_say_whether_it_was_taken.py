# What a student believed: A step was taken if it has settings.
# caught by: test_add_step
# reads: A name that is in steps already raises ValueError: .batch() has already been called.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    if steps.get(name):
        raise ValueError(f".{name}() has already been called on this loader")
    return {**steps, name: settings}
