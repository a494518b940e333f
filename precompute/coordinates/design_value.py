"""What to say where the range of a coordinate does not contain its value at design."""

from __future__ import annotations

from precompute.errors import SingularityError
from precompute.model.mechanism import Coordinate, Mechanism


def design_hint(mechanism: Mechanism, c: Coordinate, here: float) -> str:
    """That the design value `here` is outside the range, and what may be meant; empty if it is not."""
    if c.lower is None or c.upper is None or c.periodic or c.lower <= here <= c.upper:
        return ""
    at, low, high = (c.of.shown(mechanism, x) for x in (here, c.lower, c.upper))
    return f"at design it is {at}, outside its range {low} to {high}" + (
        "; with `relative = true` it is 0 there" if c.of.since_design else ""
    )


def starts_outside(mechanism: Mechanism, c: Coordinate, here: float) -> SingularityError:
    """The error for a coordinate that starts outside its range: where the file says, or else at design."""
    assert c.lower is not None and c.upper is not None
    if c.start is None:
        move = "Move the range" + (", which `relative = true` counts from design" if c.of.relative else "")
        count = "Count it from design by `relative = true`" if c.of.since_design else move
        low, high, at = (c.of.shown(mechanism, x) for x in (c.lower, c.upper, here))
        return SingularityError(
            f"coordinate '{c.name}' starts at design, where it is {at}, outside its range {low} to {high}. {count}, or "
            "set `start`."
        )
    at, low, high = (c.of.shown(mechanism, x) for x in (c.start, c.lower, c.upper))
    return SingularityError(
        f"coordinate '{c.name}' starts at {at}, outside its range {low} to {high}. Set `start`, or widen the range."
    )
