"""Laws of exercise 3a, apply_transform."""

from tinytorch.law_tools import ERRORS, raised_by, shown
from tinytorch.laws import Case, law

ROW = {"x": 3, "y": 5, "z": 7}
RESULTS = (None, 0, "", False, [], {}, [8], {"x": -3})


def drawn(draw):
    """A row like ROW."""
    return dict(zip("xyz", draw.integers(8, 10**6, 3).tolist(), strict=True))


class Noting:
    """A function that notes what it is called with, and returns or raises one thing."""

    def __init__(self, result=1):
        self.result, self.calls = result, []

    def __call__(self, *given, **arguments):
        self.calls.append((*given, arguments) if arguments else given)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@law(1, "Without a transform", look="which line is for a transform that is None?")
def test_without_a_transform_the_row_stays(tt, draw):
    for row in (ROW, {"x": None}, drawn(draw)):
        for kwargs in ({}, {"factor": 2}):
            call = f"apply_transform({row}, None, {kwargs})"
            yield call, lambda: tt.apply_transform(dict(row), None, kwargs), row


def items_of(tt, row, name, columns):
    """What a dict of another type makes of a row: the pairs (column, text)."""
    import collections

    own = type("Own", (dict,), {})  # a dict of one's own
    transform = getattr(collections, name, own)(dict.fromkeys(columns, str))
    return list(tt.apply_transform(row, transform, {}).items())


@law(
    2,
    "in its order",
    look="which transform is none? {} is a dict, so is an OrderedDict. Which of the two"
    " do you loop over, the row or the transform?",
)
def test_a_dict_chooses_the_columns(tt, draw, inside):
    row = {name: int(draw.integers(100)) for name in "abcdef"}
    drawn = [str(name) for name in draw.permutation(list(row))[:4]]
    for given, chosen in ((ROW, ["z", "x"]), (ROW, []), (ROW, ["y"]), (row, drawn)):
        functions = {name: Noting() for name in chosen}
        text = ", ".join(f"{name!r}: a function" for name in chosen)
        call = f"list(apply_transform({given}, {{{text}}}, {{}}))"
        got = lambda: list(tt.apply_transform(dict(given), functions, {}))  # noqa: E731
        yield call, got, chosen
    for kind in ("OrderedDict", "Counter", "Own"):
        call = f"list(apply_transform({ROW}, t, {{}}).items()); t is the"
        call = f"{call} {kind} {{'z': str, 'x': str}}, a kind of dict"
        got = lambda kind=kind: inside(items_of, dict(ROW), kind, "zx")  # noqa: E731
        yield call, got, [("z", "7"), ("x", "3")]


@law(3, "function in a dict", look="each function once, with its own column's value")
def test_a_function_gets_its_column(tt, draw):
    row = {name: int(draw.integers(100)) for name in "abcd"}
    for given, names in ((ROW, "yx"), ({"x": None, "y": 0}, "xy"), (row, "dab")):
        functions = {name: Noting(f"new {name}") for name in names}
        call = f"apply_transform({given}, functions of {', '.join(names)}, {{}})"
        got = lambda: tt.apply_transform(dict(given), functions, {})  # noqa: E731
        yield call, got, {name: f"new {name}" for name in names}
        calls = {name: function.calls for name, function in functions.items()}
        want = {name: [(given[name],)] for name in names}
        yield f"{call}: the calls of each function", calls, want


@law(4, "None in a dict", look="None is no function: the column stays, as it is")
def test_none_keeps_a_column(tt, draw):
    for value in (5, 0, None, "", [1], int(draw.integers(100))):
        row = {"x": 3, "y": value}
        call = f"apply_transform({row}, {{'y': None, 'x': f}}, {{}}); f returns 1"
        transform = {"y": None, "x": Noting()}
        want = {"y": value, "x": 1}
        yield call, lambda: tt.apply_transform(dict(row), transform, {}), want


@law(5, "ignores kwargs", look="what does a column's function get beside the value?")
def test_a_dict_ignores_the_arguments(tt, draw):
    row = drawn(draw)
    for kwargs in ({"scale": 10}, {"x": 1}, {"rng": None}, {"y": row["z"]}):
        function = Noting()
        call = f"apply_transform({row}, {{'x': f, 'y': None}}, {kwargs})"
        transform = {"x": function, "y": None}
        got = lambda: tt.apply_transform(dict(row), transform, kwargs)  # noqa: E731
        yield call, got, {"x": 1, "y": row["y"]}
        yield f"{call}: the calls of f", function.calls, [(row["x"],)]


@law(
    6, "function of the row", look="transform(row, **kwargs), in one place of the code"
)
def test_a_function_gets_the_row_and_the_arguments(tt, draw):
    factor = int(draw.integers(2, 100))
    for kwargs in ({}, {"factor": factor, "shift": 1}, {"x": None}):
        function = Noting("done")
        call = f"apply_transform({ROW}, f, {kwargs})"
        got = lambda: tt.apply_transform(dict(ROW), function, kwargs)  # noqa: E731
        yield call, got, "done"
        want = [(ROW, kwargs) if kwargs else (ROW,)]
        yield f"{call}: the calls of f", function.calls, want


@law(7, "even None", look="return what the function returned, also what is false")
def test_whatever_is_returned_is_the_result(tt, draw):
    row = drawn(draw)
    for value in (*RESULTS, [row["x"]]):
        f = Noting(value)
        for text, transform, want in (
            ("f", f, value),
            ("{'x': f}", {"x": f}, {"x": value}),
        ):
            call = f"apply_transform({row}, {text}, {{}}); f returns {value!r}"
            yield call, lambda: tt.apply_transform(dict(row), transform, {}), want


def rows_afterwards(tt, row, result):
    """The row after four calls whose functions return `result`, and what came."""
    came = [
        tt.apply_transform(row, transform, {})
        for transform in (
            None,
            {name: lambda value: result for name in row},
            {next(iter(row)): None},
            lambda columns: result,
        )
    ]
    return row, list(row), came[1:]


@law(8, "is not changed", look="write into a new dict, never into `row`")
def test_the_row_stays(inside, draw):
    row = {name: int(draw.integers(100)) for name in "abc"}
    for result in (-1, {"a": -1, "more": 0}, None):
        call = f"apply_transform({row}, t, {{}}); t is None, a dict or a function; each"
        want = dict(row), [*row], [dict.fromkeys(row, result), {"a": row["a"]}, result]
        got = lambda: inside(rows_afterwards, dict(row), result)  # noqa: E731
        text = f"{call} function returns {result}: row, list(row) and what came"
        yield text, got, want


@law(9, "without a retry", look="no `try`: the error goes on its way, and f ran once")
def test_an_error_passes_through(tt, draw):
    row = drawn(draw)
    end = "a generator or map() takes a StopIteration for its own: {... for ...} or a"
    end += " loop hands it on"
    for error in (*ERRORS, StopIteration("no more rows")):
        look = end if isinstance(error, StopIteration) else None
        for text in ("f", "{'x': f, 'y': None}"):
            for kwargs in ({}, {"k": row["z"]}):
                function = Noting(error)
                transform = function if text == "f" else {"x": function, "y": None}
                got = raised_by(
                    lambda: tt.apply_transform(dict(row), transform, kwargs)
                )
                call = f"apply_transform({row}, {text}, {kwargs}); f raises"
                call = f"{call} {shown(error)}: the error, and the calls of f"
                got, want = (got, len(function.calls)), (shown(error), 1)
                yield Case(call, got, want, look=look)
