"""Lighthouse's four marks of five pages of the built site, each the median of five runs.

    npm install --prefix FOLDER lighthouse
    python benchmarks/lighthouse.py --lighthouse FOLDER/node_modules/.bin/lighthouse

The site is served on this machine, and Chromium runs headless. Performance is measured with the
slow phone that Lighthouse simulates, so run it on a machine that does nothing else. It ends with 1
if a median is below 95.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("index", "start", "modules/08_dataloader", "cli", "reference/core")
KINDS = ("performance", "accessibility", "best-practices", "seo")
RUNS, LEAST = 5, 95


class Publisher(http.server.SimpleHTTPRequestHandler):
    """Serves files as the servers of GitHub and GitLab do: texts are compressed."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.suffix not in (".html", ".css", ".js", ".svg") or not path.is_file():
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        pass


def marks(lighthouse: str, address: str, chromium: str) -> dict[str, float]:
    """The marks of one run, from 0 to 100."""
    words = [lighthouse, address, "--quiet", "--output=json", "--output-path=stdout"]
    words += [f"--only-categories={','.join(KINDS)}"]
    words += ["--chrome-flags=--headless --no-sandbox --disable-gpu --disable-dev-shm-usage"]
    ended = subprocess.run(
        words,
        env={**os.environ, "CHROME_PATH": chromium},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    said = json.loads(ended.stdout)
    return {kind: 100 * said["categories"][kind]["score"] for kind in KINDS}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lighthouse", required=True, help="the program that npm installed")
    parser.add_argument("--html", type=Path, default=ROOT / "site" / "_build" / "html")
    parser.add_argument("--runs", type=int, default=RUNS)
    args = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    if not chromium or not (args.html / "index.html").is_file():
        parser.error("Chromium and a built site are needed: tito site build")
    handler = functools.partial(Publisher, directory=str(args.html))
    low = False
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"{'page':24}" + "".join(f"{kind:>16}" for kind in KINDS))
        for page in PAGES:
            address = f"http://127.0.0.1:{server.server_address[1]}/{page}.html"
            runs = [marks(args.lighthouse, address, chromium) for _ in range(args.runs)]
            found = {kind: median(run[kind] for run in runs) for kind in KINDS}
            low = low or min(found.values()) < LEAST
            print(f"{page:24}" + "".join(f"{found[kind]:16.0f}" for kind in KINDS), flush=True)
        server.shutdown()
    return int(low)


if __name__ == "__main__":
    raise SystemExit(main())
