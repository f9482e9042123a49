"""A class on JupyterHub, from the release to the mark: the hub of the instructor's page, with the
configuration given there.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
from pathlib import Path

import hub as hubs
import pytest

from helpers.patience import PATIENCE_SECONDS
from tito.child_processes import finished

pytestmark = pytest.mark.long
OWN_SETTINGS = 'c.CourseDirectory.course_id = "class"\nc.Exchange.root = {exchange!r}\n'
STUDENT = """
import importlib.util, subprocess, sys
from pathlib import Path
import tinytorch
print("tinytorch", Path(tinytorch.__file__).is_relative_to(Path.home()), "grading",
      importlib.util.find_spec("grading"))
# A kernel starts in the folder of its notebook, a terminal in the top folder.
notebook = Path("{stem}.ipynb").resolve()
top = Path.home() / "course"
released = notebook.read_bytes()
notebook.unlink()
for words in (["list"], ["fetch_assignment", "--replace", "{module}"],
              ["submit", "{module}", "--student=ada"]):
    ended = subprocess.run([sys.executable, "-m", "nbgrader", *words], cwd=top, capture_output=True,
                           text=True)
    print(words[0], ended.returncode, ended.stderr[-2000:] if ended.returncode else "")
    if words == ["list"]:
        print(ended.stdout + ended.stderr)
print("fetched", notebook.read_bytes() == released)
"""


def run(*words: str, place: Path, **more: str) -> str:
    """The output of a command, which must succeed."""
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONUTF8": "1", **more}
    command, limit = [sys.executable, "-m", *words], PATIENCE_SECONDS
    ended = finished(command, place, environment, together=True, timeout_seconds=limit)
    assert ended.returncode == 0, f"{words}:\n{ended.stdout}"
    return ended.stdout


def in_kernel(hub: hubs.Hub, user: str, token: str, notebook: str, code: str) -> str:
    """The output of `code` in the kernel of a notebook on the user's server."""
    import asyncio

    from jupyter_client.jsonutil import json_default
    from jupyter_client.session import Session
    from tornado.httpclient import HTTPRequest
    from tornado.websocket import websocket_connect

    kernels = f"/user/{user}/api/kernels"
    kernel = hub.ask("POST", kernels, token, name="python3", path=notebook)["id"]
    address = f"{hub.url.replace('http', 'ws', 1)}{kernels}/{kernel}/channels"
    asked = {"code": code, "silent": False, "store_history": False, "allow_stdin": False}
    request = Session().msg("execute_request", {**asked, "user_expressions": {}})

    async def talk() -> str:
        asks = HTTPRequest(address, headers={"Authorization": f"token {token}"})
        channel = await websocket_connect(asks, max_message_size=10**8)
        whole = {**request, "channel": "shell", "buffers": []}
        await channel.write_message(json.dumps(whole, default=json_default))
        printed = ""
        while True:
            said = json.loads(await channel.read_message())
            if said["parent_header"].get("msg_id") != request["msg_id"]:
                continue
            if said["msg_type"] == "stream":
                printed += said["content"]["text"]
            elif said["msg_type"] == "error":
                printed += "\n".join(said["content"]["traceback"])
            elif said["msg_type"] == "status" and said["content"]["execution_state"] == "idle":
                channel.close()
                return printed

    return asyncio.run(asyncio.wait_for(talk(), PATIENCE_SECONDS))


@pytest.fixture(scope="module")
def classroom(tmp_path_factory):
    """A scratch checkout whose first module is released to a class and packed for students, with a
    hub that serves it.
    """
    hubs.skip_without_a_hub()
    from grading.authoring.demo import set_stage
    from tito.workspace import Workspace

    folder = tmp_path_factory.mktemp("hub")
    stage = set_stage(hubs.ROOT, folder)
    module = Workspace(stage.workspace).module("08")
    stage.tito("grade", "release", module.name, "--course", stage.classroom)
    stage.tito("dev", "bundle", module.name, "--out", folder / "handout.zip")
    with (stage.classroom / "nbgrader_config.py").open("a", encoding="utf-8") as own:
        own.write(OWN_SETTINGS.format(exchange=str(folder / "exchange")))
    with hubs.run_hub(folder, stage.classroom, folder / "handout.zip") as hub:
        yield stage, module, hub


@pytest.mark.filterwarnings("ignore")  # from several versions of tornado and asyncio
def test_a_class_on_the_hub_from_the_release_to_the_mark(classroom):
    stage, module, hub = classroom
    engine = {"PYTHONPATH": str(stage.workspace)}
    run("nbgrader", "release_assignment", module.name, place=stage.classroom, **engine)
    ada, instructor = hub.sign_in("ada"), hub.sign_in("instructor")
    hub.start_server("ada")
    notebook = f"modules/{module.name}/{module.notebook.name}"
    code = STUDENT.format(module=module.name, stem=module.stem)
    said = in_kernel(hub, "ada", ada, notebook, code)
    # ada has her own copy of the package, and no answers
    assert "tinytorch True grading None" in said, said
    assert f"class {module.name}" in said and "fetched True" in said and "submit 0" in said, said
    run("nbgrader", "collect", module.name, place=stage.classroom, **engine)
    graded = stage.tito("grade", "autograde", module.name, "--course", stage.classroom)
    assert "ada " in graded and "1 submission," in graded, graded
    (assignment,) = hub.ask("GET", "/services/class/formgrader/api/assignments", instructor)
    assert assignment["name"] == module.name and assignment["num_submissions"] == 1
    with pytest.raises(urllib.error.HTTPError, match="403"):
        hub.ask("GET", "/services/class/formgrader/api/assignments", ada)
    with pytest.raises(urllib.error.HTTPError, match=r"404|403"):
        # ada's own server has no formgrader
        hub.ask("GET", "/user/ada/formgrader/api/assignments", ada)
