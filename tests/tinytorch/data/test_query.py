"""Queries and weights over columns: the examples of Deep Lake's page, laws compared with plain
Python, errors with a caret, and no access to anything but the columns.
"""

import os

import numpy as np
import pytest
from claims import prove, refusals, rows
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpers.patience import python
from tinytorch.data.columns import ColumnDataset
from tinytorch.data.query import QueryError, _Reader

CLASSES = ["boot", "shirt", "it's"]


DATASET = ColumnDataset(
    {
        "images": np.zeros((10, 28, 28), np.uint8),
        "labels": np.array([5, 6, 7, 5, 5, 1, 2, 3, 4, 250], np.uint8),
        "categories": ["car", "motorcycle", "bus", None, "é", "car", "car", "x", "y", "z"],
        "tags": [["car", "a"], [], ["b"], ["car"], ["c"], ["car"], [], [], [], ["é"]],
        "kind": [0, 1, 2, 0, 1, 2, 0, 1, 2, 0],
        "kinds": [[0, 1], [], [2], [0], [1], [2], [0], [1], [2], [0]],
        "score": [1, 2, float("nan"), 4, 5, 6, 7, 8, 9, 10],
        "select": np.arange(10),
        "my col": np.arange(10),
        "box": np.zeros((10, 4)) + np.arange(10)[:, None],
    },
    class_names={"kind": CLASSES, "kinds": CLASSES},
)
UNION = (
    "(select * where contains({0}, 'car') limit {1}) union"
    " (select * where contains({0}, 'motorcycle') limit {1})"
)
# a query, and its rows
ROWS = {
    # the page's examples; of a union each row once, at its first place
    "select * where labels != 5": [1, 2, 5, 6, 7, 8, 9],
    UNION.format("categories", 1000): [0, 5, 6, 1],
    UNION.format("categories", 2): [0, 5, 1],
    UNION.format("tags", 1000): [0, 3, 5],
    # clauses
    "SELECT * limit 3 offset 8": [8, 9],
    "select * order by labels asc, score desc limit 7": [5, 6, 7, 8, 4, 3, 0],
    "select *\nwhere labels == 5\n;": [0, 3, 4],
    # conditions
    "select * where labels + 10 > 255": [9],
    'select * where "my col" between 2 and 4 or "select" = 9': [2, 3, 4, 9],
    "select * where contains(box, 3)": [3],
    'select * where not contains(score, 4.0) and contains("select", 3 + 1)': [4],
    # a class by its name
    "select * where 'it''s' = kind": [2, 5, 8],
    "select * where kind in ('boot', 'shirt') and categories = 'car'": [0, 6],
    "select * where contains(kinds, 'shirt') and kind != 'shirt'": [0],
    # NaN is null, which sorts last
    "select * where score is null": [2],
    "select * order by score desc": [9, 8, 7, 6, 5, 4, 3, 1, 0, 2],
}


@pytest.mark.parametrize("text", ROWS)
def test_what_a_query_may_say(text):
    rows = DATASET.query(text)
    assert rows.dtype == np.int64 and rows.tolist() == ROWS[text]


def test_a_query_of_a_view_numbers_the_rows_of_the_view():
    view = DATASET.view([9, 4, 3])
    assert view.query("select * where labels == 5").tolist() == [1, 2]
    assert view.query("select * where contains(tags, 'car')").tolist() == [2]
    assert view.weights("labels").tolist() == [250, 5, 5]


@given(st.text(min_size=1, max_size=8), st.lists(st.text(max_size=5), min_size=1, max_size=5))
@example('a"b', ["it's", "its"])
@example("row", ["row"])
@settings(max_examples=25)
def test_any_text_and_any_name_of_a_column_can_be_asked_for(name, values):
    values = [value.replace("\0", "") for value in values]  # the database has no NUL in text
    name, literal = name.replace("\0", "") or "x", values[0].replace("'", "''")
    ds = ColumnDataset({name: values, name.swapcase() + "2": values, "dataset": values})
    quoted = name.replace('"', '""')
    assert ds.query(f"select * where \"{quoted}\" == '{literal}'").tolist() == [
        row for row, value in enumerate(values) if value == values[0]
    ]


