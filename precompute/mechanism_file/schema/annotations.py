"""What the tables of a mechanism file share: types of their values as annotations, and texts."""

from __future__ import annotations

from typing import Annotated

from precompute.mechanism_file.schema import values as v

Vector = tuple[float, ...]
Matrix = tuple[Vector, ...]
Axis = str | tuple[str, ...] | tuple[float, ...]
Rows = tuple[tuple[float, float], ...]

RequiredAxis = Annotated[Axis, v.AXIS]
OptionalAxis = Annotated[Axis | None, v.AXIS]
NotNegative = Annotated[float | None, v.number(least=0.0)]
Number = Annotated[float | None, v.number()]
OptionalRows = Annotated[Rows | None, v.ROWS]

AXIS_HELP = '"x", "y", "z", "-x", "-y", "-z", a vector, ["P", "Q"] from P to Q, or ["P", "Q", "R"], normal (Q-P)x(R-P)'
SECOND_HELP = "The y axis, made perpendicular to axis. Default: z as close to the global z as possible. " + AXIS_HELP
