"""The JupyterHub of a class for a test: `site/teach/jupyterhub_config.py` unchanged, plus a sign-in
without passwords and without system users.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from helpers.fresh_python import students_python
from helpers.patience import PATIENCE_SECONDS, until
from helpers.servers import free_ports
from helpers.serving import end

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "site" / "teach" / "jupyterhub_config.py"
# Only for tests, never for a real hub: anybody may sign in, homes are folders of the test, and
# everything runs as the user of the test.
EXTRA = """
load_subconfig({config!r})
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allowed_users = {{"instructor", "ada"}}
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r} + "/{{username}}"
c.Spawner.args = ["--allow-root"]
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.JupyterHub.services[0]["url"] = "http://127.0.0.1:{service_port}"
c.JupyterHub.services[0].pop("user")
c.JupyterHub.services[0]["command"].append("--allow-root")
c.JupyterHub.services.append({{"name": "test", "api_token": {token!r}, "admin": True}})
"""


@dataclass
class Hub:
    url: str
    token: str
    log: Path
    homes: Path

    def ask(self, method: str, path: str, token: str | None = None, /, **data: Any) -> Any:
        """The parsed JSON answer of the hub or of a user's server."""
        signed = {"Authorization": f"token {token or self.token}"}
        headers = {**signed, "Content-Type": "application/json"}
        body = json.dumps(data).encode() if data else None
        request = urllib.request.Request(f"{self.url}{path}", body, headers, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            body = answer.read()
        return json.loads(body) if body.strip() else None

    def sign_in(self, user: str) -> str:
        """Sign in; returns a token with which the test acts as this user."""
        with contextlib.suppress(urllib.error.HTTPError):  # the user exists already
            self.ask("POST", f"/hub/api/users/{user}")
        return self.ask("POST", f"/hub/api/users/{user}/tokens", note="test")["token"]

    def start_server(self, user: str) -> None:
        self.ask("POST", f"/hub/api/users/{user}/server")
        self.comes(
            lambda: self.ask("GET", f"/hub/api/users/{user}")["servers"].get("", {}).get("ready")
        )

    def comes(self, done: Callable[[], Any]) -> None:
        """Wait until something is there."""

        def there() -> bool:
            with contextlib.suppress(urllib.error.URLError, OSError):
                return bool(done())
            return False

        assert until(there), self.log.read_text(encoding="utf-8", errors="replace")[-4000:]


@contextlib.contextmanager
def run_hub(folder: Path, course: Path, handout: Path) -> Iterator[Hub]:
    port, hub_port, proxy_port, service_port = free_ports(4)
    token = "a-token-for-this-test-alone-0123456789"
    homes, exchange = folder / "homes", folder / "exchange"
    for place in (homes, exchange):
        place.mkdir()
    exchange.chmod(0o777)
    config, log = folder / "test_config.py", folder / "hub.log"
    config.write_text(
        EXTRA.format(
            config=str(CONFIG),
            homes=str(homes),
            hub_port=hub_port,
            proxy_port=proxy_port,
            service_port=service_port,
            token=token,
        ),
        encoding="utf-8",
    )
    environment = {
        **os.environ,
        "CLASS_DIR": str(course),
        "HANDOUT": str(handout),
        "EXCHANGE": str(exchange),
        "COURSE_PYTHON": sys.executable,
        "STUDENT_PYTHON": str(students_python(folder / "students")),
        "HUB_URL": f"http://127.0.0.1:{port}",
        "CONFIGPROXY_AUTH_TOKEN": token,
    }
    environment.pop("PYTHONPATH", None)
    with log.open("w", encoding="utf-8") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "--config", str(config)],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        hub = Hub(f"http://127.0.0.1:{port}", token, log, homes)
        try:
            hub.comes(lambda: server.poll() is not None or hub.ask("GET", "/hub/api/"))
            assert server.poll() is None, log.read_text(encoding="utf-8", errors="replace")[-4000:]
            yield hub
        finally:
            end(server)  # the hub then ends its proxy, its services and the students' servers


def skip_without_a_hub() -> None:
    install = 'python -m pip install -c constraints.txt -e ".[hub]"'
    pytest.importorskip("jupyterhub", reason=f"jupyterhub is not installed: {install}")
    if shutil.which("configurable-http-proxy") is None:
        pytest.skip("the hub's proxy is not on the PATH: npm install -g configurable-http-proxy")
