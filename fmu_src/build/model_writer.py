"""Writing model files; `model_file` says what is in them and reads them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from .. import __version__
from ..errors import TableFormatError
from ..files import reason, write_whole
from ..model.model_checks import check_model
from ..model.model_file import DTYPES, KERNEL, MAGIC, PRELUDE, hints_of, padding
from ..model.reduced_model import SCHEMA, Array, ReducedModel
from .kernel_stream import kernel_stream

GOLDEN = 0x9E3779B97F4A7C15
"""An odd number whose multiples look random; the kernel has the same."""


class Payload:
    """The arrays of a file; equal ones are stored once."""

    def __init__(self) -> None:
        self.data = bytearray()
        self._known: dict[bytes, int] = {}

    def place(self, raw: bytes) -> int:
        """Where some bytes lie from the start of the payload."""
        key = hashlib.sha256(raw).digest()
        if key not in self._known:
            self.data += bytes(padding(len(self.data)))
            self._known[key] = len(self.data)
            self.data += raw
        return self._known[key]

    def array(self, array: Array) -> int:
        """The same for an array of float64."""
        return self.place(np.ascontiguousarray(array, dtype="<f8").tobytes())


def save(model: ReducedModel, path: str | Path) -> Path:
    """Write a model; an existing file is replaced only when the new one is complete.

    Raises:
        TableFormatError: the model is not valid, or the file cannot be written.
    """
    data = to_bytes(model)
    try:
        return write_whole(path, data)
    except OSError as error:
        raise TableFormatError(f"cannot write '{path}': {reason(error)}") from None


def to_bytes(model: ReducedModel) -> bytes:
    """The bytes of a model file, with the stream that the kernel reads.

    Raises:
        TableFormatError: the model is not valid.
    """
    try:
        check_model(model)
    except TableFormatError as error:
        raise TableFormatError(f"model '{model.name}' cannot be written: {error}") from None
    payload = Payload()
    tree = _encode(ReducedModel, model, payload)
    try:
        text = json.dumps(tree, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise TableFormatError(
            f"model '{model.name}' cannot be written: {error}; every number must be finite, and the mechanism must "
            "hold only numbers, text, lists and tables"
        ) from None
    guid = hashlib.sha256(f"{__version__} {text}".encode() + payload.data).hexdigest()[:32]
    plan = kernel_stream(model, guid, payload.array)
    place = payload.place(plan)
    data = bytes(payload.data) + bytes(padding(len(payload.data)))
    kernel = KERNEL.pack(place, len(plan) // 8, checksum(data))
    header = f'{{"runtime_version":"{__version__}","payload_bytes":{len(data)},"model":{text}}}'.encode()
    body = kernel + header + bytes(padding(PRELUDE.size + KERNEL.size + len(header))) + data
    return PRELUDE.pack(MAGIC, SCHEMA, len(header), hashlib.sha256(body).digest()) + body


def checksum(data: bytes) -> int:
    """Sum of all 8-byte words, each times an odd number of its own, and of their number, modulo 2^64."""
    words = np.frombuffer(data, dtype="<u8")
    with np.errstate(over="ignore"):
        factors = (2 * np.arange(words.size, dtype=np.uint64) + np.uint64(1)) * np.uint64(GOLDEN)
        return int((words * factors).sum(dtype=np.uint64) + np.uint64(words.size) * np.uint64(GOLDEN))


def _encode(hint: Any, value: Any, payload: Payload) -> Any:
    """A JSON tree of a value of type `hint`; its arrays are appended to the payload."""
    if hint in DTYPES:
        raw = np.ascontiguousarray(value, dtype=DTYPES[hint]).tobytes()
        return {"offset": payload.place(raw), "shape": list(value.shape), "dtype": DTYPES[hint]}
    if is_dataclass(value):
        kind: Any = type(value)
        hints = hints_of(kind)
        return {field.name: _encode(hints[field.name], getattr(value, field.name), payload) for field in fields(value)}
    if isinstance(value, tuple):
        kinds = get_args(hint) or (None, Ellipsis)  # optional tuples hold plain numbers
        if kinds[-1] is Ellipsis or len(kinds) != len(value):
            kinds = kinds[:1] * len(value)
        return [_encode(item_hint, item, payload) for item_hint, item in zip(kinds, value, strict=True)]
    return value.item() if isinstance(value, np.generic) else value
