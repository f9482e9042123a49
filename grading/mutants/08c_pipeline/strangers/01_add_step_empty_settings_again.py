# What the student believed: a step that was taken has settings, so `get` is true.
# breaks: "A name that is there already raises `ValueError`";
# add_step({"numpy": {}}, "numpy", {}) must raise and returns a dict.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    if steps.get(name):
        raise ValueError(f".{name}() has already been called on this loader")
    return {**steps, name: settings}
