"""Suspensions of Chrono::Vehicle as JSON.

Read in the sources of Project Chrono (https://github.com/projectchrono/chrono, src/chrono_vehicle): which keys there
are in DoubleWishbone.cpp, MacPhersonStrut.cpp, MultiLink.cpp, ThreeLinkIRS.cpp, SolidAxle.cpp and the solid three-link
axles, and in utils/ChVehicleUtilsJSON.cpp, what bodies and joints they make in ChDoubleWishbone.cpp and so on; and
samples in data/vehicle.  Lengths are in m, axes those of ISO 8855, all is given for the left side and mirrored for the
right one.  There spindles are turned by -toe about z and then by -camber about x on the left: toe is positive in,
camber with the top outward.
"""

from __future__ import annotations

from collections.abc import Callable

from precompute.errors import MechanismError
from precompute.hints import nearest
from precompute.importing import chrono_arms, chrono_links
from precompute.importing.chrono_axles import AXLES
from precompute.importing.corner import balanced, tie_rod, travel, wheel
from precompute.importing.draft import Draft
from precompute.importing.fields import Fields

KNOWN = (
    "DeDionAxle DoubleWishboneReduced GenericWheeledSuspension HendricksonPRIMAXX LeafspringAxle "
    "PushPipeAxle RigidPanhardAxle RigidPinnedAxle RigidSuspension SAELeafspringAxle SAEToeBarLeafspringAxle "
    "SemiTrailingArm SingleWishbone ToeBarDeDionAxle ToeBarLeafspringAxle ToeBarPushPipeAxle ToeBarRigidPanhardAxle"
).split()
"""Templates of Chrono that this does not read."""

TEMPLATES: dict[str, Callable[[Fields, Draft], list[tuple[str, str, str]]]] = {
    "DoubleWishbone": chrono_arms.double_wishbone,
    "MacPhersonStrut": chrono_arms.macpherson,
    "MultiLink": chrono_links.multi_link,
    "ThreeLinkIRS": chrono_links.three_link,
}
"""What reads each: it gives bodies, joints, springs and dampers to the draft, and tells its arms: `corner.travel`."""


def chrono(file: Fields, draft: Draft, radius: float | None, rack: bool) -> None:
    """A left corner, or a whole axle where that is one body.

    Args:
        file: the parsed JSON.
        draft: gets it.
        radius: loaded radius of the wheel [mm], of which the file knows nothing.
        rack: whether the tie rod, if there is one, ends on a rack, and the drag link of an axle on what is driven.

    Raises:
        MechanismError: keys are missing or of another kind, all of them; or the template is none of these.
    """
    kind, template = file.text("Type", "Suspension"), file.text("Template")
    if kind != "Suspension":
        raise MechanismError([f"it is of the type '{kind}'; a 'Suspension' can be imported"], "the file")
    file.check("the file")
    known = (*TEMPLATES, *AXLES)
    if template not in known:
        hint = f"it reads {', '.join(known)}" if template in KNOWN else nearest(template, known)
        raise MechanismError([f"the suspension is of the template '{template}', which is not read; {hint}"], "the file")
    draft.point("wheel_centre", [1000.0 * x for x in file.table("Spindle").numbers("COM")], "centre of the spindle")
    if template in AXLES:
        AXLES[template](file, draft, radius, rack)
        draft.notes.taken.append("both sides, the right one as the mirror image of the left one")
    else:
        _corner(file, draft, template, radius, rack)
        draft.notes.taken.append("the left side; the right one is its mirror image")
    balanced(draft)


def _corner(file: Fields, draft: Draft, template: str, radius: float | None, rack: bool) -> None:
    """A left corner."""
    arms = TEMPLATES[template](file, draft)
    toe, camber = file.number("Toe Angle (deg)", 0.0), file.number("Camber Angle (deg)", 0.0)
    file.check("the file")
    wheel(draft, radius, toe, camber, carrier="arm" if template == "ThreeLinkIRS" else "upright")
    if "tie_outer" in draft.points:
        tie_rod(draft, rack, "axle")
    travel(draft, arms)
