"""The border between our errors and pythonfmu.

What was found out about pythonfmu 0.7.0, and is answered here:

- Any exception in a hook becomes fmi2Fatal, and there is no way to fmi2Error; a do_step that returns False becomes
  fmi2Discard, which FMPy takes for an early end without an error.  So errors are raised.
- Its C++ side then releases its references to the instance, the class and the log queue but goes on using them: a
  second failing call, fmi2Reset or fmi2FreeInstance touches freed memory.  `hold` gives the references back.
- Loading a slave releases a borrowed reference to the module's globals each time; `hold` again.
- With logging off in the host nothing is shown at all.  Our front (fmu_src/front) asks for all messages, hands them to
  the host, and makes fmi2Error of what is an error of ours.  Where there is no front a message also goes to the Python
  logger "kinetab", which writes to stderr unless the host's Python has configured it otherwise.
- It puts the resources first on sys.path for each instance and leaves them there.  `leave_path` takes them away again:
  what is imported later is found through the package itself.
- A message is used as a printf format by the host: each % must be doubled.
"""

from __future__ import annotations

import ctypes
import functools
import logging
import sys
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import FmuError

LOGGER = "kinetab"

Hook = TypeVar("Hook", bound=Callable[..., Any])


def hold(*objects: object) -> None:
    """Add a reference that a caller outside Python is going to release without owning it."""
    for item in objects:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(item))


def leave_path(folder: str) -> None:
    """Take a folder that was put on Python's search path away again."""
    if folder in sys.path:
        sys.path.remove(folder)


def format_safe(text: str) -> str:
    """Text that survives being a printf format."""
    return text.replace("%", "%%").replace("\0", " ")


def describe(error: BaseException) -> str:
    """An error in one line; where it arose, if it is not one of ours."""
    if isinstance(error, FmuError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    return f"fault in the run-time: {type(error).__name__}: {error}{where}; please report it with the FMU"


def tell_python(level: int, who: str, text: str) -> None:
    """Tell the Python side of the host what an instance says; `level` is one of `logging`."""
    logging.getLogger(LOGGER).log(level, "%s: %s", who, text)


def guarded(hook: Hook) -> Hook:
    """Let only one clean exception out of a hook of a slave, after `slave.fail(error)` has logged the cause."""

    @functools.wraps(hook)
    def call(slave: Any, *arguments: Any) -> Any:
        try:
            return hook(slave, *arguments)
        except BaseException as error:  # an interrupt too: pythonfmu would release what it goes on using
            raise slave.fail(error) from None

    return call  # type: ignore[return-value]
