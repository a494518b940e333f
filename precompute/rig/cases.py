"""What a rig does to an axle: cases, each a path from the design position along one input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from precompute.arrays import Array
from precompute.kc.conventions import BUMP, LEFT, ROLL, Sign, along_axis, by_words
from precompute.rig.balance import HEIGHTS, Setting
from precompute.rig.stand import Stand

Unit = Literal["m", "rad", "N", "N.m"]
Pads = Literal["travel", "roll", "held", "load"]
"""Of the pads: they move the wheels; roll the axle at a constant sum of its loads; hold what is held while wheels are
steered; or keep (and change) their loads."""

Pair = tuple[float, float]
Triple = tuple[float, float, float]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BACK = (-1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Case:
    """Factors of the input on the left and the right wheel; forces and moments in axes of ISO 8855, on the wheels."""

    name: str
    title: str
    input: str  # what it is called
    range: str  # which range it goes through: "travel", "steer", "lateral", ...
    unit: Unit
    pads: Pads
    sign: Sign  # of the input
    heights: Pair = (0.0, 0.0)
    loads: Pair = (0.0, 0.0)
    steer: float = 0.0
    direction: Triple = (0.0, 0.0, 0.0)  # of a force or moment
    sides: Pair = (0.0, 0.0)
    at: Literal["patch", "centre", "moment"] = "patch"
    one_sided: bool = False  # only from zero on


TURNS = along_axis(2, "to the left", "to the right")
BOTH, OUTWARDS, TOE_IN, LEFT_ONLY = (1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 0.0)

CASES = (
    Case("bump", "Parallel bump", "travel", "travel", "m", "travel", BUMP, heights=BOTH),
    Case("roll", "Roll at constant axle load", "roll", "roll", "rad", "roll", ROLL),
    Case("single_bump", "Bump of the left wheel", "travel", "travel", "m", "travel", BUMP, heights=LEFT_ONLY),
    Case("steering", "Steering", "steering", "steer", "rad", "held", by_words("as its coordinate counts"), steer=1.0),
    Case("lateral", "Lateral force, both wheels the same way", "force", "lateral", "N", "load", LEFT, direction=Y,
         sides=BOTH),
    Case("lateral_opposed", "Lateral force, wheels opposed", "force", "lateral", "N", "load", by_words("outwards"),
         direction=Y, sides=OUTWARDS),
    Case("lateral_single", "Lateral force, left wheel only", "force", "lateral", "N", "load", LEFT, direction=Y,
         sides=LEFT_ONLY),
    Case("braking", "Braking force", "force", "braking", "N", "load", by_words("rearward"), direction=BACK, sides=BOTH,
         one_sided=True),
    Case("traction", "Traction force", "force", "traction", "N", "load", by_words("forward"), direction=X, sides=BOTH,
         at="centre", one_sided=True),
    Case("aligning", "Aligning torque, both wheels the same way", "torque", "aligning", "N.m", "load", TURNS,
         direction=Z, sides=BOTH, at="moment"),
    Case("aligning_opposed", "Aligning torque, wheels opposed", "torque", "aligning", "N.m", "load",
         by_words("towards toe-in"), direction=Z, sides=TOE_IN, at="moment"),
    Case("vertical", "Vertical load", "load", "vertical", "N", "load", by_words("more of it"), loads=BOTH),
)  # fmt: skip
"""All of them, in the order in which they are shown."""


def acting(case: Case, stand: Stand) -> Case:
    """The case as it is on an axle: its unit where it steers, and where braking and traction act.

    A torque that the carrier holds moves the force from the centre to the contact.
    """
    if case.steer and stand.steering is not None:
        of = stand.rig.bench.closure.coordinates[stand.steering]
        return replace(case, unit="rad" if of.is_angle(stand.mechanism) else "m")
    vehicle = stand.mechanism.vehicle
    if vehicle is None or case.name not in ("braking", "traction"):
        return case
    torque = vehicle.brake_torque if case.name == "braking" else vehicle.drive_torque
    return replace(case, at="patch" if torque == "outboard" else "centre")


def setting(stand: Stand, case: Case, values: Array) -> Setting:
    """What the rig does at values (n,) of the input of a case [SI]."""
    values = np.asarray(values, dtype=float)
    kept = at_zero(stand, case, len(values))
    if tilts(stand, case):
        return replace(kept, road=stand.in_copies(tilted(values)))
    added = along_input(stand, case, np.tan(values) if case.pads == "roll" else values)
    return replace(kept, b=kept.b + added.b, held=kept.held + added.held, loads=added.loads)


def setting_rate(stand: Stand, case: Case, values: Array) -> Setting:
    """Its derivative by the input; A_u and A_F are those of the setting."""
    values = np.asarray(values, dtype=float)
    kept = at_zero(stand, case, len(values))
    if tilts(stand, case):
        added = along_input(stand, case, np.zeros(len(values)))
        return replace(added, A_u=kept.A_u, A_F=kept.A_F, road=stand.in_copies(tilted(values + 0.5 * np.pi)))
    added = along_input(stand, case, 1.0 + np.tan(values) ** 2 if case.pads == "roll" else np.ones(len(values)))
    return replace(added, A_u=kept.A_u, A_F=kept.A_F)


def tilts(stand: Stand, case: Case) -> bool:
    """Whether the road tilts in this case; otherwise level pads move."""
    return case.pads == "roll" and stand.choices.roll == "ground"


def tilted(roll: Array) -> Array:
    """(n, 3) normal of the road in axes of ISO 8855, seen from a body that rolls with its right side down by (n,)."""
    return np.stack([np.zeros_like(roll), np.sin(roll), np.cos(roll)], axis=-1)


def at_zero(stand: Stand, case: Case, n: int) -> Setting:
    """The setting of n samples where the input is zero."""
    made, (left, right) = stand.still(n), stand.sides
    rows, F0 = [stand.row(side) for side in stand.sides], stand.rest.pads[0].ravel()
    if case.pads == "travel":
        return made
    made.A_u[:, rows] = 0.0
    if case.pads == "roll":
        kind = HEIGHTS.index("patch" if tilts(stand, case) else stand.choices.travel)
        made.A_u[:, rows[0], right.copy, kind, right.wheel], made.A_u[:, rows[0], left.copy, kind, left.wheel] = (
            1.0,
            -1.0,
        )
        if stand.has_forces:
            made.A_F[:, rows[1], rows], made.b[:, rows[1]] = 1.0, F0[rows].sum()
        else:
            for side in stand.sides:
                made.A_u[:, rows[1], side.copy, kind, side.wheel] = 1.0
        return made
    kind = HEIGHTS.index(stand.choices.held if case.pads == "held" else stand.choices.travel)
    for side, row in zip(stand.sides, rows, strict=True):
        if keeps_loads(stand, case):
            made.A_F[:, row, row], made.b[:, row] = 1.0, F0[row]
        else:
            made.A_u[:, row, side.copy, kind, side.wheel] = 1.0
            made.b[:, row] = stand.heights[side.copy, kind, side.wheel]
    return made


def along_input(stand: Stand, case: Case, amount: Array) -> Setting:
    """What changes in proportion to an amount (n,): the input, or its tangent in roll."""
    made = stand.still(len(amount))
    made.b[:], made.held[:], made.road[:] = 0.0, 0.0, 0.0
    if case.pads == "roll":
        made.b[:, stand.row(stand.sides[0])] = stand.track * amount
    factors = case.heights if case.pads == "travel" else case.loads
    for side, factor, share in zip(stand.sides, factors, case.sides, strict=True):
        made.b[:, stand.row(side)] += factor * amount
        own = stand.turned(side, np.array(case.direction), moment=case.at == "moment")
        getattr(made.loads, case.at)[:, side.copy, side.wheel] = share * amount[:, None] * own
    if case.steer and stand.steering is not None:
        k = list(stand.rig.bench.held).index(stand.steering)
        made.held[:, :, k] = case.steer * amount[:, None] * np.array(copy_signs(stand))
    return made


def keeps_loads(stand: Stand, case: Case) -> bool:
    """Whether the pads keep loads, or change them; otherwise they keep heights."""
    return case.pads == "load" and (stand.choices.vertical == "load" or any(case.loads))


def copy_signs(stand: Stand) -> Sequence[float]:
    """Of steering, for each copy: the one in the mirror is steered the other way."""
    mirrored = {side.copy for side in stand.sides if side.mirrored}
    return [-1.0 if copy in mirrored else 1.0 for copy in range(stand.copies)]


def left_out(stand: Stand, case: Case) -> str | None:
    """Why a case cannot be done; None if it can."""
    if case.steer and stand.steering is None:
        return "the axle is not steered"
    if keeps_loads(stand, case) and not stand.has_forces:
        return "nothing carries the wheels: the mechanism has no springs or bushings"
    return None
