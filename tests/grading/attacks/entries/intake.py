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
from pathlib import Path

from attacks.catalogue import Submission, entry
from attacks.course import NONE, SOME, STEM, fill

PLANTED = (
    b"import os, sys\nopen('@token@-imported', 'w').close()\nsys.modules[__name__].__getattr__ ="
    b" lambda name: (lambda *a, **k: None)\n"
)


def folder(name, files, *, notebook=True, solved=SOME, **more):
    """A folder in `submitted` with an honest notebook (unless notebook=False) and these files."""

    def build(released, world):
        made = files(world, released) if callable(files) else files
        return Submission(
            fill(released, solved) if notebook else None,
            {
                path: (
                    world.text(data.decode("latin-1")).encode("latin-1")
                    if isinstance(data, bytes)
                    else data
                )
                for path, data in made.items()
            },
        )

    return entry(name, build, solved=solved, **more)


def link(target):
    return lambda path: os.symlink(target, path)


def hard(target):
    return lambda path: os.link(target, path)


def device(kind, major, minor, known):
    """A device; for an ordinary user, who may make none, a link to the one that is `known`."""
    if os.geteuid() != 0:
        return link(known)
    return lambda path: os.mknod(path, kind | 0o666, os.makedev(major, minor))


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path.name)
    os.chdir(here)


def zipped(name, make, *, solved=NONE, called="", **more):
    """A zip that is passed to `collect`; make(archive, notebook bytes, world) fills it."""

    def build(released, world):
        out = io.BytesIO()
        with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            # zipfile warns about duplicate names, which are intended here
            warnings.simplefilter("ignore")
            make(archive, json.dumps(fill(released, solved)).encode(), world)
        return Submission(None, zipped=out.getvalue(), called=called)

    return entry(name, build, solved=solved, **more)


def _member(name, kind):
    found = zipfile.ZipInfo(name)
    found.external_attr = (kind | 0o777) << 16
    return found


def _with_notebook(*members):
    def make(archive, notebook, world):
        archive.writestr(f"{STEM}.ipynb", notebook)
        for name, data in members:
            archive.writestr(name, world.text(data) if isinstance(data, str) else data)

    return make


def _lying_size(archive, notebook, world):
    archive.writestr(f"{STEM}.ipynb", b"x" * 200_000_000)


