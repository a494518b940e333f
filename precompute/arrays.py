"""Read-only arrays: `frozen=True` protects a dataclass's names, not the contents of its arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def frozen_array(value: Any, shape: tuple[int, ...] | None = None, what: str = "array") -> Array:
    """A read-only float64 copy of `value`; ValueError unless it is finite and has the shape asked."""
    array = np.array(value, dtype=np.float64)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{what} has shape {array.shape}, expected {shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} contains a number that is not finite: {array.tolist()}")
    array.setflags(write=False)
    return array
