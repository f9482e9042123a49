"""The command line `tito`: finds the verb (a file, see tito.verbs), runs it, reports errors."""

from __future__ import annotations

import contextlib
import sys

from tito import version
from tito.console import emit, prepare_streams, say, warn
from tito.errors import EnvironmentBroken, TitoError, causes, disk_full
from tito.verbs import GROUPS, Verb, load, verbs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

_USAGE = (
    "usage: tito [--help] [--version] [-v] VERB ..."
    "        a module goes by its number, its name or both"
)


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code.

    0: done. 1: the student's work fails. 2: wrong usage. 3: the environment is broken. 5: a bug in
    tito. 130: Ctrl-C, or another signal that asks it to end.
    """
    prepare_streams()
    with _ended_as_by_ctrl_c():
        return _main(argv)


def _main(argv: list[str] | None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    verbose = bool(words) and words[0] in ("-v", "--verbose")
    words = words[verbose:]
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except SystemExit as leaving:  # argparse: 0 after --help, 2 after a wrong option
        return leaving.code if isinstance(leaving.code, int) else 2
    except KeyboardInterrupt as problem:
        return _stopped(str(problem))
    except BrokenPipeError:  # `tito status | head -1`
        sys.stdout = None
        return 0
    except Exception as problem:  # noqa: BLE001 - print one line, and keep the details in a file
        # Python 3.11 makes a RuntimeError of a Ctrl-C that arrives while a class is created
        if any(isinstance(one, KeyboardInterrupt) for one in causes(problem)):
            return _stopped()
        return _failed(problem, words, verbose)


def _dispatch(words: list[str]) -> int:
    if not words:
        from tito.commands.status import where_am_i

        return where_am_i()
    if "help" in words[:2] and words[0] in ("help", *GROUPS):  # "help test" is `tito test --help`
        words = [word for word in words if word != "help"] + ["--help"]
    if words[0] in ("-h", "--help"):
        _help(None)
        return 0
    if words[0] == "--version":
        say(f"tito {version()}")
        return 0
    group = words[0] if words[0] in GROUPS else None
    rest = words[1:] if group else words
    known = verbs(group)
    if group and not known:
        warn(
            f"`tito {group}` is for {'instructors' if group == 'grade' else 'authors'} and needs"
            f" the folder {'site' if group == 'site' else 'grading'}/, which this copy of the"
            " course leaves out. Your own verbs: tito --help"
        )
        return 3
    if group and (not rest or rest[0] in ("-h", "--help")):
        _help(group)
        return 0 if rest else 2
    if rest[0] not in known:
        return _unknown(rest[0], group, known)
    return _run(known[rest[0]], rest[1:])


def _run(verb: Verb, arguments: list[str]) -> int:
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            options = f"Options: {self.prog} --help"
            self.exit(2, f"{self.format_usage()}{self.prog}: {message}. {options}\n")

    words = " ".join(filter(None, ["tito", verb.group, verb.name]))
    try:
        module = load(verb)
        parser = Parser(
            prog=words,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(parser)
        given = parser.parse_args(arguments)
        if verb.group and getattr(module, "IN_A_COURSE", True):
            from tito.workspace import find_course

            find_course(words)
        return int(module.run(given) or 0)
    except ModuleNotFoundError as missing:  # of an author's or an instructor's verb
        if verb.module.startswith("tito.") or not missing.name:
            raise
        raise EnvironmentBroken(
            f"`{words}` needs the package {missing.name}, which is not installed here. Run: pip"
            " install 'tinytorch-course[instructor]'"
        ) from missing


def _help(group: str | None) -> None:
    say(f"usage: tito {group} VERB ...\n" if group else f"{_USAGE}\n")
    rows = [(verb.name, verb.help) for verb in verbs(group).values()]
    rows += [(f"{name} VERB", text) for name, text in GROUPS.items()] if group is None else []
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        say(f"  {name:<{width}}  {text}")
    if group:
        say(f"\nOptions of a verb: tito {group} VERB --help")
    else:
        alone = "`tito` alone says where you are and what is next."
        say(f"\nOptions of a verb: tito VERB --help. {alone}")


def _unknown(word: str, group: str | None, known: dict[str, Verb]) -> int:
    import difflib

    prefix, others = (f"tito {group} ", ()) if group else ("tito ", tuple(GROUPS))
    close = difflib.get_close_matches(word, [*known, *others], n=1, cutoff=0.5)
    meant = [f"tito {other} {word}" for other in others if word in verbs(other)]
    meant += [prefix + name for name in close]
    remedy = f"Did you mean: {meant[0]}?" if meant else f"All verbs: {prefix}--help"
    warn(f"{prefix}has no verb {word!r}. {remedy}")
    return 2


@contextlib.contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """SIGTERM and SIGHUP end what runs inside as Ctrl-C does, with its processes and folders."""
    import signal

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = {}
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
        number = getattr(signal, name, None)
        # nohup lets a process ignore SIGHUP; in another thread, a program that runs tito decides
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            with contextlib.suppress(ValueError):
                before[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action)


def _stopped(kept: str = "") -> int:
    """Say what Ctrl-C left; `kept` is the sentence of a verb that had finished a part."""
    if "tito.run.runner" in sys.modules:
        sys.modules["tito.run.runner"].kill_all()
    warn(f"\nStopped. {kept or 'Your files are as they were.'}")
    return 130


def _failed(problem: Exception, words: list[str], verbose: bool) -> int:
    """Print what went wrong and return the exit code: that of a TitoError (1, 2 or 3), 3 for an
    OSError and whatever a full disk led to, 5 for a bug.
    """
    if verbose or not isinstance(problem, (TitoError, OSError)):
        import traceback

        details = "".join(traceback.format_exception(type(problem), problem, problem.__traceback__))
    full = disk_full(problem)
    if full:
        code, text = 3, _no_room(full, words)
    elif isinstance(problem, TitoError):
        code, text = problem.exit_code, str(problem)
    elif isinstance(problem, OSError):
        place = f": {problem.filename}" if problem.filename else ""
        said = f"the system refused: {problem.strerror or problem}{place}"
        code, text = 3, f"{said}. Look at it with: tito doctor"
    else:
        said = f"this is a bug in tito, not in your work: {type(problem).__name__}: {problem}"
        code, text = 5, f"{said}\n{_keep(details, words)}"
    if "--json" in words:
        emit(words[0], {"ok": False, "error": text, "exit_code": code})
    else:
        warn((details if verbose else "") + text)
    return code


def _no_room(full: OSError, words: list[str]) -> str:
    """A sentence about a full disk with a path on it."""
    import os
    import shutil
    import tempfile

    # the error of a write to an open file does not say which
    near = [tempfile.gettempdir(), os.getcwd(), *filter(os.path.exists, words)]
    tight = [path for path in near if shutil.disk_usage(path).free < 2**20]
    where = full.filename or next(iter(tight), "the system does not say where")
    return (
        f"the disk is full: {where} ({full.strerror}). What was finished is kept. Make room on it,"
        " then run the same command again; to see which disks are full: df -h"
    )


def _keep(details: str, words: list[str]) -> str:
    import platform

    from tito.files import write_atomic
    from tito.workspace import find_workspace

    try:
        path = find_workspace().state_dir / "last-error.txt"
        where = f"Python {platform.python_version()}, {platform.platform()}"
        write_atomic(path, f"tito {version()}, {where}\ntito {' '.join(words)}\n\n{details}")
    except Exception as second:  # noqa: BLE001 - the file cannot be written: print the details
        return f"{details}(and the details could not be kept: {second})"
    return (
        f"The details are in {path}; please send that file along. To look for causes: tito doctor"
    )


if __name__ == "__main__":
    sys.exit(main())
