# What a student believed: A step that is taken again simply replaces the first one.
# caught by: test_add_step
# reads: A name that is in steps already raises ValueError: .batch() has already been called.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    return {**steps, name: settings}
