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


def folder(name, files, **more):
    """A folder in `submitted` with an honest notebook and the files that `files` makes of the
    world.
    """
    return entry(
        name, lambda released, world: Submission(fill(released, SOME), files(world)), **more
    )


def link(target):
    return lambda path: os.symlink(target, path)


ATTACHED = {
    "It attaches modules called numpy, tinytorch, ipykernel and json": (
        "numpy.py tinytorch/__init__.py tinytorch/testing.py ipykernel_launcher.py"
        " ipykernel/__init__.py json.py asserts.py pytest.py zmq.py"
    ),
    "It attaches start-up files of Python, IPython, Jupyter and pytest, and files with the engine's"
    " own names": (
        "sitecustomize.py usercustomize.py ipython_config.py jupyter_config.py nbgrader_config.py"
        " conftest.py .pth profile_default/startup/00.py .ipython/profile_default/startup/0.py"
        " pyvenv.cfg request.json result.json gradebook.db log.txt report.json kernel.json"
        " pytest.ini"
    ),
    "Its files and folders have names that the engine uses": (
        "course files/x jupyter/kernels/tito-sandbox/kernel.json export/tinytorch request.json/x"
        " result.json/x gradebook.db/x submitted release/07_fort/x tmp work home/x"
    ),
}
ENTRIES = [
    *(
        folder(
            name,
            lambda world, names=names: dict.fromkeys(names.split(), world.text(PLANTED).encode()),
        )
        for name, names in ATTACHED.items()
    ),
    folder(
        "Its folder has the name of a file of the release",
        lambda world: {"numbers.csv/x": b"x"},
        review=True,
        says=r"numbers\.csv/x was left out: the release",
    ),
    folder(
        "Its time stamp is a script, an impossible date and very long",
        lambda world: {"timestamp.txt": b"2999-99-99 <script>\n" * 10_000},
    ),
    folder(
        "Links to the course and to /, and a pipe, lie beside its notebook",
        lambda world: {"course": link(world.course), "root": link("/"), "pipe": os.mkfifo},
    ),
    entry(
        "Its notebook is a link to a neighbor's",
        lambda released, world: Submission(
            None,
            {NOTEBOOK: link(f"{world.course}/submitted/{world.victims[0]}/07_fort/{NOTEBOOK}")},
        ),
        solved=NONE,
        review=True,
    ),
]
