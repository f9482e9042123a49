# What a student believed: A step that is taken again simply replaces the first one.
# caught by: test_add_step
# reads: A step that is taken twice is a ValueError that names it.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    return {**steps, name: settings}
