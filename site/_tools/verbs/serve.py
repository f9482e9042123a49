"""Serve the built site on this machine until Ctrl-C; to read it, the files alone will do."""

from __future__ import annotations

import argparse
from typing import Any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8000, help="default 8000; 0 takes a free one")


def run(args: argparse.Namespace) -> int:
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    from tito.console import say
    from tito.errors import EnvironmentBroken, UsageError, WorkError
    from tito.workspace import find_workspace

    if not 0 <= args.port < 2**16:
        raise UsageError(f"--port is from 0 to {2**16 - 1}; got {args.port}")
    html = find_workspace().root / "site" / "_build" / "html"
    if not (html / "index.html").is_file():
        raise WorkError(f"there is no built site in {html}. Run: tito site build")

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *words: Any) -> None:
            pass

    here = ("127.0.0.1", args.port)
    try:
        server = ThreadingHTTPServer(here, partial(Handler, directory=str(html)))
    except OSError as problem:
        raise EnvironmentBroken(
            f"port {args.port} of this machine could not be taken: {problem.strerror}. Another one:"
            " tito site serve --port 0"
        ) from None
    with server:
        say(f"http://127.0.0.1:{server.server_address[1]}/   (Ctrl-C ends it)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say("")
    return 0
