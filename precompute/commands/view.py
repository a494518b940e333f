"""The command `kinetab view`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
import tempfile
import webbrowser
from pathlib import Path

from precompute.command_options import loaded
from precompute.errors import PrecomputeError
from precompute.files import check_writable, write_file
from precompute.outcome import Outcome
from precompute.web.view import view_page
from precompute.web.watching import watch

DESCRIPTION = """\
The mechanism in 3D in a browser: turned with the mouse or arrow keys, moved by a slider per free coordinate and, with
wheels, through bump, roll and steering as kinetab kc has them. From kinematics alone, without a bake."""

EXAMPLES = """\
kinetab view corner.toml                       # opens in the browser
kinetab view corner.toml -o corner.html        # writes one file that opens anywhere, offline
kinetab view corner.toml --watch               # follows the file while it is edited"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("mechanism", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="write the page there, and do not open it")
    parser.add_argument("--watch", action="store_true", help="show it anew whenever the file is saved; until Ctrl-C")
    parser.set_defaults(command=run_view)


def run_view(options: argparse.Namespace) -> Outcome:
    """`kinetab view`."""
    if options.watch:
        if options.json:
            raise PrecomputeError("--watch goes on until Ctrl-C and has no result for --json; leave out one of them")
        watch(options.mechanism, lambda path: view_page(loaded(path)), lambda address: print(show(address)))
        return Outcome("")
    target = options.output
    if target is None:
        target = Path(tempfile.mkdtemp(prefix="kinetab-")) / f"{options.mechanism.stem}.html"
    else:
        check_writable(target, ".html", apart_from=[options.mechanism])
    write_file(target, view_page(loaded(options.mechanism)).encode())
    words = f"{options.mechanism.stem} -> {target}" if options.output else show(target.as_uri())
    return Outcome(words, {"address": target.resolve().as_uri()}, (target,))


def show(address: str) -> str:
    """Open it, and say where it is."""
    opened = webbrowser.open(address)
    return address if opened else f"open {address} in a browser"
