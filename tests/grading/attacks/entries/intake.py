"""Files beside the notebook, or in its place, that the whole way of grading survives: attached
code, links, a time stamp that is none. What `collect` refuses and which names can be laid out are
the tests of tests/grading/test_collect.py, test_read_submission.py and test_lay_out_submission.py.
"""

from __future__ import annotations

import os

from attacks.catalogue import Submission, entry
from attacks.course import NONE, SOME, STEM, fill

NOTEBOOK = f"{STEM}.ipynb"
PLANTED = (
    "import os, sys\nopen('@token@-imported', 'w').close()\n"
    "sys.modules[__name__].__getattr__ = lambda name: (lambda *a, **k: None)\n"
)


def link(target):
    return lambda path: os.symlink(target, path)


# modules, start-up files, and names that the engine uses
ATTACHED = (
    "numpy.py tinytorch/__init__.py tinytorch/testing.py ipykernel_launcher.py"
    " ipykernel/__init__.py json.py asserts.py pytest.py zmq.py"
    " sitecustomize.py usercustomize.py ipython_config.py jupyter_config.py nbgrader_config.py"
    " conftest.py .pth profile_default/startup/00.py .ipython/profile_default/startup/0.py"
    " pyvenv.cfg request.json result.json gradebook.db log.txt report.json kernel.json pytest.ini"
    " course files/x jupyter/kernels/tito-sandbox/kernel.json export/tinytorch submitted"
    " release/07_tiny/x tmp work home/x"
)
OTHERS = {
    "timestamp.txt": b"2999-99-99 <script>\n" * 10_000,
    "root": link("/"),
    "pipe": os.mkfifo,
}
ENTRIES = [
    entry(
        "It attaches modules, start-up files, names of the engine's files, links and a pipe",
        lambda released, world: Submission(
            fill(released, SOME),
            {**dict.fromkeys(ATTACHED.split(), world.text(PLANTED).encode()), **OTHERS},
        ),
    ),
    entry(
        "Its notebook is a link to a neighbor's",
        lambda released, world: Submission(
            None,
            {NOTEBOOK: link(f"{world.course}/submitted/{world.victim}/07_tiny/{NOTEBOOK}")},
        ),
        solved=NONE,
        review=True,
    ),
]
