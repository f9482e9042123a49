# What a student believed: A step was taken if its name can be found in the steps.
# caught by: test_add_step
# reads: The new dict holds everything in steps, and name: settings.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    if name in str(steps):
        raise ValueError(f".{name}() has already been called on this loader")
    return {**steps, name: settings}
