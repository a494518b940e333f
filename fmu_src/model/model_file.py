r"""The model file: one reduced model as one block of bytes, read and written without any code inside it.

    bytes    0 ..  7   b"KINETAB\0"
             8 .. 15   schema, uint32, and four zeros
            16 .. 23   length of the header, uint64
            24 .. 55   sha256 of everything that follows
            56 .. 79   of the kernel's stream: its place in the payload and its number of words; checksum of the payload
            80 ..      header, UTF-8 JSON: {"runtime_version", "payload_bytes", "model"}
    zeros up to the next multiple of 64: start of the payload
            arrays, raw float64 or int64, each at a multiple of 64 bytes from the start of the payload; stream; zeros

All numbers are little-endian.  In the header an array is {"offset", "shape", "dtype"} with the offset counted from the
start of the payload.  The kernel reads no JSON: `kernel_fields` says what it reads instead.  The same model gives the
same bytes.  Every fault of a file is a `TableFormatError`.  `model_writer` writes.
"""

from __future__ import annotations

import functools
import hashlib
import json
import struct
import types
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from .. import __version__
from ..errors import TableFormatError
from .model_checks import check_model
from .reduced_model import SCHEMA, Array, IntArray, ReducedModel

MAGIC = b"KINETAB\0"
PRELUDE = struct.Struct("<8sI4xQ32s")
KERNEL = struct.Struct("<3Q")
ALIGNMENT = 64
DTYPES = {Array: "<f8", IntArray: "<i8"}
MOST_DIMENSIONS = 8
REBAKE = "bake the mechanism again"


def load(path: str | Path, runtime_version: str | None = __version__) -> ReducedModel:
    """Read a model.

    Args:
        path: the file.
        runtime_version: the version of the run-time that the file must be made for; None accepts any.

    Raises:
        TableFormatError: the file is missing, damaged, foreign or made for another version.
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TableFormatError(f"cannot read the model file '{path}': {reason}; {REBAKE}") from None
    try:
        return from_bytes(data, runtime_version)
    except TableFormatError as error:
        raise TableFormatError(f"model file '{path}': {error}") from None


def from_bytes(data: bytes, runtime_version: str | None = __version__) -> ReducedModel:
    """The model in the bytes of a model file.

    Raises:
        TableFormatError: the bytes are damaged, foreign or made for another version.
    """
    header, payload = _open(data)
    made_for = header.get("runtime_version")
    if runtime_version is not None and made_for != runtime_version:
        raise TableFormatError(
            f"it is made for run-time {made_for}, this is run-time {runtime_version}; {REBAKE} with this version"
        )
    try:
        model: ReducedModel = _decode(ReducedModel, header.get("model"), payload, "model")
        check_model(model)
    except TableFormatError as error:
        raise TableFormatError(f"{error}; {REBAKE}") from None
    return model


def _open(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and payload of a file whose frame is sound."""
    if len(data) < PRELUDE.size or data[: len(MAGIC)] != MAGIC or any(data[12:16]):
        raise TableFormatError(f"it is not a model file (it does not begin with {MAGIC!r}); {REBAKE}")
    _, schema, length, digest = PRELUDE.unpack_from(data)
    if schema != SCHEMA:
        raise TableFormatError(f"it has schema {schema}, this version reads schema {SCHEMA}; {REBAKE}")
    body = data[PRELUDE.size :]
    if KERNEL.size + length > len(body):
        raise TableFormatError(f"it is cut short: a header of {length} bytes in {len(body)}; copy it again or {REBAKE}")
    if hashlib.sha256(body).digest() != digest:
        raise TableFormatError(f"it is damaged (its checksum does not fit its content); copy it again or {REBAKE}")
    try:
        header = json.loads(body[KERNEL.size : KERNEL.size + length].decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise TableFormatError(f"its header is not JSON; {REBAKE}") from None
    payload = body[KERNEL.size + length + padding(PRELUDE.size + KERNEL.size + length) :]
    if not isinstance(header, dict) or header.get("payload_bytes") != len(payload):
        raise TableFormatError(f"its header does not fit its {len(payload)} bytes of arrays; {REBAKE}")
    return header, payload


def padding(size: int) -> int:
    """How many bytes are missing to the next multiple of the alignment."""
    return -size % ALIGNMENT


def _no_constant(text: str) -> float:
    raise ValueError(text)


@functools.cache
def hints_of(kind: Any) -> dict[str, Any]:
    """Types of the fields of a dataclass."""
    return get_type_hints(kind)


def _decode(hint: Any, value: Any, payload: bytes, where: str) -> Any:
    """The value of type `hint` that a JSON tree stands for; `where` names the place in messages."""
    if hint in DTYPES:
        return _decode_array(DTYPES[hint], value, payload, where)
    if is_dataclass(hint) and isinstance(hint, type):
        return _decode_dataclass(hint, value, payload, where)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple:
        return _decode_tuple(arguments, value, payload, where)
    if origin in (Union, types.UnionType):  # X | None
        return None if value is None else _decode(arguments[0], value, payload, where)
    if origin is Literal:
        fits = value in arguments if isinstance(value, str) else False
    elif origin is dict:
        fits = isinstance(value, dict)
    elif hint is float:
        fits = type(value) in (int, float) and abs(value) <= np.finfo(float).max
        value = float(value) if fits else value
    else:
        fits = type(value) is hint  # str, int, bool; a bool is no int
    if not fits:
        raise TableFormatError(f"'{where}' is {_short(value)}, not a {getattr(hint, '__name__', hint)}")
    return value


def _decode_dataclass(hint: type, value: Any, payload: bytes, where: str) -> Any:
    names = [field.name for field in fields(hint)]
    if not isinstance(value, dict) or sorted(value) != sorted(names):
        raise TableFormatError(f"'{where}' is {_short(value)}, not a {hint.__name__} with {', '.join(names)}")
    hints = hints_of(hint)
    return hint(**{name: _decode(hints[name], value[name], payload, f"{where}.{name}") for name in names})


def _decode_tuple(arguments: tuple[Any, ...], value: Any, payload: bytes, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise TableFormatError(f"'{where}' is {_short(value)}, not a list")
    if arguments[-1] is Ellipsis:
        arguments = (arguments[0],) * len(value)
    if len(value) != len(arguments):
        raise TableFormatError(f"'{where}' has {len(value)} entries instead of {len(arguments)}")
    return tuple(_decode(arguments[i], item, payload, f"{where}[{i}]") for i, item in enumerate(value))


def _decode_array(kind: str, value: Any, payload: bytes, where: str) -> Any:
    """A read-only array over the payload."""
    place = value if isinstance(value, dict) else {}
    offset: Any = place.get("offset")
    shape = place.get("shape")
    sizes = [offset, *(shape if isinstance(shape, list) and len(shape) <= MOST_DIMENSIONS else [-1])]
    if place.get("dtype") != kind or not all(type(n) is int and 0 <= n <= len(payload) for n in sizes):
        raise TableFormatError(f"'{where}' is {_short(value)}, not the place of an array of {kind}")
    count = 1
    for n in sizes[1:]:
        count *= n
    if offset % ALIGNMENT or offset + 8 * count > len(payload):
        raise TableFormatError(f"'{where}' is not inside the {len(payload)} bytes of arrays")
    native = np.dtype(kind).newbyteorder("=")
    flat = np.frombuffer(payload, dtype=kind, count=count, offset=offset) if count else np.zeros(0)
    array = flat.reshape(shape).astype(native, copy=False)
    array.flags.writeable = False
    return array


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
