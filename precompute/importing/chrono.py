"""Suspensions of Chrono::Vehicle as JSON.

Read in the sources of Project Chrono (https://github.com/projectchrono/chrono, src/chrono_vehicle): which keys there
are in DoubleWishbone.cpp, MacPhersonStrut.cpp, MultiLink.cpp, ThreeLinkIRS.cpp and utils/ChUtilsJSON.cpp, what bodies
and joints they make in ChDoubleWishbone.cpp and so on; and samples in data/vehicle/hmmwv/suspension.  Lengths are in m,
axes those of ISO 8855, all is given for the left side and mirrored for the right one.
"""

from __future__ import annotations

from collections.abc import Callable

from precompute.errors import MechanismError
from precompute.hints import nearest
from precompute.importing import chrono_arms, chrono_links
from precompute.importing.corner import balanced, tie_rod, travel, wheel
from precompute.importing.draft import Draft
from precompute.importing.fields import Fields

KNOWN = (
    "DeDionAxle DoubleWishboneReduced GenericWheeledSuspension HendricksonPRIMAXX LeafspringAxle "
    "PushPipeAxle RigidPanhardAxle RigidPinnedAxle RigidSuspension SAELeafspringAxle SAEToeBarLeafspringAxle "
    "SemiTrailingArm SingleWishbone SolidAxle SolidBellcrankThreeLinkAxle SolidThreeLinkAxle ToeBarDeDionAxle "
    "ToeBarLeafspringAxle ToeBarPushPipeAxle ToeBarRigidPanhardAxle"
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
    """A left corner.

    Args:
        file: the parsed JSON.
        draft: gets it.
        radius: loaded radius of the wheel [mm], of which the file knows nothing.
        rack: whether the tie rod, if there is one, ends on a rack.

    Raises:
        MechanismError: keys are missing or of another kind, all of them; or the template is none of these.
    """
    kind, template = file.text("Type", "Suspension"), file.text("Template")
    if kind != "Suspension":
        raise MechanismError([f"it is of the type '{kind}'; a 'Suspension' can be imported"], "the file")
    file.check("the file")
    if template not in TEMPLATES:
        hint = f"it reads {', '.join(TEMPLATES)}" if template in KNOWN else nearest(template, TEMPLATES)
        raise MechanismError([f"the suspension is of the template '{template}', which is not read; {hint}"], "the file")
    draft.point("wheel_centre", [1000.0 * x for x in file.table("Spindle").numbers("COM")], "centre of the spindle")
    arms = TEMPLATES[template](file, draft)
    toe = file.number("Toe Angle (deg)", 0.0)
    camber = file.number("Camber Angle (deg)", 0.0)
    file.check("the file")
    if toe or camber:
        draft.notes.left_out.append("toe and camber of the spindle: their signs were not found out; both are zero here")
    carrier = "arm" if template == "ThreeLinkIRS" else "upright"
    wheel(draft, radius, carrier=carrier)
    if "tie_outer" in draft.points:
        tie_rod(draft, rack, "axle")
    travel(draft, arms)
    draft.notes.taken.append("the left side; the right one is its mirror image")
    balanced(draft)
