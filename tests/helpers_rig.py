"""Suspensions on the rig: a strut on rubber as a corner and as both sides of an axle, a rigid wishbone."""

from __future__ import annotations

import tomllib
from functools import cache

import numpy as np
from helpers import MECHANISMS

from precompute.mechanism_file import from_document
from precompute.rig.balance import Rest, Setting, newton
from precompute.rig.cases import CASES, Case, setting
from precompute.rig.march import march
from precompute.rig.stand import Stand, stand

CASE = {case.name: case for case in CASES}


def document(name: str = "macpherson") -> dict:
    """A shipped mechanism, to be changed."""
    return tomllib.loads((MECHANISMS / f"{name}.toml").read_text(encoding="utf-8"))


def mechanism(name: str = "macpherson", **changes):
    """A shipped mechanism with top-level tables replaced, or taken out where they are None."""
    return from_document({key: value for key, value in {**document(name), **changes}.items() if value is not None})


def both_sides():
    """The strut of the left side and its mirror image on one rack."""
    found = document()
    found["mirror"] = {"to": "r", "bodies": ["lower_arm", "upright", "strut_rod"]}
    found["axles"]["front"]["right"] = "left_r"
    return from_document(found)


@cache
def strut(elastic: bool = True, **choices) -> Stand:
    from precompute.kc.record import Choices

    return stand(mechanism(), choices=Choices(**choices), elastic=elastic)


@cache
def axle() -> Stand:
    return stand(both_sides())


def at(on: Stand, case: str | Case, values) -> tuple[Rest, Setting]:
    """States of rest along a case, in small steps from design."""
    case = CASE[case] if isinstance(case, str) else case
    values = np.asarray(values, dtype=float)
    course = march(on, [case], [np.unique(np.concatenate([values, 0.5 * values]))])[0]
    picked = np.searchsorted(course.values, values)
    assert not course.ends
    return course.rest.some(picked), course.setting.some(picked)


def near(on: Stand, rest: Rest, here: Setting) -> Rest:
    """The state of rest under a setting that is near."""
    found, good = newton(on.rig, rest, here)
    assert good.all()
    return found


def richardson(f, h: float):
    """Derivative at zero of a function of one number, by central differences of order six."""
    a, b, c = ((f(k * h) - f(-k * h)) / (2.0 * k * h) for k in (1, 2, 4))
    ab, bc = (4.0 * a - b) / 3.0, (4.0 * b - c) / 3.0
    return (16.0 * ab - bc) / 15.0


__all__ = ["CASE", "at", "axle", "both_sides", "document", "mechanism", "near", "richardson", "setting", "strut"]
