"""Where submissions are graded: `LocalPool` runs processes on this machine. `cluster.ClusterPool`
has the same methods.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grading.engine.course.directory import python_environment
from grading.engine.intake.submission import Submission
from grading.engine.run import grade_submission
from grading.engine.run.grading_kit import Kit
from grading.engine.run.request_to_grade import Request
from grading.engine.sandbox import Sandbox, open_sandbox, temporary_folders
from grading.engine.submission_marks import Verdict
from grading.engine.submission_size_and_time import Limits
from tito.errors import EnvironmentBroken, TitoError, UsageError

_REPOSITORY = Path(__file__).resolve().parents[3]
ROOM_BYTES = 2**20  # a disk with less room is full
ATTEMPTS = 2  # for a submission whose process was killed from outside


@dataclass(frozen=True)
class Returned:
    """The result of one submission, as it is sent through a pipe or a network."""

    student: str
    verdict: Verdict
    executed: dict[str, bytes] = field(default_factory=dict)  # stem -> the executed notebook
    seconds: float = 0.0


class LocalPool(contextlib.AbstractContextManager["LocalPool"]):
    """A server that forks a process for each submission, and a sandbox in which student code runs.

    The server grades `jobs` submissions at a time. A few more are queued, so that no processor is
    idle while results are written. A submission that broke off while others ran is graded once
    more, alone, so that no neighbor can cost it a point.
    """

    def __init__(
        self,
        kit: Kit,
        sandbox: Sandbox,
        limits: Limits,
        server: Server,
        *,
        run_notebooks: bool = False,
    ):
        self.kit, self.sandbox, self.limits = kit, sandbox, limits
        self.run_notebooks, self.window = run_notebooks, server.jobs + 2
        self.about = f"{server.jobs} at a time on this machine, isolation: {sandbox.level}"
        self._place = temporary_folders.make("grade")
        self._server = server

    def __exit__(self, *problem: object) -> None:
        self._server.close()  # first, because its processes use the sandbox and the folders
        self.sandbox.close()
        shutil.rmtree(self._place, ignore_errors=True)

    def submit(self, submission: Submission) -> Future:
        """A future of `Returned`. It fails only if a disk is full or grading cannot start: if one
        submission cannot be graded, its verdict has no marks and gives the reason.
        """
        done: Future = Future()
        done.set_running_or_notify_cancel()  # so that nobody can cancel it and `ended` can set it
        self._begin(submission, done, attempt=1)
        return done

    def _begin(
        self, submission: Submission, done: Future, attempt: int, alone: bool = False
    ) -> None:
        if not self.sandbox.alive:
            self.sandbox.close()
            self.sandbox = open_sandbox(self.sandbox.level)
        place = Path(tempfile.mkdtemp(prefix="one-", dir=self._place))
        work = (submission.notebooks, submission.files, submission.timestamp)
        left_out = grade_submission.lay_out(place, self.kit, *work)
        address = self.sandbox.address
        request = Request(place, self.kit.root, address, self.run_notebooks, self.limits)
        request.write(place / "request.json")

        def ended(
            code: int | None,
            seconds: float = 0.0,
            broken: TitoError | None = None,
            beside: bool = False,
        ) -> None:
            try:
                if broken:
                    raise broken
                _need_room(place, code)
                verdict, died = _verdict(place), code not in (0, None)
                if (died or verdict.killed_outside) and attempt < ATTEMPTS:
                    self._begin(submission, done, attempt + 1, alone)
                elif beside and (code is None or verdict.broke_off):
                    # another submission may have taken its time: nothing runs beside it now
                    self._begin(submission, done, attempt, alone=True)
                else:
                    why = []
                    if code is None:
                        why.append(f"grading was stopped after {stop_after:g} s")
                    elif died:
                        why.append(_last_words(place, code))
                    if died or verdict.killed_outside:
                        why.append(self._again(submission.student))
                    verdict = replace(verdict, reasons=(*verdict.reasons, *why, *left_out))
                    executed = self._executed(place)
                    done.set_result(Returned(submission.student, verdict, executed, seconds))
            except BaseException as problem:  # noqa: BLE001 - raised again by done.result()
                done.set_exception(problem)
            finally:
                shutil.rmtree(place, ignore_errors=True)

        stop_after = self.limits.total_seconds(len(self.kit.assignment.stems))
        self._server.run(place / "request.json", place / "log.txt", stop_after, ended, alone)

    def _again(self, student: str) -> str:
        return (
            f"this happened {ATTEMPTS} times; results from before that are kept; grade it"
            f" again: tito grade autograde {self.kit.assignment.name} --student {student} --force"
        )

    def _executed(self, place: Path) -> dict[str, bytes]:
        name = self.kit.assignment.name
        folder = place / "course/autograded" / grade_submission.STUDENT / name
        return {path.stem: path.read_bytes() for path in folder.glob("*.ipynb") if path.is_file()}


def _need_room(place: Path, code: int | None) -> None:
    """Raise OSError if the disk with `place` is full: what a run without room found says nothing
    about the submission. However a step wrapped that error, the disk still is full.
    """
    if code == grade_submission.DISK_FULL or shutil.disk_usage(place).free < ROOM_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), tempfile.gettempdir())


def refuse_a_class(count: int) -> None:
    """Refuse several submissions. Without isolation, one submission can read and change everything
    that the grader can, above all other students' work.
    """
    if count > 1:
        raise UsageError(
            "NOT ISOLATED: at the level limits one submission is graded at a time, because its code"
            f" could read and change all the others; this run has {count}. See what keeps a better"
            " level from working here: tito grade doctor. To grade one that you trust, add"
            " --student S"
        )


def _verdict(place: Path) -> Verdict:
    """The verdict that a process wrote, perhaps an incomplete one, since the process may have been
    ended early.
    """
    try:
        document = json.loads((place / "result.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Verdict()
    # A student's program may print a lone surrogate, which no report or page can hold.
    whole = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    return Verdict.from_json(json.loads(whole))


def _last_words(place: Path, code: int | None) -> str:
    log = place / "log.txt"
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    said = text.strip().splitlines()[-1:] or ["nothing"]
    return f"grading ended with exit code {code}; it last said: {said[0][:300]}"


class Server(contextlib.AbstractContextManager["Server"]):
    """The process of `grading.engine.run.server`, which imports everything when it starts. If it
    dies, its jobs are reported as killed and it is started again.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._waiting: dict[int, Any] = {}
        self._lock, self._last, self._closed = threading.RLock(), 0, False
        self._start()

    def __exit__(self, *problem: object) -> None:
        self.close()

    def run(
        self, request: Path, log: Path, seconds: float, ended: Any, alone: bool = False
    ) -> None:
        """Start a job; `ended(code, seconds, beside=...)` is called from another thread at its end,
        with code None if its time was up, and whether another job ran beside it.
        """
        with self._lock:
            if self._process.poll() is not None:
                self._start()
            self._last += 1
            self._waiting[self._last] = ended
            job = {"job": self._last, "request": str(request), "log": str(log)}
            job |= {"seconds": seconds, "alone": alone}
            assert self._process.stdin
            # the reader thread notices the end of the server and answers
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps(job) + "\n")
                self._process.stdin.flush()

    def _start(self) -> None:
        places = (str(_REPOSITORY), os.environ.get("PYTHONPATH"))
        path = os.pathsep.join(filter(None, places))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grading.engine.run.server", str(self.jobs)],
            cwd=_REPOSITORY,
            text=True,
            encoding="utf-8",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=python_environment(PYTHONPATH=path),
        )
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()

    def _read(self, process: subprocess.Popen) -> None:
        assert process.stdout
        ready = process.stdout.readline()
        with process.stdout:
            for line in process.stdout:
                answer = json.loads(line)
                with self._lock:
                    ended = self._waiting.pop(answer["job"])
                ended(answer["code"], answer["seconds"], beside=answer["beside"])
        code = process.wait()
        with self._lock:
            left, self._waiting = list(self._waiting.values()), {}
        broken = None
        if not ready and code >= 0:
            broken = EnvironmentBroken(
                f"the process that grades could not start (exit code {code}; its error is"
                " above). Try: tito doctor"
            )
        if not self._closed:
            for ended in left:
                ended(-9, broken=broken)

    def close(self) -> None:
        self._closed, process = True, self._process
        assert process.stdin
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        process.kill()
        process.wait()
        if self._reader is not threading.current_thread():
            self._reader.join(5)
