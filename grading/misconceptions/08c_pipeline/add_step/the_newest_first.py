# What a student believed: A dict has no order that matters, so the newest step may come first.
# caught by: test_add_step
# reads: The new step comes last; the old ones keep their order.
def add_step(steps: dict, name: str, settings: dict) -> dict:

    if name in steps:
        raise ValueError(f".{name}() has already been called")
    return {name: settings, **steps}
