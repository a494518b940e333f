"""Pieces of a left corner that no format leaves out: wheel, tie rod, springs, how far it moves, what it carries.

What a format says is handed in; what it leaves open is assumed here, and told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.importing.draft import Draft, tidy
from precompute.mechanism_file import from_document
from precompute.rig.stand import stand

RADIUS = 310.0
"""Of a tyre that no file names [mm]."""

WHEEL_LOAD = 4000.0
"""Where neither springs nor files tell it [N]."""

WHEEL_RATE = 25.0
"""Where there is no spring [N/mm]."""

WHEEL_DAMPING = 2.0
"""Where there is no damper [N s/mm]."""

STOP_RATE = 200.0
"""Of stops of which only the place is known [N/mm]."""

RACK_FILTER = 0.01
"""Time constant with which the rack follows its input [s]."""

SHARE_OF_ARM = 0.3
"""Wheel travel either way over the length of the shortest arm: about 17 degrees of the arm."""

MOST_TRAVEL = 80.0
"""Either way [mm]."""

SHARE_OF_LEVER = 0.3
"""Travel of the rack either way over the lever of the tie rod: about 17 degrees of steer."""

MOST_RACK = 50.0
"""Either way [mm]."""


def wheel(
    draft: Draft,
    radius: float | None,
    toe: float = 0.0,
    camber: float = 0.0,
    carrier: str = "upright",
    end: str | None = None,
) -> None:
    """The wheel at the point `wheel_centre`, its contact and its port.

    Args:
        draft: gets wheel, axle, markers and port, whose load is zero so far.
        radius: loaded [mm]; None where nobody said it.
        toe: [deg], positive in.
        camber: [deg], positive with the top outward.
        carrier: the body that carries it.
        end: "front" or "rear"; None if the file does not say it.
    """
    if radius is None:
        radius = RADIUS
        draft.notes.assumed.append(f"a loaded wheel radius of {RADIUS:g} mm; --wheel-radius gives another")
    tilt, turn = math.radians(camber), math.radians(toe)
    spin = np.array([math.sin(turn) * math.cos(tilt), math.cos(turn) * math.cos(tilt), -math.sin(tilt)])
    up = np.array([0.0, 0.0, 1.0])
    along = up - (up @ spin) * spin
    draft.point("contact_patch", draft.points["wheel_centre"] - radius * along / np.linalg.norm(along))
    draft.add("markers", "contact", body=carrier, at="contact_patch")
    draft.add("ports", "contact", marker="contact", force=[0, 0, 0])
    draft.add("wheels", "left", body=carrier, centre="wheel_centre", toe=toe, camber=camber, radius=radius)
    draft.add("axles", end or "axle", left="left", end=end)


def tie_rod(draft: Draft, steered: bool, end: str, inner: str = "rack_end", outer: str = "tie_outer") -> None:
    """The tie rod, on a rack that is driven along y or on the body.

    Args:
        draft: gets it.
        steered: whether there is a rack.
        end: name of the axle that it steers.
        inner: the point on rack or body.
        outer: the point on the upright.
    """
    lever = abs(float(draft.points[outer][0] - draft.points["wheel_centre"][0]))
    if not steered:
        draft.add("joints", "tie_rod", type="rod", parent="ground", child="upright", at=[inner, outer])
        return
    most = whole_part(MOST_RACK, SHARE_OF_LEVER * lever)
    if most < 1.0:
        raise PrecomputeError(
            f"'{outer}' is {lever:.3g} mm ahead of or behind the wheel centre: no lever to steer with; is it right? "
            "With --no-rack its inner end stays on the body."
        )
    draft.add("bodies", "rack", "driven: its mass matters only to the force that this takes", mass=0, com=inner)
    draft.add(
        "joints", "rack", "positive to the left", type="prismatic", parent="ground", child="rack", at=inner, axis="y"
    )
    draft.add("joints", "tie_rod", type="rod", parent="rack", child="upright", at=[inner, outer])
    draft.add(
        "coordinates",
        "rack",
        "its position is an input",
        of="joint.rack",
        **{"from": -most, "to": most},
        driven="filtered",
        filter_time=RACK_FILTER,
    )
    draft.sections["axles"][end]["steering"] = "rack"
    draft.notes.assumed.append(
        f"a rack along y at '{inner}', driven, with +-{most:g} mm; with --no-rack the tie rod's end stays on the body"
    )


def travel(draft: Draft, arms: Sequence[tuple[str, str, str]], given: tuple[float, float] | None = None) -> None:
    """The wheel's travel as free coordinate.

    Args:
        draft: gets it.
        arms: of each two points of the axis about which it turns and the one that it moves; both points of the axis are
            one where it is a link.
        given: its ends [mm], if the file says them.
    """
    if given is None:
        most = _most_travel(draft, min(_reach(*(draft.points[name] for name in arm)) for arm in arms))
        given = (-most, most)
    draft.add("coordinates", "travel", "of the wheel, bump is up", of="wheel.left.travel", **_ends(given))


def both_travels(draft: Draft, reach: float) -> None:
    """The travels of both wheels of an axle, whose shortest link has this length [mm]."""
    most = _most_travel(draft, reach)
    for side in ("left", "right"):
        draft.add("coordinates", f"travel_{side}", of=f"wheel.{side}.travel", **_ends((-most, most)))


def whole_part(most: float, length: float) -> float:
    """Of a length that is at most so long; of one that is no number, a fault of the file that is told, the latter."""
    return float(math.floor(min(most, length)))


def _most_travel(draft: Draft, reach: float) -> float:
    """Either way, by the length of the shortest arm [mm]."""
    most = whole_part(MOST_TRAVEL, SHARE_OF_ARM * reach)
    draft.notes.assumed.append(f"wheel travel of +-{most:g} mm, which follows from the shortest arm's {reach:.0f} mm")
    return most


def _ends(given: tuple[float, float]) -> dict[str, Any]:
    return {"from": given[0], "to": given[1]}


def _reach(a: Array, b: Array, moved: Array) -> float:
    """Distance of a point from the line through two others, or from them if they are one [mm]."""
    line = b - a
    length = float(np.linalg.norm(line))
    return float(np.linalg.norm(moved - a) if length < 1e-9 else np.linalg.norm(np.cross(line, moved - a)) / length)


def wheel_spring(draft: Draft, load: float | None) -> None:
    """Spring and damper on the wheel's travel, for want of others."""
    draft.add("springs", "wheel", "a wheel rate", on="wheel.left.travel", stiffness=WHEEL_RATE, preload="static")
    draft.notes.assumed.append(f"a spring of {WHEEL_RATE:g} N/mm at the wheel, since the file has none")
    wheel_damper(draft)
    static_load(draft, load)


