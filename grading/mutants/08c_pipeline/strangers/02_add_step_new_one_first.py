# What the student believed: the order of the keys of a dict does not matter.
# breaks: "everything in `steps`, then `name: settings`";
# list(add_step({"offset": {"off": 3}}, "batch", {})) must be ["offset", "batch"].
def add_step(steps: dict, name: str, settings: dict) -> dict:
    if name in steps:
        raise ValueError(f".{name}() has already been called on this loader")
    return {name: settings} | dict(steps)
