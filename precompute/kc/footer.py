"""What stands once at the foot of every table and plot: all that definitions leave open, as it was chosen.

Two tools that do not say these things disagree by degrees and metres on the same suspension.
"""

from __future__ import annotations

from dataclasses import dataclass

from precompute.kc.conventions import Convention
from precompute.kc.record import AxleRecord, Hold

AXES_TOLD: dict[Convention, str] = {
    "iso": "ISO 8855 (x forward, y left, z up)",
    "sae": "SAE J670 (x forward, y right, z down)",
    "adams": "Adams/Car (x rearward, y right, z up)",
}

HELD_TOLD: dict[Hold, str] = {
    "spring": "the spring's length",
    "centre": "the height of the wheel centre",
    "patch": "the height of the contact point",
}


ROLL_TOLD = {
    "body": "pads stay level and move along the body's vertical; camber and steer relative to the body",
    "ground": "the road tilts, pads push along its normal, weights turn too; camber and steer relative to the ground",
}


@dataclass(frozen=True)
class Taken:
    """How numbers were taken, beyond what a record knows."""

    secant: str | None = None  # steps of secants, told with their units; None: tangents
    pose: str = "each point of the table"  # about which compliance is taken
    weights: bool = False  # whether weights of the bodies count
    elastic: bool = True  # whether bushings give way


def footer(axle: AxleRecord, convention: Convention = "iso", taken: Taken | None = None) -> tuple[str, ...]:
    """One line for each thing that has to be said.

    Args:
        axle: of the table.
        convention: of its signs.
        taken: how its numbers were taken.
    """
    taken = taken or Taken()
    choices, wheel = axle.left.choices, axle.left.wheel
    lowest = choices.contact == "lowest"
    vehicle = axle.vehicle
    brake, drive = (vehicle.brake_torque, vehicle.drive_torque) if vehicle else ("outboard", "inboard")
    at = {"outboard": "at the contact point, torque outboard", "inboard": "at the wheel centre, torque inboard"}
    steered = axle.left.steering is not None
    return (
        f"Axes: {AXES_TOLD[convention]}, fixed to the body. Signs: toe-in, top outward, bump are positive; across, a "
        "number of one wheel is positive outboard.",
        (
            f"Steering axis: instantaneous screw axis, steering moved, {HELD_TOLD[choices.held]} held; 'geometric': "
            "the line through the two balls."
            if steered
            else "Steering axis: none, the axle is not steered; 'geometric': the line through the two balls."
        ),
        f"Road: {'level ' * (choices.roll == 'body')}plane through the contact points; loaded radius "
        f"{1e3 * wheel.radius.real:.5g} mm; contact "
        + ("at the lowest point of the disc." if lowest else "fixed to the carrier, where it was at design."),
        "Travel: of the "
        + ("wheel centre, along the body." if choices.travel == "centre" else "contact point, normal to the road."),
        "Gradients: "
        + ("tangents." if taken.secant is None else f"secants, with a step of {taken.secant}; other inputs tangents."),
        "Per wheel where a name ends in left or right, otherwise per axle"
        + ("; one side by symmetry." if axle.mirrored else "."),
        f"Roll: of the body over the road, right side down, about the middle of the contact points; "
        f"{ROLL_TOLD[choices.roll]}.",
        f"Forces: lateral force and aligning torque at the contact point; braking {at[brake]}; driving {at[drive]}; of "
        "compliance, braking at the contact point, traction at the wheel centre.",
        f"Compliance: about {taken.pose}, steering held, "
        + ("wheel loads constant" if choices.vertical == "load" else "heights of the contact points held")
        + ("." if taken.elastic else "; bushings locked."),
        f"Weights of the bodies {'count' if taken.weights else 'do not count'}; dampers do not.",
        "Ackermann: based on the inner wheel, rear axle not steered.",
        "Definition and sign of every number: `kinetab kc --list NAME`, or docs/kc.md#NAME.",
    )