def wheel_damper(draft: Draft) -> None:
    """A damper on the wheel's travel, for want of another."""
    draft.add("dampers", "wheel", on="wheel.left.travel", damping=WHEEL_DAMPING)
    draft.notes.assumed.append(f"a damper of {WHEEL_DAMPING:g} N s/mm at the wheel, since the file has none")


def static_load(draft: Draft, load: float | None) -> None:
    """The load under which springs with a static preload hold the design position [N]."""
    if load is None:
        load = WHEEL_LOAD
        draft.notes.assumed.append(
            f"a wheel load of {load:g} N, under which the drawn position is at rest; --wheel-load gives another"
        )
    draft.sections["ports"]["contact"]["force"] = tidy([0, 0, load])
    draft.comments["ports", "contact"] = "the static wheel load, until a tyre says otherwise"


def balanced(draft: Draft) -> None:
    """Give each port the wheel load that the springs carry where the suspension is drawn.

    Raises:
        PrecomputeError: the draft cannot be assembled or does not rest.
    """
    mechanism = from_document(draft.document(), f"what was imported as '{draft.name}'")
    loads = [float(load) for load in stand(mechanism).rest.pads[0, 0]]
    for port, load in zip(draft.sections["ports"], loads, strict=True):
        draft.sections["ports"][port]["force"] = tidy([0, 0, round(load, 3)])
        draft.comments["ports", port] = "what the springs carry in the drawn position"
    shown = " and ".join(f"{load:.0f} N" for load in dict.fromkeys(loads))
    pulled = "; they pull there, so the vehicle does not stand as it is drawn" if min(loads) <= 0.0 else ""
    draft.notes.taken.append(
        f"the springs' free lengths: in the drawn position they carry a wheel load of {shown}{pulled}"
    )
