"""Results as JSON: the one way in which frozen data becomes text that every reader of strict JSON takes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np


def json_text(value: object) -> str:
    """A result as strict JSON: what is not finite is null."""
    return json.dumps(plain(value), indent=1, ensure_ascii=False, allow_nan=False)


def plain(value: object) -> Any:
    """A result in what JSON has: dataclasses and mappings as objects, arrays as lists, complex numbers as pairs.

    Raises:
        TypeError: it is none of all that; a mistake of ours.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, Mapping):
        return {str(key): plain(of) for key, of in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} has no place in JSON")
