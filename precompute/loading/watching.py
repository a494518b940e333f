"""Which loads are asked for, in which axes."""

from __future__ import annotations

from dataclasses import replace

from precompute.errors import PrecomputeError
from precompute.mechanism_file import from_document, to_document
from precompute.model.mechanism import GROUND, JOINT_TYPES, Mechanism, nearest

JOINT = "joint"


def watched(mechanism: Mechanism, axes: str | None) -> Mechanism:
    """The mechanism with the loads that its file asks for, all of them if it asks for none.

    Args:
        mechanism: as the file has it.
        axes: "joint": all loads in the axes of their joints; "ground" or the name of a body: in those of the ground,
            with all directions that they have there; None: as the file says.

    Raises:
        PrecomputeError: there is no such body.
    """
    check_axes(mechanism, axes)
    document = to_document(mechanism)
    joints = {name: entry for name, entry in document["joints"].items() if carries(entry["type"])}
    nothing = not any(entry.get("load") for entry in joints.values())
    for entry in joints.values():
        if nothing:
            entry["load"] = True
        if axes is None or not entry.get("load") or entry["type"] == "rod":
            continue
        entry["load"] = True if axes != JOINT or entry.pop("load_axes", None) else entry["load"]
        if axes != JOINT:
            entry["load_axes"] = GROUND
    return replace(from_document(document), units=mechanism.units)


def carries(kind: str) -> bool:
    """Whether joints of a kind carry a load at all."""
    return kind in ("rod", "sequence") or bool(JOINT_TYPES[kind].locked)


def check_axes(mechanism: Mechanism, axes: str | None) -> None:
    """That axes are those of something.

    Raises:
        PrecomputeError: they are not.
    """
    known = [JOINT, GROUND, *(body.name for body in mechanism.bodies)]
    if axes is not None and axes not in known:
        raise PrecomputeError(f"there is no body '{axes}' whose axes loads could be in; {nearest(axes, known)}")
