"""A fingerprint of data: equal for equal data in any process, another one wherever a bit of it differs.

It holds all that the fields of dataclasses lead to, numbers bit by bit, in their order.  What is not data (a function,
an open file) has none.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np


def fingerprint(value: Any) -> str:
    """SHA-256 of data as 64 digits.

    Raises:
        TypeError: there is something in it that is no data.
    """
    found = hashlib.sha256()
    for part in _parts(value):
        found.update(part)
    return found.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    """What tells a value from all others: its kind, how long it is, what is in it."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    match value:
        case Enum():
            yield _told(kind, value.name.encode())
        case None | bool() | int() | str():
            yield _told(kind, str(value).encode())
        case float():
            yield _told(kind, struct.pack("<d", value))
        case np.ndarray() if value.dtype.kind in "biuf":
            yield _told(f"{kind} {value.dtype.str} {value.shape}", value.tobytes())
        case np.generic() if value.dtype.kind in "biuf":
            yield _told(f"{kind} {value.dtype.str}", value.tobytes())
        case slice():
            yield from _parts((kind, value.start, value.stop, value.step))
        case tuple() | list():
            yield _told(kind, str(len(value)).encode())
            for item in value:
                yield from _parts(item)
        case Mapping():
            yield _told(kind, str(len(value)).encode())
            for pair in value.items():
                yield from _parts(pair)
        case _ if is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in fields(value)]
            yield _told(kind, " ".join(names).encode())
            for name in names:
                yield from _parts(getattr(value, name))
        case _:
            raise TypeError(f"{kind} has no fingerprint: it is no data")


def _told(kind: str, content: bytes) -> bytes:
    return b"%d %s %d " % (len(kind), kind.encode(), len(content)) + content
