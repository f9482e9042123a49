"""JupyterHub for one class: nbgrader's exchange, formgrader for the instructors,
and students who have the handout and no answers.

Places are taken from the environment; without it, those below.
Start it: jupyterhub --config jupyterhub_config.py
"""

import os
from pathlib import Path

c = get_config()  # noqa: F821 - JupyterHub defines it

# Made by `tito grade release ... --course CLASS_DIR`; for the course account only.
CLASS_DIR = os.environ.get("CLASS_DIR", "/srv/class")
# Made by `tito dev bundle ... --out HANDOUT`; everybody may read it.
HANDOUT = os.environ.get("HANDOUT", "/srv/handout.zip")
# nbgrader's exchange; everybody may write to it.
EXCHANGE = os.environ.get("EXCHANGE", "/srv/exchange")
# Where the repository is installed, and where the handout is: a student's Python holds no answers.
COURSE_PYTHON = os.environ.get("COURSE_PYTHON", "/srv/repository/.venv/bin/python")
STUDENT_PYTHON = os.environ.get("STUDENT_PYTHON", "/srv/students/bin/python")

COURSE_ID = "class"  # in the exchange, and in formgrader's address
COURSE_ACCOUNT = "course"  # the system user whom formgrader runs as
INSTRUCTORS = {"instructor"}  # who may open formgrader
HERE = Path(__file__).resolve().parent

# The hub listens on this machine only; a web server in front of it ends TLS.
c.JupyterHub.bind_url = os.environ.get("HUB_URL", "http://127.0.0.1:8000")

# Who may sign in, with a password of this machine: instructors, and the system group `students`.
c.Authenticator.allowed_users = INSTRUCTORS
c.LocalAuthenticator.allowed_groups = {"students"}

# A student's server.
c.Spawner.cmd = [STUDENT_PYTHON, str(HERE / "student_server.py")]
c.Spawner.environment = {"HANDOUT": HANDOUT, "EXCHANGE": EXCHANGE, "COURSE_ID": COURSE_ID}
c.Spawner.default_url = "/lab"
# seconds: the first start unpacks the handout
c.Spawner.http_timeout = c.Spawner.start_timeout = 120

# Formgrader: a Jupyter server on the class, at /services/class/formgrader.
c.JupyterHub.services = [
    {
        "name": COURSE_ID,
        "url": "http://127.0.0.1:9999",
        "user": COURSE_ACCOUNT,
        "cwd": CLASS_DIR,
        "command": [
            COURSE_PYTHON,
            "-m",
            "jupyterhub.singleuser",
            f"--ServerApp.root_dir={CLASS_DIR}",
            "--ServerApp.default_url=/formgrader",
            "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}",
        ],
        "oauth_no_confirm": True,
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "instructors",
        "users": sorted(INSTRUCTORS),
        "scopes": ["self", f"access:services!service={COURSE_ID}"],
    }
]
