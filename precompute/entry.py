"""How the command `kinetab` begins and ends: interrupts at any moment, and a standard output that is closed.

It imports next to nothing before it minds interrupts, so that one while NumPy and the rest are loaded is answered in
words too.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import NoReturn

INTERRUPTED = b"kinetab: interrupted; every file is as it was before or complete\n"

INTERRUPT_CODE = 130
"""As shells say it: 128 and the number of the signal."""

GRACE = 3.0
"""[s] What an interrupt may take to remove temporary files; then the process ends, and the next one removes them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: exit code 0 done, 1 a problem, 2 wrong usage, 130 interrupted.

    Interrupts are left to others if there are arguments, as another program gives them, or they are ignored, as a shell
    lets jobs in the background do.
    """
    if arguments is not None or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return _command(arguments)
    signal.signal(signal.SIGINT, _leave)  # nothing is done yet that must be undone
    sys.unraisablehook = _try_again
    try:
        try:
            return _command(None)
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the end is near
    except BaseException:
        if not _Interrupt.seen:
            raise
        _leave()


def _command(arguments: Sequence[str] | None) -> int:
    if not _open_streams():
        print("kinetab: standard output is closed, so nothing was done; send it to a file or a pipe", file=sys.stderr)
        return 1
    if arguments is None:
        import logging

        from precompute.telling import NoteHandler

        logging.basicConfig(handlers=[NoteHandler()])
    from precompute.cli import main as command

    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, _interrupt)
    return command(arguments)


def _open_streams() -> bool:
    """Let no file that is opened later become the standard output or error; whether there was an output."""
    closed = [handle for handle in range(3) if not _is_open(handle)]
    for _ in closed:
        os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # print would send errors to the output
    return 1 not in closed


def _is_open(handle: int) -> bool:
    try:
        os.fstat(handle)
    except OSError:
        return False
    return True


class _Interrupt:
    seen = False


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End the command, tidily; the second time, or if that takes too long, at once."""
    if _Interrupt.seen:
        _leave()
    _Interrupt.seen = True
    import threading

    late = threading.Timer(GRACE, _leave)
    late.daemon = True
    late.start()
    raise KeyboardInterrupt


def _leave(number: int = 0, frame: FrameType | None = None) -> NoReturn:
    """Say that it was interrupted, and end without anything that could be interrupted again."""
    with suppress(OSError):
        os.write(2, INTERRUPTED)
    os._exit(INTERRUPT_CODE)


def _try_again(problem: sys.UnraisableHookArgs) -> None:
    """Interrupt again where Python could not pass an interrupt on, as in a callback from C."""
    if problem.exc_type is KeyboardInterrupt:
        import _thread

        _thread.interrupt_main()
    else:
        sys.__unraisablehook__(problem)
