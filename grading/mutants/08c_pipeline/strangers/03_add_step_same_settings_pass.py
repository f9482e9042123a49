# What the student believed: the second call only hurts if it says something else.
# breaks: "A name that is there already raises `ValueError`";
# add_step({"batch": {"n": 4}}, "batch", {"n": 4}) must raise.
def add_step(steps: dict, name: str, settings: dict) -> dict:
    new = dict(steps)
    if new.setdefault(name, settings) != settings:
        raise ValueError(f".{name}() has already been called on this loader")
    return new