def test_only_the_columns_that_are_named_are_handed_over(monkeypatch):
    asked = []
    for column in DATASET.columns.values():

        def table(rows, column=column, table=column.table):
            asked.append(column.name)
            return table(rows)

        monkeypatch.setattr(column, "table", table)
    DATASET.query("select * where labels != 5 and labels < 9 order by score")
    assert asked == ["labels", "score"]


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="no /proc here to count threads")
def test_a_query_leaves_no_thread():
    """Workers are forked later, and a fork while other threads run is dangerous."""
    code = (
        "import os, numpy as np\nfrom tinytorch.data.columns import ColumnDataset\n"
        "ColumnDataset({'x': np.arange(300_000)}).query('select * where x % 2 == 0')\n"
        "print(len(os.listdir('/proc/self/task')))"
    )
    done = python("-c", code, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    assert done.stdout.strip() == "1", done.stdout + done.stderr


# query, what its error says, the place of the caret (":2" is two characters later)
ERRORS = [
    ("select * where lables != 5", "named 'lables'; did you mean 'labels'?", "lables"),
    ("select * where kind == 'bot'", "is named 'bot'; did you mean 'boot'?", "'bot'"),
    ("select * wher labels = 5", "expected where, order, limit, offset or the end", "wher"),
    ("select *, labels", "a query selects whole rows (columns: tensors=[...])", ","),
    ("select * where labels = 1 from x", "it has no from", "from"),
    ("", "a query begins with select", ""),
    ("select * where categories = 'é' and labels = 'abc'", "string 'abc'", "'abc'"),
    ("select * where images = 5", "column 'images' holds uint8 of shape (28, 28)", "images"),
    ("select * where lenght(tags) = 1", "named 'lenght'; did you mean 'length'?", "lenght"),
    ("select * where (labels = 5", "this part breaks off", "5"),
    ("(select * where labels = 5", "this parenthesis is not closed", "(sel"),
    ('select * where labels = "car"', "text is written in single quotes: 'car'", '"car"'),
    ("select * where labels = 'car", "means nothing here", "'car"),
    ("select * where tags[0] = 'a'", "contains(column, value)", "["),
    ("select * limit 3 union select *", "(select * ...) union (select * ...)", "union"),
    ("(select *) union select *", "expected '('", "union:6"),
    ("select * where labels = 5 5", 'syntax error at or near "5"', "5 5:2"),
    ("select * limit 9 SAMPLE BY max_weight(kind: 2)", ".sample_by('max_weight(", "SAMPLE"),
    ("select *\nwhere labels = 5\n  and kindd = 2", "did you mean 'kind'", "kindd"),
    ("select * where " + "not " * 3000 + "kind = 1", "expression depth limit", "where"),
    ("select * where " + "labels = 1 or " * 300 + "lables = 5", "named 'lables'", "lables"),
]


@pytest.mark.parametrize("text, says, at", ERRORS)
def test_an_error_shows_the_place_with_a_caret(text, says, at):
    at, _, skip = at.partition(":")
    position = text.index(at) + int(skip or 0) if at else len(text)
    with pytest.raises(QueryError) as caught:
        DATASET.query(text)
    reason, *_, line, caret = str(caught.value).split("\n")
    assert says in reason and caught.value.position == position and len(line) < 160
    assert line[caret.index("^") :][:1] == text[position : position + 1] and line.strip() in text


WORDS = [
    *("kind", "score", "categories", "tags", "box", "zz", "1", "0", "2.5", "-1", "'a'", "'boot'"),
    *("1e400", str(10**40), str(2**63 - 1), "null", "true", "(", ")", ",", "*", ":", "=", "=="),
    *("!=", "<", ">", "+", "-", "/", "%", "||", "and", "or", "not", "in", "is", "like", "between"),
    *("case", "when", "then", "else", "end", "contains(", "abs(", "length(", "round(", "lower("),
    *("least(", "coalesce(", "pow(", "starts_with(", "from", "join", "having", "select", "where"),
    *("'", '"', ";", "[", "é", "\n"),
]


@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
@settings(max_examples=40)
def test_whatever_is_typed_the_answer_is_rows_or_a_sentence_with_the_place(words):
    condition = " ".join(words)
    for ask, text in (
        (DATASET.query, f"select * where {condition}"),
        (DATASET.query, f"select * order by {condition}"),
        (DATASET.weights, f"max_weight({condition}: 2)"),
    ):
        try:
            ask(text)
        except ValueError as error:
            assert str(error).count("\n") in (0, 2), "a sentence, the query, the caret"


# Nothing but the columns is within reach


@pytest.mark.parametrize(
    "text",
    [
        "select * where labels = 5; drop table dataset",
        "copy dataset to '{file}'",
        "select * where labels in (select 5)",
        "select * where read_text('{file}') = 'x'",
        "select * where getenv('HOME') = 'x'",
        "(select *) union select * from read_csv('{file}')",
        "select * where labels /* hidden */ = 5",
        "select * where labels = ?",
        "select * where labels::int = 5",
        "select * where row = 5",
        "select * where e'\\'' = categories",
        "select * where U&'d' = categories",
    ],
)
def test_a_query_cannot_change_or_reach_anything_else(text, tmp_path):
    (file := tmp_path / "secret.csv").write_text("x\n1\n")
    with pytest.raises(QueryError):
        DATASET.query(text.replace("{file}", str(file)))
    assert list(tmp_path.iterdir()) == [file] and file.read_text() == "x\n1\n"


REACHABLE = np.arange(3)  # a query must not find Python's variables


@pytest.mark.parametrize(
    "attack",
    [
        "select * from read_csv('{file}')",
        "copy dataset to '{folder}/y.csv'",
        "attach '{folder}/z.db'",
        "install httpfs",
        "load '{file}'",
        "set enable_external_access = true",
        "select * from REACHABLE",
    ],
)
def test_the_database_itself_is_closed(attack, tmp_path):
    """The list of allowed words is the first protection; this is the second."""
    (file := tmp_path / "x.csv").write_text("row\n1\n")
    sql = attack.format(file=file, folder=tmp_path)
    with pytest.raises(QueryError, match=r"disabled|[Cc]annot change|does not exist|Permission"):
        _Reader("select *", DATASET, "a query").run([(sql, None)])
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


# Weights

WEIGHTS = {
    "labels": [5, 6, 7, 5, 5, 1, 2, 3, 4, 250],
    "labels == 5": [1, 0, 0, 1, 1, 0, 0, 0, 0, 0],
    "sum_weight(labels == 5: 10, score > 3: 5)": [10, 0, 0, 15, 15, 5, 5, 5, 5, 5],
    "MAX_WEIGHT(labels == 5: 10, score > 3: 50)": [10, 0, 0, 50, 50, 50, 50, 50, 50, 50],
    "max_weight(kind == 'boot': labels, categories == 'bus': 1)": [5, 0, 1, 5, 0, 0, 2, 0, 0, 250],
    "max_weight(contains(categories, 'car'): 1 + 1.5)": [2.5, 0, 0, 0, 0, 2.5, 2.5, 0, 0, 0],
}
NO_WEIGHTS = {
    "max_weight(labels == 5: -1, labels < 9: 10)": "row 0 has -1.0",
    "score": "row 2 has nan",
    "max_weight(labels > 0: score, labels < 9: 10)": "row 2 has nan",
    "max_weight(labels == 5 10)": 'syntax error at or near "10"',
    "max_weight(labels == 5)": "this part breaks off",
    "max_weight": "expected '('",
    "max_weight(labels == 5: 10": "this parenthesis is not closed",
    "max_wieght(labels == 5: 10)": "did you mean 'max_weight'",
    "max_weight(labels == 5: 10) + 1": "expected the end",
    "categories": "Could not convert string 'car' to DOUBLE",
}


@rows(WEIGHTS, refusals(ValueError, NO_WEIGHTS))
def test_what_weights_may_say(code, want):
    prove("weights(text)", want, {"weights": DATASET.weights, "text": code})
