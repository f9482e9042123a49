"""What JupyterHub starts for a student, as that student: the handout in the home folder,
then a Jupyter server on it.

Files of the handout that are missing are written; nothing that is there is replaced. The student's
own `tinytorch` comes first on Python's path, so that `tito export` changes what the student's
notebooks import, and nobody else's.
"""

import os
import sys
import zipfile
from pathlib import Path

FOLDER = Path.home() / "course"
CONFIG = """c = get_config()
c.CourseDirectory.course_id = {course!r}
c.Exchange.root = {exchange!r}
c.Exchange.assignment_dir = {modules!r}
"""
NOT_FOR_STUDENTS = (
    "{'nbgrader.server_extensions.formgrader': False, "
    "'nbgrader.server_extensions.course_list': False}"
)


def unpack(handout: Path, folder: Path) -> None:
    """Write what is missing of the handout."""
    with zipfile.ZipFile(handout) as archive:
        for name in archive.namelist():
            target = folder / name
            if not name.endswith("/") and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))


unpack(Path(os.environ["HANDOUT"]), FOLDER)
(FOLDER / "nbgrader_config.py").write_text(
    CONFIG.format(
        course=os.environ["COURSE_ID"],
        exchange=os.environ["EXCHANGE"],
        modules=str(FOLDER / "modules"),
    ),
    encoding="utf-8",
)
programs = [os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)]
os.environ.update(
    PYTHONPATH=str(FOLDER), TITO_WORKSPACE=str(FOLDER), PATH=os.pathsep.join(programs)
)
os.chdir(FOLDER)
os.execv(
    sys.executable,
    [
        sys.executable,
        "-m",
        "jupyterhub.singleuser",
        f"--ServerApp.root_dir={FOLDER}",
        f"--ServerApp.jpserver_extensions={NOT_FOR_STUDENTS}",
        *sys.argv[1:],
    ],
)
