"""One running instance of a model in the compiled kernel; the same from outside as `instance.Instance`.

Standard library only.  Value references and values go through memory that is prepared once for each list of references.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from ctypes import c_double, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any

from ..errors import FmuError, StepError, TableFormatError, TableRangeError

WARNING, ERROR = 1, 3
"""Statuses of the kernel besides 0."""

MESSAGE_BYTES = 2000
MOST_LISTS = 200
"""So many lists of references are remembered at most."""

ALIGNMENT = 64
"""Of the model file in memory: a vector is then read at once."""


class KernelModel:
    """The bytes of a model file, which all its instances share, and the kernel that runs them."""

    def __init__(self, library: ctypes.PyDLL, path: str | Path) -> None:
        self.library = library
        self.path = path
        try:
            data = Path(path).read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise TableFormatError(f"cannot read the model file '{path}': {reason}; bake the mechanism again") from None
        self.size = len(data)
        self._memory = ctypes.create_string_buffer(len(data) + ALIGNMENT)
        address = ctypes.addressof(self._memory)
        self.blob = c_void_p(address + -address % ALIGNMENT)
        ctypes.memmove(self.blob, data, len(data))

    def __call__(self) -> KernelInstance:
        """A new instance.

        Raises:
            TableFormatError: the model file is damaged, foreign or of another version.
        """
        return KernelInstance(self)


class Lists:
    """A list of value references with room for their values, as the kernel takes them."""

    def __init__(self, references: tuple[int, ...]) -> None:
        n = len(references)
        self.references = (c_uint32 * n)(*references)
        self.values = (c_double * n)()
        self.layout = struct.Struct(f"={n}d")
        self.arguments = (c_void_p(ctypes.addressof(self.references)), c_size_t(n), self._address())

    def _address(self) -> c_void_p:
        return c_void_p(ctypes.addressof(self.values))


class KernelInstance:
    """A model with its variables and its state."""

    def __init__(self, model: KernelModel) -> None:
        self._handle = None
        self._library = library = model.library
        self._model = model  # whose bytes must outlive the instance
        message = ctypes.create_string_buffer(MESSAGE_BYTES)
        handle = library.kt_create(model.blob, model.size, message, MESSAGE_BYTES)
        if not handle:
            raise TableFormatError(f"model file '{model.path}': {_text(message.value)}")
        self._handle = c_void_p(handle)
        self._free = library.kt_free
        self._get, self._set, self._step = library.kt_get, library.kt_set, library.kt_step
        self._count = int(library.kt_count(self._handle))
        self._lists: dict[tuple[int, ...], Lists] = {}

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            self._free(handle)

    # --- variables ----------------------------------------------------------------------------------------------------

    def get(self, references: Sequence[int]) -> list[float]:
        """Values of variables; outputs are computed when they are asked for."""
        lists = self._lists.get(key := tuple(references)) or self._prepared(key)
        if self._get(self._handle, *lists.arguments):
            raise self._error()
        return lists.values[:]

    def set(self, references: Sequence[int], values: Sequence[float]) -> None:
        """Set inputs and parameters.  All are checked before the first is changed.

        Raises:
            StepError: a number is not finite or outside its bounds, or the variable may not be set now.
        """
        lists = self._lists.get(key := tuple(references)) or self._prepared(key)
        lists.layout.pack_into(lists.values, 0, *values)
        if self._set(self._handle, *lists.arguments):
            raise self._error()

    def _prepared(self, references: tuple[int, ...]) -> Lists:
        wrong = [i for i in references if not 0 <= i < self._count]
        if wrong:
            raise StepError(f"there is no variable with value reference {wrong[0]}; read the model description")
        if len(self._lists) >= MOST_LISTS:
            self._lists.clear()
        lists = self._lists[references] = Lists(references)
        return lists

    # --- life ---------------------------------------------------------------------------------------------------------

    @property
    def phase(self) -> int:
        """Where the instance is in its life: a number of `instance.Phase`."""
        return int(self._library.kt_phase_of(self._handle))

    @property
    def time(self) -> float:
        """[s]."""
        return float(self._library.kt_time(self._handle))

    def setup(self, start_time: float) -> None:
        """Set the start time [s]."""
        self._checked(self._library.kt_setup(self._handle, start_time))

    def enter_initialization(self) -> None:
        """From here on outputs may be asked for."""
        self._checked(self._library.kt_enter_initialization(self._handle))

    def exit_initialization(self) -> str | None:
        """Fix the start state; it must be inside the tables.

        Returns:
            A warning as that of `step`.

        Raises:
            TableRangeError: a start value is outside its table.
            StepError: a parameter cannot be used.
        """
        return self._checked(self._library.kt_exit_initialization(self._handle))

    def terminate(self) -> None:
        """End of the simulation; outputs may still be read."""
        self._checked(self._library.kt_terminate(self._handle))

    def step(self, time: float, size: float) -> str | None:
        """Advance by one communication step [s] from the master's time [s]; nothing changes if it fails.

        Returns:
            A warning, the first time that a coordinate lies where the tables were not measured.

        Raises:
            StepError: wrong phase, time or step size, bad parameter, or the motion diverged.
            TableRangeError: a coordinate has left its table.
        """
        status = self._step(self._handle, time, size)
        return self._checked(status) if status else None

    # --- saved states -------------------------------------------------------------------------------------------------

    def save(self) -> bytes:
        """Everything that makes a later step come out the same, as one block of bytes."""
        block = ctypes.create_string_buffer(self._library.kt_state_size(self._handle))
        self._library.kt_save(self._handle, block)
        return block.raw

    def restore(self, block: bytes) -> None:
        """Go back to a saved state.

        Raises:
            StepError: the block is not a saved state of this model.
        """
        self._checked(self._library.kt_restore(self._handle, block, len(block)))

    # --- what the kernel says -----------------------------------------------------------------------------------------

    def _checked(self, status: int) -> str | None:
        if status == ERROR:
            raise self._error()
        return _text(self._library.kt_message(self._handle)) if status == WARNING else None

    def _error(self) -> FmuError:
        text = _text(self._library.kt_message(self._handle))
        return TableRangeError(text) if self._library.kt_out_of_table(self._handle) else StepError(text)


def _text(message: Any) -> str:
    return str(message.decode(errors="replace"))
