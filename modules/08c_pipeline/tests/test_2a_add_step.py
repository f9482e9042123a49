"""Laws of exercise 2a, add_step."""

from tinytorch.laws import Case, law

NAMES = ["shuffle", "batch", "offset", "query", "numpy"]


def chains(draw):
    """(call, steps, name, settings): fixed ones, then a drawn one."""
    drawn = [str(name) for name in draw.permutation(NAMES)]
    last, settings = drawn.pop(), {"n": int(draw.integers(100))}
    for steps, name, given in (
        ({"offset": {"off": 3}}, "batch", {"batch_size": 4}),
        ({}, "shuffle", {"shuffle": True}),
        ({"batch": None}, "numpy", {"a": None, "b": 0, "": False, "c": []}),
        ({"shuffle": {"batch": 3}, "batches": {}}, "batch", {}),
        ({"b": {}, "a": {}, "d": {}}, "c", {"a": 1}),
        ({key: {"n": i} for i, key in enumerate(drawn)}, last, settings),
    ):
        yield f"add_step({steps}, {name!r}, {given})", steps, name, given


@law(1, "holds everything", look="old steps and new one; only a key is a step's name")
def test_the_new_dict_holds_old_and_new(tt, draw):
    for call, steps, name, given in chains(draw):
        want = dict([*steps.items(), (name, given)])
        got = lambda: tt.add_step(dict(steps), name, given)  # noqa: E731
        yield call, got, want, lambda got, want=want: type(got) is dict and got == want


# a probe of `inside`
def held_by(tt, name):
    """Whether a new dict holds the very objects of the old steps and of the new one."""

    class Transform:
        """Something that is equal to nothing else."""

    old, new = Transform(), Transform()
    steps = tt.add_step({"transform": {"f": old}}, name, {"f": new})
    return steps["transform"]["f"] is old, steps[name]["f"] is new


@law(1, "holds everything", look="a deep copy makes other objects of what it finds")
def test_the_new_dict_holds_the_same_objects(inside, draw):
    name = str(draw.choice(NAMES))
    call = f'new = add_step({{"transform": {{"f": f}}}}, {name!r}, {{"f": g}}): is'
    call += f' new["transform"]["f"] still f, and is new[{name!r}]["f"] still g?'
    yield call, lambda: inside(held_by, name), (True, True)


@law(2, "comes last", look="what is first in your new dict?")
def test_the_new_step_comes_last(tt, draw):
    for call, steps, name, given in chains(draw):
        want = [*steps, name]
        yield f"list({call})", lambda: list(tt.add_step(dict(steps), name, given)), want


def afterwards(tt, steps, name, settings):
    """The old steps afterwards, and whether the old dict is the new one."""
    after = tt.add_step(steps, name, settings)
    return steps, after is steps, len(after)


@law(3, "is not changed", look="make a new dict, and put old steps and new one into it")
def test_the_old_steps_stay(inside, draw):
    for call, steps, name, given in chains(draw):
        text = f"steps = {steps}; new = {call.replace(str(steps), 'steps', 1)}: steps,"
        want = dict(steps), False, len(steps) + 1
        got = lambda: inside(afterwards, steps, name, given)  # noqa: E731
        yield f"{text} new is steps, len(new)", got, want


@law(
    4,
    "raises ValueError",
    look="is `name in steps` asked, of all steps and whatever the settings are? The"
    " message says the name and `already`",
)
def test_a_step_is_taken_once(tt, draw):
    for call, steps, name, given in chains(draw):
        yield call, lambda: tt.add_step(dict(steps), name, given), "no error", True
        steps = dict([*steps.items(), (name, given)])
        for again in steps:
            for settings in ({}, steps[again], {"other": 1}):
                call = f"add_step({steps}, {again!r}, {settings})"
                got = lambda: tt.add_step(steps, again, settings)  # noqa: E731
                yield Case(call, got, [again, "already"], raises=ValueError)
