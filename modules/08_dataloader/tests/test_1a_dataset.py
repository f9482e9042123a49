"""Laws of exercise 1a, Dataset."""

from tinytorch.laws import Case, law

NAMES_IT = "raise NotImplementedError(...): type(self).__name__ and the method in it"


def photos(tt, name, methods):
    """Makes an object of a subclass that has these methods of its own."""
    body = {"__len__": lambda self: 7, "__getitem__": lambda self, index: index}
    kind = type(name, (tt.Dataset,), {method: body[method] for method in methods})
    made = kind()
    try:
        tt.Dataset.__len__(made)  # promises 2 and 3 tell what comes of it
    except NotImplementedError as said:
        if str(said).startswith("your turn"):
            raise
    return len(made)


@law(
    1, "a subclass without", look="Dataset(ABC), and @abstractmethod above each method"
)
def test_both_methods_are_demanded(tt, inside, draw):
    name = f"Photos{draw.integers(10**6)}"
    yield Case("Dataset()", lambda: tt.Dataset(), raises=TypeError)
    both = ["__len__", "__getitem__"]
    for methods in ([], both[:1], both[1:]):
        call = f"class {name}(Dataset) with {methods or 'no methods'}; {name}()"
        got = lambda methods=methods: inside(photos, name, methods)  # noqa: E731
        yield Case(call, got, raises=TypeError)
    call = f"class {name}(Dataset) with {both}; len({name}())"
    yield Case(call, lambda: inside(photos, name, both), 7)


def calls_super(tt, names, method, index):
    """Calls Dataset's own method for an object of the last of these classes, each a
    subclass of the one before.
    """
    body = {
        "__len__": lambda self: tt.Dataset.__len__(self),
        "__getitem__": lambda self, index: tt.Dataset.__getitem__(self, index),
    }
    kind = tt.Dataset
    for name in names:
        kind, body = type(name, (kind,), body), {}
    made = kind()
    return made.__len__() if method == "__len__" else made[index]


def families(inside, draw, method):
    """Cases: a class, its subclass, and one of a drawn name, each with an index."""
    drawn, far = [f"Words{draw.integers(10**6)}"], int(draw.integers(2, 10**6))
    for names, index in (
        (["Photos"], 3),
        (["Photos"], -1),
        (["Photos", "Small"], 0),
        (drawn, far),
        (drawn, -far),
    ):
        given = "" if method == "__len__" else index
        call = f"super().{method}({given}) in {method} of {'; '.join(names)}"
        if len(names) > 1:
            call = (
                f"class Small(Photos): pass; Small inherits super().{method}({given})"
            )
        got = lambda given=(names, method, index): inside(calls_super, *given)  # noqa: E731
        yield call, got, [names[-1], method]


@law(2, "body of __len__", look=NAMES_IT, raises=NotImplementedError)
def test_the_body_of_len_names_what_is_missing(inside, draw):
    yield from families(inside, draw, "__len__")


@law(3, "body of __getitem__", look=NAMES_IT, raises=NotImplementedError)
def test_the_body_of_getitem_names_what_is_missing(inside, draw):
    yield from families(inside, draw, "__getitem__")
