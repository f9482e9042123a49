# What a student believed: A new dict holds the new step; the old ones are in the loader before.
# caught by: test_add_step
# reads: The new dict holds everything in steps, and name: settings.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    if name in steps:
        raise ValueError(f".{name}() has already been called on this loader")
    return {name: settings}
