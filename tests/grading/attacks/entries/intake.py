"""Other contents of a submission's folder or zip besides a notebook: attached code, links, devices,
zip bombs, odd names.
"""

from __future__ import annotations

import io
import json
import os
import socket
import stat
import warnings
import zipfile

from attacks.catalogue import Submission, entry
from attacks.course import NONE, SOME, STEM, fill

NOTEBOOK = f"{STEM}.ipynb"
PLANTED = (
    "import os, sys\nopen('@token@-imported', 'w').close()\n"
    "sys.modules[__name__].__getattr__ = lambda name: (lambda *a, **k: None)\n"
)


def folder(name, files, **more):
    """A folder in `submitted` with an honest notebook and these files; `files` may be a function of
    the world.
    """

    def build(released, world):
        made = files(world) if callable(files) else files
        return Submission(
            fill(released, SOME),
            {
                path: world.text(data).encode() if isinstance(data, str) else data
                for path, data in made.items()
            },
        )

    return entry(name, build, **more)


def instead(name, files, **more):
    """A folder without a notebook that could be read; `files` may be a function of the world and of
    an honest notebook.
    """

    def build(released, world):
        honest = json.dumps(fill(released, SOME)).encode()
        return Submission(None, files(world, honest) if callable(files) else files)

    return entry(name, build, **{"solved": NONE, "review": True, **more})


def link(target):
    return lambda path: os.symlink(target, path)


def device(kind, major, minor, known):
    """A device; for an ordinary user, who may make none, a link to the one that is `known`."""
    if os.geteuid() != 0:
        return link(known)
    return lambda path: os.mknod(path, kind | 0o666, os.makedev(major, minor))


ZERO = device(stat.S_IFCHR, 1, 5, "/dev/zero")


def _socket(path):
    here = os.getcwd()
    os.chdir(path.parent)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path.name)
    os.chdir(here)


def zipped(name, make, *, called="", **more):
    """A zip that is passed to `collect`; make(archive, notebook bytes, world) fills it."""

    def build(released, world):
        out = io.BytesIO()
        with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            # zipfile warns about duplicate names, which are intended here
            warnings.simplefilter("ignore")
            make(archive, json.dumps(fill(released)).encode(), world)
        return Submission(None, zipped=out.getvalue(), called=called)

    return entry(name, build, solved=NONE, **more)


def _with_notebook(*members):
    def make(archive, notebook, world):
        archive.writestr(NOTEBOOK, notebook)
        for name, data in members:
            archive.writestr(world.text(name), data)

    return make


def _linked(archive, notebook, world):
    member = zipfile.ZipInfo(NOTEBOOK)
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(member, "/etc/passwd")


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
ODD_NAMES = ("x" * 255, os.fsdecode(b"\xff\xfe"), "new\nline", "Numbers.csv", "NUMBERS.CSV")
NO_NOTEBOOK = {  # what stands in its place -> (course directory, a neighbor) -> how it is made
    "a link to the instructor's": lambda root, _: link(f"{root}/source/07_fort/{NOTEBOOK}"),
    "a link to a neighbor's": lambda root, ann: link(f"{root}/submitted/{ann}/07_fort/{NOTEBOOK}"),
    "a link to itself": lambda *_: link(NOTEBOOK),
    "a hard link to the gradebook": (
        lambda root, _: lambda path: os.link(f"{root}/gradebook.db", path)
    ),
    "a pipe that nobody writes": lambda *_: os.mkfifo,
    "a socket": lambda *_: _socket,
    "an endless device": lambda *_: ZERO,
}
ENTRIES = [
    # Attached
    *(folder(name, dict.fromkeys(files.split(), PLANTED)) for name, files in ATTACHED.items()),
    folder(
        "Its file has the name of a folder of the release",
        {"data": b"x"},
        review=True,
        says="data was left out: the release",
    ),
    folder(
        "Its folder has the name of a file of the release",
        {"numbers.csv/x": b"x"},
        review=True,
        says=r"numbers\.csv/x was left out: the release",
    ),
    folder(
        "Its files' names are 255 bytes long, no text, or differ in case alone",
        dict.fromkeys((*ODD_NAMES, "DATA/x", "con", "a:b"), b"x"),
    ),
    folder("It attaches a thousand files", {f"part-{number}.txt": b"x" for number in range(1000)}),
    folder(
        "Its time stamp is a script, an impossible date and very long",
        {"timestamp.txt": b"2999-99-99 <script>\n" * 10_000},
    ),
    folder(
        "Links to the course, to /, a pipe and a device lie beside its notebook",
        lambda world: {
            "course": link(world.course),
            "root": link("/"),
            "passwd": link("/etc/passwd"),
            "pipe": os.mkfifo,
            "zero": ZERO,
        },
    ),
    # Not a notebook at all
    instead("Its folder is empty", {}, says="no notebook"),
    instead("Its notebook is a folder", {f"{NOTEBOOK}/x": b"x"}),
    *(
        instead(
            f"Its notebook is {what}",
            lambda world, _, made=made: {NOTEBOOK: made(world.course, world.victims[0])},
        )
        for what, made in NO_NOTEBOOK.items()
    ),
    *(
        instead(
            f"Its notebook's name {how}",
            lambda _, honest, name=name: {name: honest},
            solved=SOME,
            review=False,
        )
        for how, name in (
            ("looks right and is not", "fort\u200b_dev.ipynb"),
            ("is written backwards and holds line breaks", "fort\u202evpy.\nbpyni.ipynb"),
        )
    ),
    instead(
        "It has five notebooks, none of which is called right",
        lambda _, honest: {f"fort ({number}).ipynb": honest for number in range(5)},
        says="none of",
    ),
    # Zips
    *(
        zipped(name, make, refused=refused)
        for name, make, refused in (
            (
                "A zip's member leads out of its folder",
                _with_notebook(("../../../@token@.py", b"x")),
                "leads out",
            ),
            (
                "A zip's member has an absolute name",
                _with_notebook(("/tmp/@token@.py", b"x")),
                "leads out|absolute",
            ),
            ("A zip's notebook is a link", _linked, "link"),
            (
                "A zip unpacks to 200 MB",
                lambda archive, *_: archive.writestr(NOTEBOOK, b"x" * 200_000_000),
                "MiB",
            ),
            (
                "A zip holds ten thousand files",
                lambda archive, *_: [archive.writestr(f"{n}", b"") for n in range(10_000)],
                "files",
            ),
            (
                "A zip holds the notebook twice under one name",
                _with_notebook((NOTEBOOK, b"{}")),
                "notebook",
            ),
        )
    ),
    entry(
        "A file called zip is not a zip",
        lambda released, world: Submission(None, zipped=b"PK\x03\x04 not really" * 100),
        solved=NONE,
        refused="cannot be read",
    ),
    zipped(
        "A zip says that its student is ../../x",
        _with_notebook(("manifest.json", json.dumps({"module": "07_fort", "student": "../../x"}))),
    ),
    *(
        zipped(f"A zip is called {name!r}", _with_notebook(), called=name, refused="id is|student")
        for name in ("-rf", "<script>", "\u202eann", "x" * 200)
    ),
]