ENTRIES = [
    # Attached
    folder(
        "It attaches modules called numpy, tinytorch, ipykernel and json",
        dict.fromkeys(
            (
                "numpy.py",
                "tinytorch/__init__.py",
                "tinytorch/testing.py",
                "ipykernel_launcher.py",
                "ipykernel/__init__.py",
                "json.py",
                "asserts.py",
                "pytest.py",
                "zmq.py",
            ),
            PLANTED,
        ),
    ),
    folder(
        "It attaches start-up files of Python, IPython, Jupyter and pytest,"
        " and files with the engine's own names",
        dict.fromkeys(
            (
                "sitecustomize.py",
                "usercustomize.py",
                "ipython_config.py",
                "jupyter_config.py",
                "nbgrader_config.py",
                "conftest.py",
                ".pth",
                "profile_default/startup/00.py",
                ".ipython/profile_default/startup/0.py",
                "pyvenv.cfg",
                "request.json",
                "result.json",
                "gradebook.db",
                "log.txt",
                "report.json",
                "kernel.json",
                "pytest.ini",
            ),
            PLANTED,
        ),
    ),
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
        "Its files and folders have names that the engine uses",
        dict.fromkeys(
            (
                "course",
                "files/x",
                "jupyter/kernels/tito-sandbox/kernel.json",
                "export/tinytorch",
                "request.json/x",
                "result.json/x",
                "gradebook.db/x",
                "submitted",
                "release/07_fort/x",
                "tmp",
                "work",
                "home/x",
            ),
            b"x",
        ),
    ),
    folder(
        "Its files' names are 255 bytes long, no text, or differ in case alone",
        dict.fromkeys(
            (
                "x" * 255,
                os.fsdecode(b"\xff\xfe"),
                "new\nline",
                "Numbers.csv",
                "NUMBERS.CSV",
                "DATA/x",
                "con",
                "a:b",
            ),
            b"x",
        ),
    ),
    folder("It attaches a thousand files", {f"part-{number}.txt": b"x" for number in range(1000)}),
    folder(
        "Its time stamp is a script, an impossible date and very long",
        {"timestamp.txt": b"2999-99-99 <script>\n" * 10_000},
    ),
    # Not a notebook at all
    folder("Its folder is empty", {}, notebook=False, solved=NONE, review=True, says="no notebook"),
    folder(
        "Its notebook is a folder",
        {f"{STEM}.ipynb/x": b"x"},
        notebook=False,
        solved=NONE,
        review=True,
    ),
    folder(
        "Its notebook is a link to the instructor's",
        lambda world, released: {
            f"{STEM}.ipynb": link(f"{world.course}/source/07_fort/{STEM}.ipynb")
        },
        notebook=False,
        solved=NONE,
        review=True,
    ),
    folder(
        "Its notebook is a link to a neighbor's",
        lambda world, released: {
            f"{STEM}.ipynb": link(
                f"{world.course}/submitted/{world.victims[0]}/07_fort/{STEM}.ipynb"
            )
        },
        notebook=False,
        solved=NONE,
        review=True,
    ),
    folder(
        "Its notebook is a link to itself",
        {f"{STEM}.ipynb": link(f"{STEM}.ipynb")},
        notebook=False,
        solved=NONE,
        review=True,
    ),
    folder(
        "Its notebook is a hard link to the gradebook",
        lambda world, released: {f"{STEM}.ipynb": hard(f"{world.course}/gradebook.db")},
        notebook=False,
        solved=NONE,
        review=True,
    ),
    folder(
        "Its notebook is a pipe that nobody writes",
        {f"{STEM}.ipynb": os.mkfifo},
        notebook=False,
        solved=NONE,
        review=True,
    ),
    folder(
        "Its notebook is a socket",
        {f"{STEM}.ipynb": _socket},
        notebook=False,
        solved=NONE,
        review=True,
    ),
    folder(
        "Its notebook is an endless device",
        {f"{STEM}.ipynb": device(stat.S_IFCHR, 1, 5, "/dev/zero")},
        notebook=False,
        solved=NONE,
        review=True,
    ),
    folder(
        "Links to the course, to /, a pipe and a device lie beside its notebook",
        lambda world, released: {
            "course": link(world.course),
            "root": link("/"),
            "passwd": link("/etc/passwd"),
            "pipe": os.mkfifo,
            "zero": device(stat.S_IFCHR, 1, 5, "/dev/zero"),
        },
    ),
    folder(
        "Its notebook has a name that looks right and is not",
        lambda world, released: {"fort\u200b_dev.ipynb": json.dumps(fill(released, SOME)).encode()},
        notebook=False,
        solved=SOME,
    ),
    folder(
        "Its notebook's name is written backwards and holds line breaks",
        lambda world, released: {
            "fort\u202evpy.\nbpyni.ipynb": json.dumps(fill(released, SOME)).encode()
        },
        notebook=False,
        solved=SOME,
    ),
    folder(
        "It has five notebooks, none of which is called right",
        lambda world, released: {
            f"fort ({number}).ipynb": json.dumps(fill(released, SOME)).encode()
            for number in range(5)
        },
        notebook=False,
        solved=NONE,
        review=True,
        says="none of",
    ),
    # Zips
    zipped(
        "A zip's member leads out of its folder",
        _with_notebook(("../../../@token@.py", "x")),
        refused="leads out",
    ),
    zipped(
        "A zip's member has an absolute name",
        _with_notebook(("/tmp/@token@.py", "x")),
        refused="leads out|absolute",
    ),
    zipped(
        "A zip's notebook is a link",
        lambda archive, notebook, world: archive.writestr(
            _member(f"{STEM}.ipynb", stat.S_IFLNK), "/etc/passwd"
        ),
        refused="link",
    ),
    zipped("A zip unpacks to 200 MB", _lying_size, refused="MiB"),
    zipped(
        "A zip holds ten thousand files",
        lambda archive, notebook, world: [archive.writestr(f"{n}", b"") for n in range(10_000)],
        refused="files",
    ),
    zipped(
        "A zip holds the notebook twice under one name",
        _with_notebook((f"{STEM}.ipynb", b"{}")),
        refused="notebook",
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
