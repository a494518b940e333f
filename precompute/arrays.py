"""Read-only arrays: `frozen=True` protects a dataclass's names, not the contents of its arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

UNIT_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
"""How far the length of a vector that was divided by its own length can be from one."""


def frozen_array(value: Any, shape: tuple[int, ...] | None = None, what: str = "array") -> Array:
    """A read-only float64 copy of `value`; ValueError unless it is finite and has the shape asked."""
    array = np.array(value, dtype=np.float64)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{what} has shape {array.shape}, expected {shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} contains a number that is not finite: {array.tolist()}")
    array.setflags(write=False)
    return array


def unit_direction(value: Any, what: str) -> Array:
    """(3,) a direction that is given, as a unit vector.

    Raises:
        ValueError: it has no length, or is no vector.
    """
    given = frozen_array(value, (3,), what)
    if float(np.linalg.norm(given)) < 1e-12:
        raise ValueError(f"{what} has zero length")
    return unit_vector(given)


def unit_vector(vector: Array) -> Array:
    """A nonzero vector scaled to length one, read-only.

    One that has length one already, up to rounding, is kept bit for bit: dividing it again would change its last
    digits, and a mechanism that is saved and loaded must stay the same.
    """
    norm = float(np.linalg.norm(vector))
    return frozen_array(vector if abs(norm - 1.0) <= UNIT_ROUNDING else vector / norm)
