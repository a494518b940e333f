"""Gradients: steer and camber over travel and roll, motion ratios of springs, dampers, stops and bars."""

from __future__ import annotations

import numpy as np

from precompute.kc.analytic import along, cross, dot
from precompute.kc.conventions import BUMP, CAMBER, ROLL, STEER, TOE, by_words, per
from precompute.kc.metric import metric, need
from precompute.kc.motion import bend, bump_way, roll_way, single_way, twist
from precompute.kc.position import across, vertical
from precompute.kc.record import AxleRecord, Complex, Element, Record
from precompute.model.wheels import Side


def steer_rate(record: Record, w: Complex, v: Complex) -> Complex:
    """Rate of the steer angle with the twist (w, v), (..., 3) each."""
    s, ds, left = record.spin, cross(w, record.spin), across(record)
    s_y = dot(s, left)
    return (dot(ds, left) * s[..., 0] - ds[..., 0] * s_y) / (s[..., 0] ** 2 + s_y**2)


def camber_rate(record: Record, w: Complex, v: Complex) -> Complex:
    """Rate of camber with the twist (w, v)."""
    s, up = record.spin, vertical(record)
    return -record.wheel.outboard * dot(cross(w, s), up) / np.sqrt(1.0 - dot(s, up) ** 2)


@metric("rad/m", "velocity", "wheel", per(TOE, BUMP, "toe-in with bump"), "SAE J670, ride steer")
def bump_steer(record: Record) -> Complex:
    """Change of toe per travel of both wheels, steering held."""
    return -record.wheel.outboard * steer_rate(record, *twist(record, bump_way(record)))


@metric("rad/m", "velocity", "wheel", per(CAMBER, BUMP, "top outward with bump"), "SAE J670, ride camber")
def bump_camber(record: Record) -> Complex:
    """Change of camber per travel of both wheels, steering held."""
    return camber_rate(record, *twist(record, bump_way(record)))


STEER_IN_ROLL = per(STEER, ROLL, "to the left as the right side goes down", "to the right as the right side goes down")
CAMBER_IN_ROLL = per(CAMBER, ROLL, "top outward as the right side goes down", "top outward as the left side goes down")


def of_side(axle: AxleRecord, side: Side) -> Record:
    """The wheel of a side."""
    return axle.left if side == "left" else axle.right


@metric("rad/rad", "velocity", "side", STEER_IN_ROLL, "SAE J670, roll steer")
def roll_steer(axle: AxleRecord, side: Side) -> Complex:
    """Change of the steer angle per roll of the body over the road, steering held; relative to body or ground."""
    record = of_side(axle, side)
    to_body = steer_rate(record, *twist(record, roll_way(axle)))
    if record.choices.roll == "body":
        return to_body
    s = record.spin
    return to_body - s[..., 0] * dot(s, record.road) / (s[..., 0] ** 2 + dot(s, across(record)) ** 2)


@metric("rad/rad", "velocity", "side", CAMBER_IN_ROLL, "SAE J670, roll camber")
def roll_camber(axle: AxleRecord, side: Side) -> Complex:
    """Change of camber per roll of the body over the road, steering held; camber to the body, or to the ground."""
    record = of_side(axle, side)
    to_body = camber_rate(record, *twist(record, roll_way(axle)))
    if record.choices.roll == "body":
        return to_body
    s = record.spin
    return to_body - record.wheel.outboard * dot(s, across(record)) / np.sqrt(1.0 - dot(s, record.road) ** 2)


# -- motion ratios -------------------------------------------------------------------------------------------------

PRESSED = per(by_words("pressed"), BUMP, "pressed by bump")
WOUND_UP = per(by_words("wound up"), BUMP, "wound up by bump")


def per_travel(record: Record, element: Element) -> Complex:
    """How much the element is pressed per travel of the wheel; the other wheel and steering held."""
    return element.sense * dot(need(element.gradient, "velocities"), single_way(record))


def per_travel_change(record: Record, element: Element) -> Complex:
    """Its change per travel: a^T H a + g a'."""
    a = single_way(record)
    second = need(element.second, f"second derivatives of '{element.name}'")
    return element.sense * (along(a, second, a) + dot(need(element.gradient, "velocities"), bend(record, a)))


def _register() -> None:
    named = {"spring": "spring", "damper": "damper", "stop": "stop", "bar": "anti_roll_bar", "element": "element"}
    for word, role in named.items():
        sign = WOUND_UP if word == "bar" else PRESSED
        what = {"bar": "anti-roll bar", "element": "measure of an element"}.get(word, word)
        how = "Deflection" if word == "bar" else "Compression"

        def first(record: Record, element: Element) -> Complex:
            return per_travel(record, element)

        def second(record: Record, element: Element) -> Complex:
            return per_travel_change(record, element)

        name, source = f"{word}_motion_ratio", "common usage"
        metric(
            "measure/m", "velocity", "element", sign, source, name=name, roles=(role,),
            definition=f"{how} of the {what} per travel of the wheel; the other wheel and steering held.",
        )(first)  # fmt: skip
        metric(
            "measure/m2", "velocity", "element", sign, source, name=f"{name}_change", roles=(role,),
            definition=f"Change of the motion ratio of the {what} per travel of the wheel.",
        )(second)  # fmt: skip


_register()
