"""Which run-time serves an FMU: the compiled kernel, or NumPy where that cannot be loaded.

Nothing here imports NumPy unless it is needed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..errors import FmuError
from .kernel_instance import KernelModel
from .kernel_library import KernelMissing, find_library, load_library

MODEL_FILE = "model.kinetab"

MOST_PLACES = 3
"""So many folders of the run-time are remembered."""


class Running(Protocol):
    """An instance of either run-time; see `instance.Instance`."""

    def get(self, references: Sequence[int]) -> list[float]:
        """Values of variables."""

    def set(self, references: Sequence[int], values: Sequence[float]) -> None:
        """Set inputs and parameters."""

    def setup(self, start_time: float) -> None:
        """Set the start time [s]."""

    def enter_initialization(self) -> None:
        """From here on outputs may be asked for."""

    def exit_initialization(self) -> str | None:
        """Fix the start state; may return a warning."""

    def step(self, time: float, size: float) -> str | None:
        """One communication step [s]; may return a warning."""

    def terminate(self) -> None:
        """End of the simulation."""

    def save(self) -> bytes:
        """The state as one block, the same for both run-times."""

    def restore(self, block: bytes) -> None:
        """Go back to a saved state."""


@dataclass(frozen=True)
class Choice:
    """A run-time with its model."""

    create: Callable[[], Running]
    note: str | None  # why it is not the kernel


def choose(resources: str | Path, kernels: str) -> Choice:
    """The run-time for the model of an FMU.

    Args:
        resources: the folder with the model file.
        kernels: the folder in it with the kernels; empty if the FMU was built without any.

    Raises:
        TableFormatError: the model file cannot be used.
        FmuError: neither run-time can.
    """
    path = Path(resources) / MODEL_FILE
    reach(resources)
    try:
        if not kernels:
            raise KernelMissing("the FMU was built without a compiled kernel")
        library = load_library(find_library(Path(resources) / kernels))
    except KernelMissing as missing:
        return Choice(_numpy_runtime(path, str(missing)), f"{missing}; it runs in NumPy, which is slower")
    return Choice(KernelModel(library, path), None)


def reach(resources: str | Path) -> None:
    """Let imports that come later find the run-time in these resources.

    Another FMU with the same run-time may have been first in this process, and its folder may be gone.
    """
    package = (__package__ or "").rpartition(".")[0]
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        places = getattr(sys.modules[name], "__path__", None)
        folder = str(Path(resources, *name.split(".")))
        if places is not None and folder not in places and Path(folder).is_dir():
            places.insert(0, folder)
            del places[MOST_PLACES:]


def _numpy_runtime(path: Path, reason: str) -> Callable[[], Running]:
    try:
        from ..model.model_file import load
        from ..numpy_runtime.dynamics import prepare
        from ..numpy_runtime.instance import Instance
    except ImportError as missing:
        raise FmuError(f"{reason}, and {missing}; install NumPy in the Python that runs this FMU") from None
    charts = prepare(load(path))
    return lambda: Instance(charts)
