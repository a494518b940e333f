"""How large the pages of `kinetab report` and `kinetab view` are, how long they take to make, and to their first view.

    python benchmarks/first_view.py                     double_wishbone, macpherson, front_axle; five_link for view
    python benchmarks/first_view.py macpherson          only some

First view: from the start of navigation to the second frame with the mechanism in 3D and all numbers, as the page
measures it; complete: to the second frame after all scripts.  In a headless Chromium with software rendering and an
empty profile; medians of five.  With --online the library for
curves comes from a server on this machine, since there need not be a net.
"""

from __future__ import annotations

import http.server
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from queue import Empty, Queue

from plotly.offline import get_plotlyjs

from precompute.web.report import library

ROOT = Path(__file__).resolve().parent.parent
MECHANISMS = ROOT / "integration" / "mechanisms"
NAMES = ("double_wishbone", "macpherson", "front_axle")
VIEWED = "five_link"
ROUNDS = 5
LONGEST = 120.0
"""[s] Until a page is given up."""

LIMITS = {"report": (8.0, 4.0), "report --online": (1.5, 2.0), "view": (0.5, 3.0)}
"""[MB], [s] to the first view; of view the time to make it counts too."""

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic")
SEEN = """<script>
kinetab.said = (what) => fetch(`http://127.0.0.1:PORT/${what}/${performance.now()}`, { mode: "no-cors" });
requestAnimationFrame(() => requestAnimationFrame(() => kinetab.said("first")));
</script>
"""
READY = """<script>
const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => kinetab.said("all")));
Promise.resolve(kinetab.ready).then(painted);
</script></body>"""
DATA = '</script>\n<script>\n"use strict";'
"""Where data end and the script of the mechanism begins."""

Said = Queue[tuple[str, float]]


def main(names: list[str]) -> None:
    """Prints a table."""
    if not BROWSER:
        sys.exit("no Chromium is found")
    found: Said = Queue()
    server = listening(found)
    print(f"{os.getloadavg()[0]:.1f} other processes are busy\n")
    print("| page | of | MB | made in [s] | first view [s] | complete [s] | |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or NAMES:
            for what in ("report", "report --online"):
                print(row(what, name, Path(folder), server.server_port, found), flush=True)
        if not names or VIEWED in names:
            print(row("view", VIEWED, Path(folder), server.server_port, found), flush=True)
    server.shutdown()


def row(what: str, name: str, folder: Path, port: int, found: Said) -> str:
    """Make a page and open it some times."""
    path, begun = folder / f"{name}.html", time.perf_counter()
    command = [sys.executable, "-m", "kinetab", *what.split(), str(MECHANISMS / f"{name}.toml"), "-o", str(path)]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    made, size = time.perf_counter() - begun, path.stat().st_size / 1e6
    page = path.read_text(encoding="utf-8")
    page = page.replace(library(online=True), f'<script src="http://127.0.0.1:{port}/plotly.js"></script>\n')
    path.write_text(probed(page, port), encoding="utf-8")
    first, last = map(statistics.median, zip(*(opened(path, found) for _ in range(ROUNDS)), strict=True))
    most, longest = LIMITS[what]
    good = size < most and first + made * (what == "view") < longest
    told = f"{'within' if good else 'BEYOND'} {most:g} MB, {longest:g} s"
    return f"| {what} | {name} | {size:.2f} | {made:.1f} | {first:.2f} | {last:.2f} | {told} |"


def probed(page: str, port: int) -> str:
    """The page, which tells when it has been seen."""
    seen, ready = (text.replace("PORT", str(port)) for text in (SEEN, READY))
    end = page.index("</script>", page.index(DATA) + len(DATA)) + len("</script>\n")
    return page[:end] + seen + page[end:].replace("</body>", ready)


def opened(path: Path, found: Said) -> tuple[float, float]:
    """Seconds to the first view, and until all is there.

    Raises:
        TimeoutError: there is none.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:  # Chromium may write to it still
        command = [BROWSER, *FLAGS, *QUIET, f"--user-data-dir={profile}", "--window-size=1400,900"]
        command += ["--remote-debugging-port=0", path.as_uri()]
        browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            said = dict(found.get(timeout=LONGEST) for _ in range(2))
        except Empty:
            raise TimeoutError(f"{path.name}: no first view in {LONGEST:g} s") from None
        finally:
            browser.terminate()
            browser.wait()
    return said["first"], said["all"]


def listening(found: Said) -> http.server.ThreadingHTTPServer:
    """A server that hears of first views, and has the library."""
    script = get_plotlyjs().encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.path == "/plotly.js"
            if not wanted:
                what, time = self.path[1:].split("/")
                found.put((what, float(time) / 1e3))
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript")
            self.send_header("Content-Length", str(len(script) if wanted else 0))
            self.end_headers()
            self.wfile.write(script if wanted else b"")

        def log_message(self, format: str, *arguments: object) -> None:
            """Requests are no news."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    main(sys.argv[1:])
