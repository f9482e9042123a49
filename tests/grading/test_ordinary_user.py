"""The attacks and limits again as an ordinary user, who can make no control group and may read
less. Where the tests run as root, a child of theirs gives up root's rights; an ordinary user's own
tests of the sandbox try them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from attacks.conftest import WALLS_ONLY

from grading.engine import sandbox
from helpers.tiny_course import REPOSITORY

NOBODY = 65534
# without isolation there is no wall that root's rights could make stronger
ISOLATING = [level for level, kind in sandbox.classes().items() if kind.isolated]

# Root's private folders hide the checkout and its Python from others. In a mount namespace of its
# own each such folder is replaced by an empty one that holds only what is needed.
SCRIPT = r"""
set -e
mount --make-rprivate /
stash=$(mktemp -d)
mount -t tmpfs -o mode=700 tmpfs "$stash"
number=0
for place in $NEEDED; do
    mkdir "$stash/$number"; mount --rbind "$place" "$stash/$number"; number=$((number + 1))
done
for folder in $PRIVATE; do mount -t tmpfs -o mode=755 tmpfs "$folder"; done
number=0
for place in $NEEDED; do
    mkdir -p "$place"; mount --rbind "$stash/$number" "$place"; number=$((number + 1))
done
umount -l "$stash"; rmdir "$stash"
exec setpriv --reuid=$WHO --regid=$WHO --clear-groups --inh-caps=-all --no-new-privs "$@"
"""


def private(place: Path) -> Path | None:
    """The outermost folder on the way to `place` that others may not enter."""
    for folder in [*reversed(place.parents), place]:
        if not folder.stat().st_mode & 0o001:
            return folder
    return None


def as_nobody(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run this Python as the user `nobody`, with a home in `folder`."""
    roots = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), REPOSITORY.resolve()}
    hidden = {place: found for place in roots if (found := private(place))}
    home = folder / "home"
    home.mkdir(exist_ok=True)
    os.chown(home, NOBODY, NOBODY)
    environment = {
        **{name: value for name, value in os.environ.items() if "PYTEST" not in name},
        "HOME": str(home),
        "TMPDIR": "/tmp",
        "NEEDED": " ".join(map(str, sorted(hidden))),
        "PRIVATE": " ".join(sorted({str(one) for one in hidden.values()})),
        "WHO": str(NOBODY),
        WALLS_ONLY: "1",
    }
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", SCRIPT, "sh", sys.executable, "-B", *arguments],
        env=environment,
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture
def folder(tmp_path_factory):
    """A folder that others may enter, unlike pytest's own."""
    if os.geteuid() != 0:
        pytest.skip("this is an ordinary user already")
    with tempfile.TemporaryDirectory(prefix="tito-nobody-", dir="/var/tmp") as place:
        os.chmod(place, 0o755)
        yield Path(place)


@pytest.mark.long
@pytest.mark.parametrize("level", ISOLATING)
def test_the_attacks_gain_nothing_from_an_ordinary_user_either(level, folder):
    assert shutil.which("unshare") and shutil.which("setpriv")  # of util-linux
    who = as_nobody(folder, "-c", "import os; print(os.getuid(), os.getgroups())")
    assert who.stdout.split() == [str(NOBODY), "[]"], who.stdout
    found = as_nobody(
        folder,
        *("-m", "pytest", "tests/grading/attacks/test_attacks.py", "-q", "-n", "0", "--tb=short"),
        *("-p", "no:cacheprovider", "-m", "long", "-k", level),
    )
    assert found.returncode == 0, found.stdout[-4000:]


COUNTED = "memory_hidden memory_shared sockets connections processor_together neighbor".split()
TRY = """
import sys
from grading.engine.sandbox import open_sandbox, doctor_probes
with open_sandbox(sys.argv[1]) as box, doctor_probes.outside(box) as known:
    for name in sys.argv[2:]:
        held, detail = doctor_probes.attempt(box, name, known)
        print(f"{name}: {held}: {detail}")
"""


@pytest.mark.long  # twenty seconds a level
@pytest.mark.parametrize("level", ISOLATING)
def test_without_a_control_group_the_limits_of_a_whole_sandbox_hold(level, folder):
    found = as_nobody(folder, "-c", TRY, level, *COUNTED)
    assert found.returncode == 0, found.stdout
    held = [line for line in found.stdout.splitlines() if ": True: " in line]
    assert len(held) == len(COUNTED), found.stdout
