"""What a killed engine leaves in the temporary folder is removed by the next one, secrets above
all.
"""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from grading.engine.sandbox import temporary_folders

REPOSITORY = Path(__file__).resolve().parents[3]
MAKE = (
    "import sys; from grading.engine.sandbox import temporary_folders\n"
    "place = temporary_folders.make('kit'); (place / 'seed').write_text('7')\n"
    "print(place, flush=True); sys.stdin.read()"
)


@pytest.fixture
def engine(tmp_path):
    """Start a process that makes a folder with a secret: (the process, the folder)."""
    started = []

    def start() -> tuple[subprocess.Popen, Path]:
        process = subprocess.Popen(
            [sys.executable, "-c", MAKE],
            cwd=REPOSITORY,
            env={**os.environ, "TMPDIR": str(tmp_path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process, Path(process.stdout.readline().strip())

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_the_next_run_removes_what_a_killed_one_left_and_nothing_of_a_living_one(engine, tmp_path):
    killed, left = engine()
    _, kept = engine()
    elsewhere = tmp_path / "tito-kit-of-somebody"
    elsewhere.mkdir()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert (left / "seed").exists()
    assert left.stat().st_mode & 0o077 == 0
    _, third = engine()
    assert {path.name for path in tmp_path.iterdir()} == {kept.name, third.name, elsewhere.name}


def test_what_ends_during_a_run_is_removed_at_the_runs_end(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(temporary_folders.tempfile, "tempdir", str(tmp_path))
    late, left = engine()
    if os.getuid() == 0:  # as the kernel's folder in a sandbox
        os.chown(left, temporary_folders.IN_SANDBOX, temporary_folders.IN_SANDBOX)
        zygote = (REPOSITORY / "grading/engine/sandbox/zygote.py").read_text(encoding="utf-8")
        assert f"ROOT_MAPS_TO = {temporary_folders.IN_SANDBOX:#x}" in zygote
    with temporary_folders.folder("kit"):
        late.kill()
        late.wait()
        assert left.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_process_id_that_is_used_again_owns_nothing_of_the_first(monkeypatch):
    name = temporary_folders.owned_by("kit", os.getpid()) + "12345678"
    assert not temporary_folders.is_left(name)
    real = temporary_folders.procfs.began
    monkeypatch.setattr(temporary_folders.procfs, "began", lambda pid: real(pid) + 1)
    assert temporary_folders.is_left(name)


def test_no_other_folder_is_made_in_the_temporary_folder():
    """`tempfile` alone would leave it there when the process is killed."""
    found = []
    for part in ("engine", "authoring", "commands"):
        for path in sorted((REPOSITORY / "grading" / part).rglob("*.py")):
            name = str(path.relative_to(REPOSITORY / "grading"))
            if name == "engine/sandbox/temporary_folders.py":
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and not any(w.arg == "dir" for w in node.keywords):
                    called = ast.unparse(node.func).split(".")[-1]
                    if called in ("mkdtemp", "TemporaryDirectory"):
                        found.append(f"{name}:{node.lineno}")
    assert found == []
