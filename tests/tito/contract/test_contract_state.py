"""No test depends on the state in which the package, or the test before, left the process."""

import sys

import pytest
from contract_kit import FORMS, contract_run

PACKAGE = """
def upset():
    import gc, os, random, sys, tracemalloc, warnings
    import numpy as np
    tracemalloc.start()
    warnings.simplefilter("error")
    np.seterr(all="raise")
    np.set_printoptions(precision=1)
    sys.setrecursionlimit(sys.getrecursionlimit() + 50)
    sys.setswitchinterval(1)
    gc.disable()
    gc.set_threshold(1)
    os.chdir("/")
    os.environ["UPSET"] = "1"
    os.environ.pop("LEFT", None)
    random.seed(1)
    np.random.seed(1)

upset()
"""
TESTS = """
import pytest
from tinytorch.testing import expect

pytestmark = pytest.mark.contract("c")

def state(tt):
    import gc, os, random, sys, tracemalloc, warnings
    import numpy as np
    found = {
        "tracemalloc": tracemalloc.is_tracing(),
        "filters": repr(warnings.filters[:1]),
        "float errors": np.geterr(),
        "print options": np.get_printoptions()["precision"],
        "recursion": sys.getrecursionlimit(),
        "switches": sys.getswitchinterval(),
        "gc": [gc.isenabled(), list(gc.get_threshold())],
        "folder": os.getcwd(),
        "variable": os.environ.get("UPSET"),
        "left": os.environ.get("LEFT"),
        "draws": [random.random(), float(np.random.random())],
    }
    tt.upset()
    return found

@pytest.mark.parametrize("again", [0, 1])
def test_state(inside, again):
    expect(False, "The state is shown.", got=repr(inside(state)))
"""


@pytest.mark.parametrize("form", FORMS)
def test_each_test_begins_in_the_same_state_whatever_the_package_did(form, tmp_path, monkeypatch):
    monkeypatch.setenv("LEFT", "1")
    states = [
        eval(line.got or line.message)
        for _ in range(2)
        for line in contract_run(tmp_path, TESTS, PACKAGE, form=form)[0].values()
    ]
    for one in states:
        assert one["tracemalloc"] is False and one["variable"] is None
        assert "error" not in one["filters"]
        assert set(one["float errors"].values()) == {"warn", "ignore"}
        assert one["print options"] == 8 and one["gc"][0] and one["gc"][1] != [1, 10, 10]
        assert one["switches"] == sys.getswitchinterval() and one["folder"] != "/"
    first, second, *again = ({**one, "draws": None} for one in states)
    assert first == second and [first, second] == again
    draws = [one["draws"] for one in states]
    assert draws[:2] == draws[2:] and draws[0] != draws[1], "each test draws its own, in any run"
