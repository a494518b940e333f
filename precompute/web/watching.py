"""A page that follows a file: a server on this machine alone, which makes the page anew when the file changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from precompute.errors import PrecomputeError
from precompute.following import Followed
from precompute.web.document import asset, page

Make = Callable[[Path], str]


class Watched:
    """The page of a file as it is now; made anew when the file has changed."""

    def __init__(self, path: Path, make: Make) -> None:
        """Raises PrecomputeError if there is no such file."""
        self.path, self.make = path, make
        self._followed = Followed(path)
        self._lock = threading.Lock()
        self._stamp, self._text = "", ""

    @property
    def stamp(self) -> str:
        """Changes whenever the file does, or one that it names."""
        return self._followed.stamp

    def text(self) -> str:
        """The page, or what is wrong with the file."""
        with self._lock:
            stamp = self.stamp
            if stamp != self._stamp:
                self._stamp, self._text = stamp, self._made()
            return self._text.replace("</body>", f"<script>{follower(stamp)}</script></body>")

    def _made(self) -> str:
        try:
            return self.make(self.path)
        except (PrecomputeError, OSError) as error:
            body = f"<main><h1>{escape(self.path.name)}</h1><pre>{escape(str(error))}</pre></main>"
            return page(self.path.name, body, {}, [])


def follower(stamp: str) -> str:
    """The script that asks whether the file has changed."""
    return asset("follow.js").replace("STAMP", stamp)


def watch(path: Path, make: Make, show: Callable[[str], None]) -> int:
    """Serve it until interrupted.

    Raises:
        PrecomputeError: there is no such file.
    """
    with server(Watched(path, make)) as own:
        show(f"http://127.0.0.1:{own.server_port}/")
        own.serve_forever()
    return 0


def server(watched: Watched) -> ThreadingHTTPServer:
    """On a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            stamp = self.path == "/stamp"
            content = (watched.stamp if stamp else watched.text()).encode()
            self.send_response(200 if stamp or self.path == "/" else 404)
            self.send_header("Content-Type", "text/plain" if stamp else "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            """Requests are no news."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)
