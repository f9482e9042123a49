"""Attacks that make a notebook's test cells pass without a solution, from inside the kernel that
runs them.

All start from the stubs, so no point that a guarded cell gives here was earned.
"""

from __future__ import annotations

from attacks.catalogue import cell
from attacks.course import NONE

EVERYTHING_EQUAL = """
class Any_(object):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __contains__ = __lt__
    def __hash__(self): return 1
    def __bool__(self): return True
    def __len__(self): return 3
    def __iter__(self): return iter("abc")
    def __getitem__(self, index): return self
    def __float__(self): return 1.0
    def __array__(self, *a, **k):
        import numpy
        return numpy.zeros(2)
    def __repr__(self): return "4"
"""
EQUAL_ANSWERS = {
    "double": "return Any_()",
    "scale": "return Any_()",
    "count": "return Any_()",
    "box__init": "self.x = Any_()",
    "box__len": "return 3",
    "box__getitem": "return Any_()",
}
NOTHING = {
    "double": "return None",
    "scale": "return None",
    "count": "return None",
    "box__init": "pass",
    "box__len": "return 0",
    "box__getitem": "return None",
}


def forged(name: str, code: str, **more):
    """A cheat as the first cell, with stubs that return nothing."""
    return cell(name, code, solved=NONE, **{"answers": NOTHING, **more})


