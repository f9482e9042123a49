"""Grade on the workers of a Dask cluster (https://distributed.dask.org), with the same kit, the
same process and the same sandbox as on this machine.

Every worker gets the kit as one zip when the run begins (or when the worker joins), and each
submission as bytes; no disk is shared. If a worker is lost, Dask's scheduler gives its submissions
to another one. Grading twice does no harm, because only the engine writes the gradebook. The
scheduler trusts everybody who can reach it, so bind it to loopback or use TLS. Sandboxed code has
no network and cannot reach it.
"""

import contextlib
import shutil
import time
from concurrent.futures import Future
from typing import Any

from grading.engine.intake.submission import Submission
from grading.engine.run.autograde_settings import Settings
from grading.engine.run.grading_kit import Kit
from grading.engine.run.local_pool import LocalPool, Returned, Server, refuse_a_class
from grading.engine.submission_marks import Verdict
from tito.errors import EnvironmentBroken, disk_full

CONNECT_SECONDS = 20
REGISTER_TRIES = 5
_ROOM = "grading_room"  # attribute of a Dask worker


class ClusterPool(contextlib.AbstractContextManager["ClusterPool"]):
    """Like `local_pool.LocalPool`, on a cluster.

    Args:
        count: number of submissions in this run; a worker that cannot isolate code refuses more
            than one.
    """

    def __init__(self, kit: Kit, settings: Settings, count: int):
        try:
            from distributed import Client
        except ImportError:
            raise EnvironmentBroken(
                '--scheduler needs Dask: pip install "tinytorch-course[cluster]"'
            ) from None
        self.kit, scheduler = kit, settings.scheduler
        try:
            self._client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as problem:
            raise EnvironmentBroken(
                f"no Dask scheduler answers at {scheduler} ({problem or type(problem).__name__}). "
                "Start one: dask scheduler --host 127.0.0.1"
            ) from None
        try:
            self._plugin = f"grading-{kit.digest}"
            self._open_rooms(_room(kit.packed(), settings, count))
            threads = self._client.nthreads()
            if not threads:
                raise EnvironmentBroken(
                    f"the scheduler at {scheduler} has no worker. Start one: dask worker"
                    f" {scheduler} --nthreads 1"
                )
        except BaseException:
            self._client.close()
            raise
        jobs = sum(threads.values())
        self.window = 2 * jobs + 2
        levels = sorted(set(self._client.run(_level).values()))
        where = f"on {len(threads)} workers at {scheduler}"
        self.about = f"{jobs} at a time {where}, isolation: {', '.join(levels)}"

    def _open_rooms(self, room: Any) -> None:
        """Give each worker its room. A worker may be lost at that moment, as at any other; the
        rest is asked again.
        """
        for left in reversed(range(REGISTER_TRIES)):
            try:
                self._client.register_plugin(room, name=self._plugin)
                return
            except OSError:  # Dask's CommClosedError is one
                if not left:
                    raise
                time.sleep(1)

    def __exit__(self, *problem: object) -> None:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.unregister_worker_plugin(self._plugin)
        self._client.close()

    def submit(self, submission: Submission) -> Future:
        """As `LocalPool.submit`."""
        done: Future = Future()
        done.set_running_or_notify_cancel()  # so that nobody can cancel it and `ended` can set it
        task = self._client.submit(
            _grade, submission, pure=False, key=f"grade-{submission.student}-{id(done):x}"
        )

        def ended(task: Any) -> None:
            try:
                done.set_result(task.result())
            except BaseException as problem:  # noqa: BLE001 - killed, cancelled, or no scheduler
                if disk_full(problem):  # that of a worker: no fault of the submission
                    done.set_exception(problem)
                    return
                said = f"{type(problem).__name__}: {str(problem)[:300]}"
                reason = f"the cluster could not grade it: {said}"
                done.set_result(Returned(submission.student, Verdict(reasons=(reason,))))

        task.add_done_callback(ended)
        return done


def _room(kit: bytes, settings: Settings, count: int) -> Any:
    from distributed import WorkerPlugin

    class Room(WorkerPlugin):
        """The kit, sandbox and pool of a worker: opened when the plugin is registered, closed when
        the run or the worker ends.
        """

        def setup(self, worker: Any) -> None:
            from grading.engine import sandbox

            self.place = sandbox.temporary_folders.make("cluster")
            self.stack = contextlib.ExitStack()
            self.stack.callback(shutil.rmtree, self.place, ignore_errors=True)
            box = self.stack.enter_context(sandbox.open_sandbox(settings.level))
            if not box.isolated:
                refuse_a_class(count)
            server = self.stack.enter_context(Server(worker.state.nthreads))
            unpacked = Kit.unpacked(kit, self.place)
            pool = LocalPool(
                unpacked, box, settings.limits, server, run_notebooks=settings.run_notebooks
            )
            setattr(worker, _ROOM, self.stack.enter_context(pool))

        def teardown(self, worker: Any) -> None:
            self.stack.close()

    return Room()


def _level(dask_worker: Any) -> str:
    return getattr(dask_worker, _ROOM).sandbox.level


def _grade(submission: Submission) -> Returned:
    from distributed import get_worker

    return getattr(get_worker(), _ROOM).submit(submission).result()
