# What a student believed: The new loader replaces the old one, so the dict may be reused.
# caught by: test_add_step
# reads: The dict returned is a new one; steps is not changed.
def add_step(steps: dict, name: str, settings: dict) -> dict:

    if name in steps:
        raise ValueError(f".{name}() has already been called")
    steps[name] = settings
    return steps
