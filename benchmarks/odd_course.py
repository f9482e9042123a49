"""A course with what test cells and students of other courses do: text on stderr, warnings,
logging, values of NumPy as points, figures, sibling notebooks, helper files, a local web server.

    python benchmarks/odd_course.py DIR           # DIR/source and DIR/submitted
    python benchmarks/any_course.py --course DIR

The second notebook has a test cell of 2 points for each of `TESTS`, the first a single one.
`STUDENTS` hand in other solutions.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SOLUTION = """import logging, os, sys, warnings
import numpy as np
import matplotlib.pyplot as plt

def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION"""

SERVER = """import http.server, threading, urllib.request
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello")
    def log_message(self, *words):
        {log}
server = http.server.ThreadingHTTPServer(("{host}", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
with urllib.request.urlopen(f"http://{host}:{{server.server_port}}/") as page:
    assert page.read() == b"hello"
server.shutdown()
server.server_close()"""

ECHO = """import asyncio
async def talk():
    async def echo(reader, writer):
        writer.write(await reader.readline())
        await writer.drain()
        writer.close()
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"line\\n")
    assert await reader.readline() == b"line\\n"
    writer.close()
    server.close()
await talk()"""

DATAGRAMS = """import socket
one, other = (socket.socket(type=socket.SOCK_DGRAM) for _ in range(2))
one.bind(("127.0.0.1", 0))
other.sendto(b"x", one.getsockname())
assert one.recv(9) == b"x"
one.close(), other.close();"""

TESTS = {
    "plain": "assert double(2) == 4",
    "stderr": "print('careful', file=sys.stderr)\nassert double(2) == 4",
    "stderr_and_wrong": "print('careful', file=sys.stderr)\nassert double(2) == 5",
    "stderr_then_points": "print('careful', file=sys.stderr)\n1.5",
    "points_then_stderr": "get_ipython().displayhook(1.5)\nprint('late', file=sys.stderr)",
    "warning": "warnings.warn('old')\nassert double(2) == 4",
    "deprecation": "np.array([1, 2]).dot(np.float64(2))\n"
    "warnings.warn('x', DeprecationWarning)\nassert double(2) == 4",
    "divide": "np.array([1.0]) / 0\nassert double(2) == 4",
    "divide_quiet": "with np.errstate(all='ignore'):\n    np.array([1.0]) / 0\n"
    "assert double(2) == 4",
    "logging": "logging.warning('said %s', 1)\nassert double(2) == 4",
    "logging_info": "logging.getLogger('x').info('unsaid')\nassert double(2) == 4",
    "traceback": "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n"
    "    traceback.print_exc()\nassert double(2) == 4",
    "shell_stderr": "!echo said >&2\nassert double(2) == 4",
    "child_stderr": "import subprocess\nsubprocess.run(['sh', '-c', 'echo x >&2'], check=True)\n"
    "assert double(2) == 4",
    "thread_error": "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\n"
    "t.join()\nassert double(2) == 4",
    "float64": "np.float64(double(0.5))",
    "float64_none": "np.float64(0)",
    "float64_all": "np.float64(2)",
    "float32": "np.float32(0.5)",
    "int64": "np.int64(1)",
    "mean": "np.mean([double(1) == 2, double(2) == 5])",
    "array": "np.array(1.5)",
    "array_of_one": "np.array([1.5])",
    "bool_true": "double(2) == 4",
    "bool_false": "double(2) == 5",
    "np_bool": "np.all(np.array([1, 0]))",
    "integer": "1",
    "float": "1.5",
    "exponent": "15e-1",
    "zero": "0",
    "minus": "-1",
    "nan": "float('nan')",
    "text": "'well done'",
    "text_of_number": "'1'",
    "computed_text": "'well ' + 'done'",
    "none": "None",
    "list": "[1]",
    "tuple": "(1, 2)",
    "fraction": "import fractions\nfractions.Fraction(1, 2)",
    "decimal": "import decimal\ndecimal.Decimal('0.5')",
    "underscored": "class U:\n    def __repr__(self):\n        return '1_0e-1'\nU()",
    "quiet": "assert double(2) == 4; 1;",
    "two_values": "get_ipython().displayhook(1)\n0.5",
    "value_then_error": "get_ipython().displayhook(1)\nassert double(2) == 5",
    "cleared": "from IPython.display import clear_output\nprint('x', file=sys.stderr)\n"
    "clear_output()\nassert double(2) == 4",
    "display": "from IPython.display import display, HTML\ndisplay(HTML('<b>x</b>'), 1)\n"
    "assert double(2) == 4",
    "html_value": "class H:\n    def _repr_html_(self): return '<b>1</b>'\n"
    "    def __repr__(self): return '1.5'\nH()",
    "figure": "plt.plot([1, double(1)])\nplt.show()\nassert len(plt.get_fignums()) == 0",
    "figure_value": "plt.plot([1, 2])",
    "figure_glyph": "plt.title('\\u65e5\\u672c \\u0e01')\nplt.show()\nassert double(2) == 4",
    "backend": "import matplotlib\nassert 'inline' in matplotlib.get_backend()",
    "magic": "%timeit -n1 -r1 double(1)\nassert double(2) == 4",
    "capture": "%%capture\nprint('x', file=sys.stderr)\nassert double(2) == 4",
    "time_cell": "%%time\nassert double(2) == 4",
    "shell": "word = 'said'\n!echo {word}\nassert double(2) == 4",
    "shell_value": "said = !echo a\nassert said == ['a']",
    "shell_fails": "!false\nassert _exit_code",
    "bash_cell": "%%bash\necho x",
    "data": "assert open('numbers.csv').read() == '1,2\\n'",
    "data_below": "assert open('data/more.csv').read() == '3\\n'",
    "helper": "import odd_helper\nassert odd_helper.VALUE == 7",
    "helper_named_as_a_module": "import code\nassert code.VALUE == 8",
    "own_notebook": "import json\nassert json.load(open('second.ipynb'))['cells']",
    "sibling": "import json\nassert json.load(open('first.ipynb'))['cells']",
    "sibling_run": "import nbformat\nassert len(nbformat.read('first.ipynb', 4).cells) > 3",
    "listing": "assert 'first.ipynb' in os.listdir()",
    "environment": "assert os.environ['NBGRADER_EXECUTION'] == 'autograde'",
    "writes": "open('made.txt', 'w').write('x')\nassert open('made.txt').read() == 'x'",
    "home": "from pathlib import Path\nassert Path.home().is_dir()",
    "tagged_value": "assert TAGGED == 1",
    "server": SERVER.format(host="127.0.0.1", log="pass"),
    "server_by_name": SERVER.format(host="localhost", log="pass"),
    "server_that_logs": SERVER.format(host="127.0.0.1", log="print(words, file=sys.stderr)"),
    "asynchronous": ECHO,
    "datagrams": DATAGRAMS,
    "pool": "from multiprocessing import Pool\nwith Pool(2) as pool:\n"
    "    assert pool.map(abs, [-1, 2]) == [1, 2]",
    "seeded": "np.random.seed(1)\nassert np.random.randint(99) == 37",
    "input": "try:\n    input('name')\n    assert False\nexcept Exception as e:\n"
    "    assert type(e).__name__ == 'StdinNotImplementedError'",
    "exit": "try:\n    sys.exit()\nexcept SystemExit:\n    pass\nassert double(2) == 4",
    "recursion": "assert sys.getrecursionlimit() >= 1000",
    "unraisable": "class D:\n    def __del__(self): raise ValueError('x')\nd = D()\ndel d\n"
    "assert double(2) == 4",
}
SOLVED = SOLUTION.split("### BEGIN")[0].rstrip()
STUDENTS = {
    "warns": "\n    warnings.warn('honest')\n    return 2 * x",
    "prints": "\n    print('debug', x, file=sys.stderr)\n    return 2 * x",
    "logs": "\n    logging.error('debug %s', x)\n    return 2 * x",
    "wrong": "\n    return 3 * x",
    "numpy": "\n    return np.float64(2) * x",
}


FLAGS = {"schema_version": 3, "grade": False, "solution": False, "locked": False, "task": False}


def cell(source: str, **metadata: Any) -> dict[str, Any]:
    fixed = {"cell_type": "code", "execution_count": None, "outputs": []}
    return {**fixed, "metadata": metadata, "source": source}


def notebook(tests: dict[str, str], solution: str) -> dict[str, Any]:
    tested = {**FLAGS, "grade": True, "locked": True, "points": 2}
    cells = [
        cell(solution, nbgrader={**FLAGS, "grade_id": "double", "solution": True}),
        cell("TAGGED = 1", tags=["demo"]),
        *(cell(text, nbgrader={**tested, "grade_id": name}) for name, text in tests.items()),
    ]
    for number, one in enumerate(cells):
        one["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def make(root: Path) -> None:
    """Write the course's sources and its students' notebooks below `root`."""
    files = {
        "numbers.csv": "1,2\n",
        "data/more.csv": "3\n",
        "odd_helper.py": "VALUE = 7\n",
        "code.py": "VALUE = 8\n",
    }
    files = {root / "source" / "odd" / name: text for name, text in files.items()}
    solutions = {root / "source" / "odd": SOLUTION}
    for student, body in STUDENTS.items():
        solutions[root / "submitted" / student / "odd"] = SOLVED + body
    for stem, tests in {"first": {"plain": TESTS["plain"]}, "second": TESTS}.items():
        for folder, solution in solutions.items():
            files[folder / f"{stem}.ipynb"] = json.dumps(notebook(tests, solution), indent=1)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
