# %% only_the_new_step: A new dict holds the new step; the old ones are in the loader
# before. (promise 1)
def add_step(steps: dict, name: str, settings: dict) -> dict:
    if name in steps:
        raise ValueError(f".{name}() has already been called on this loader")
    return {name: settings}


# %% the_newest_first: A dict has no order that matters, so the newest step may come
# first. (promise 2)
def add_step(steps: dict, name: str, settings: dict) -> dict:
    if name in steps:
        raise ValueError(f".{name}() has already been called")
    return {name: settings, **steps}


# %% changes_what_it_is_given: The new loader replaces the old one, so the dict may be
# reused. (promise 3)
def add_step(steps: dict, name: str, settings: dict) -> dict:
    if name in steps:
        raise ValueError(f".{name}() has already been called")
    steps[name] = settings
    return steps


# %% last_call_wins: A step that is taken again simply replaces the first one. (promise
# 4)
def add_step(steps: dict, name: str, settings: dict) -> dict:
    return {**steps, name: settings}