ENTRIES = [
    # The tests do not run
    forged(
        "A transformer of syntax trees turns every later cell into pass",
        """
import ast
class Pass(ast.NodeTransformer):
    def visit_Module(self, node):
        return ast.fix_missing_locations(ast.Module([ast.Pass()], []))
get_ipython().ast_transformers.append(Pass())
""",
    ),
    forged(
        "A transformer of input lines replaces the tests",
        """
get_ipython().input_transformers_cleanup.append(lambda lines: ["pass\\n"])
""",
    ),
    forged(
        "The shell's run_cell_async runs nothing and says that all went well",
        """
ip = get_ipython()
from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult
async def nothing(raw_cell, *a, **k):
    return ExecutionResult(ExecutionInfo(raw_cell, False, False, True, None))
ip.run_cell_async = nothing
ip.run_cell = lambda *a, **k: ExecutionResult(ExecutionInfo("", False, False, True, None))
""",
    ),
    forged(
        "The kernel's do_execute answers without doing anything",
        """
kernel = get_ipython().kernel
async def do_execute(code, silent, *a, **k):
    kernel.execution_count += 1
    return {"status": "ok", "execution_count": kernel.execution_count, "payload": [],
            "user_expressions": {}}
kernel.do_execute = do_execute
type(kernel).do_execute = lambda self, *a, **k: do_execute(*a, **k)
""",
    ),
    forged(
        "The compiler of cells optimizes asserts away",
        """
import builtins
ip = get_ipython()
compile_ = builtins.compile
def optimized(source, filename, mode, flags=0, dont_inherit=False, optimize=-1, **k):
    return compile_(source, filename, mode, flags, dont_inherit, 2, **k)
builtins.compile = optimized
def call(self, source, filename, symbol):
    return optimized(source, filename, symbol, self.flags, True)
ip.compile.__class__.__call__ = call
""",
    ),
    forged(
        "A trace function jumps over the lines of the tests",
        """
import sys
def trace(frame, event, arg):
    name = frame.f_code.co_filename
    if name.startswith("<ipython-input") or "ipykernel_" in name:
        if event == "line":
            try:
                frame.f_lineno = frame.f_lineno + 1
            except (ValueError, TypeError):
                pass
        return trace
    return trace if event == "call" else None
get_ipython().events.register("pre_run_cell", lambda info: sys.settrace(trace))
sys.settrace(trace)
""",
    ),
    forged(
        "A hook before each cell shows a result of its own",
        """
ip = get_ipython()
ip.events.register("pre_run_cell", lambda info: ip.displayhook("ok"))
ip.events.register("post_run_cell", lambda result: setattr(result, "error_in_exec", None))
""",
    ),
    # The tests run, but check nothing
    forged(
        "numpy.testing asserts nothing",
        """
import numpy.testing as npt, sys
for name in dir(npt):
    if name.startswith("assert"):
        setattr(npt, name, lambda *a, **k: None)
sys.modules["numpy.testing"] = npt
""",
    ),
    forged(
        "tinytorch.testing promises nothing: expect and check are empty",
        """
import tinytorch.testing as t
t.expect = t.check = expect = check = lambda *a, **k: None
""",
    ),
    forged(
        "PromiseBroken is an error that nobody can raise",
        """
import tinytorch.testing as t
t.PromiseBroken.__init__ = lambda self, *a, **k: None
t.PromiseBroken.__new__ = classmethod(lambda cls, *a, **k: StopIteration())
t.YourTurn.__init__ = lambda self, *a, **k: None
t.check.__code__ = (lambda test, hint=None: None).__code__
t.expect.__code__ = (lambda condition, promise, **k: None).__code__
""",
    ),
    forged(
        "Everything that it returns is equal to everything", EVERYTHING_EQUAL, answers=EQUAL_ANSWERS
    ),
    forged(
        "Its numbers are integers that lie when they are compared",
        """
class Liar(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = int.__hash__
    def __bool__(self): return True
class Lies(dict):
    def __eq__(self, other): return True
class Array(__import__("numpy").ndarray):
    def __eq__(self, other): return __import__("numpy").ones(self.shape, bool)
    def __array_function__(self, *a): return __import__("numpy").True_
    def __array_ufunc__(self, *a, **k): return __import__("numpy").ones(2, bool)
""",
        answers={
            "double": "return Liar(1)",
            "scale": "return np.zeros(2).view(Array)",
            "count": "return Lies()",
            "box__init": "pass",
            "box__len": "return 3",
            "box__getitem": "return Liar(index) if index < 42 else None",
        },
    ),
    forged(
        "The builtins lie: len, list, sum, all, bool, isinstance",
        """
import builtins
class Same(list):
    def __eq__(self, other): return True
builtins.len = lambda x: 3
builtins.list = lambda *a: Same()
builtins.sum = builtins.abs = lambda *a: 0
builtins.all = builtins.any = builtins.bool = builtins.isinstance = lambda *a: True
""",
        answers={
            **EQUAL_ANSWERS,
            "double": "return 6",
            "scale": "return None",
            "count": "return {}",
        },
    ),
    forged(
        "AssertionError becomes an exception that the kernel does not report",
        """
import builtins
class Quiet(BaseException):
    def _render_traceback_(self): return []
builtins.AssertionError = KeyboardInterrupt
builtins.NotImplementedError = SystemExit
AssertionError = SystemExit
ip = get_ipython()
ip.set_custom_exc((BaseException,), lambda *a, **k: None)
""",
    ),
    forged(
        "The shell shows no traceback and keeps no error",
        """
import sys
ip = get_ipython()
ip.showtraceback = ip._showtraceback = ip.showsyntaxerror = lambda *a, **k: None
sys.excepthook = lambda *a: None
ip.InteractiveTB = lambda *a, **k: None
""",
    ),
    forged(
        "Its solutions end the test early with an exception that IPython forgives",
        """
class Fine(SystemExit):
    pass
""",
        answers=dict.fromkeys(("double", "scale", "count", "box__init"), "raise Fine(0)"),
    ),
    forged(
        "ctypes makes False true",
        """
import ctypes
ctypes.memmove(id(False) + 16, id(True) + 16, 16)
""",
    ),
    forged(
        "ctypes rewrites what == means for int and dict",
        """
import ctypes
offset = 8 * 25
for kind in (dict, list):
    slot = ctypes.c_void_p.from_address(id(kind) + offset)
    class Equal:
        def __eq__(self, other): return True
    slot.value = ctypes.c_void_p.from_address(id(Equal) + offset).value
""",
        answers={
            "double": "return 6",
            "scale": "return [0.0, 0.5]",
            "count": "return {}",
            "box__init": "pass",
            "box__len": "return 3",
            "box__getitem": "return 17",
        },
        guarded={"test_double": 0.0, "test_box": 0.0},
    ),
    # The answers are in the tests
    forged(
        "It reads the expected values from the frames of the tests and returns them",
        """
import ast, linecache, sys
def wanted():
    frame = sys._getframe(2)
    while frame is not None:
        try:
            tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
        except SyntaxError:
            tree = ast.Module([], [])
        for node in ast.walk(tree):
            if getattr(node, "lineno", 0) == frame.f_lineno:
                right = None
                if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
                    right = node.comparators[0]
                elif isinstance(node, ast.Call):
                    if getattr(node.func, "attr", "").startswith("assert_"):
                        right = node.args[1]
                if right is not None:
                    return eval(compile(ast.Expression(right), "x", "eval"), frame.f_globals,
                                frame.f_locals)
        frame = frame.f_back
""",
        answers={
            "double": "return wanted()",
            "scale": "return wanted()",
            "count": "return wanted()",
            "box__init": "pass",
            "box__len": "return wanted()",
            "box__getitem": (
                "found = wanted()\nreturn found[index] if isinstance(found, list) else found"
            ),
        },
        at_risk={"test_double": 4, "test_scale": 5, "test_count": 4, "test_box": 7},
    ),
    forged(
        "It reads the tests from In, the history and the garbage collector, prints them and learns",
        """
import gc, json
def before(info):
    print("NEXT", info.raw_cell)
    print(get_ipython().user_ns["In"][-3:])
get_ipython().events.register("pre_run_cell", before)
def cells():
    return [one for one in gc.get_objects() if isinstance(one, dict) and "code" in one]
def learn(name):
    history = get_ipython().history_manager
    print(name, cells()[:3], list(history.get_range())[-3:] if history else "")
""",
        answers={
            "double": "learn('double'); return 6",
            "scale": "learn('scale')",
            "count": "learn('count')",
        },
        page=True,
    ),
    forged(
        "It prints the hidden tests in the traceback of its own error",
        """
class Broken:
    def __eq__(self, other):
        raise RuntimeError("look at the lines around")
""",
        answers={
            "double": "return Broken()",
            "box__init": "pass",
            "box__len": "return 3",
            "box__getitem": "return 'abc'[index] if index < 3 else (1 / 0)",
        },
        page=True,
    ),
]
