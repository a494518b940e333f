"""Checks of the values in a mechanism file that name other objects: bodies, markers, joint coordinates."""

from __future__ import annotations

import re
from typing import Any

from precompute.mechanism_file.schema.checks import Check, Scope, each, fault, sequence, shown
from precompute.model.mechanism import GROUND, JointCoordinate


def check_reference(noun: str) -> Check:
    """The name of a body, marker ... of the file."""

    def check(value: Any, scope: Scope) -> str:
        if not isinstance(value, str):
            raise fault(f"is {shown(value)}; it must be the name of a {noun}, in quotes")
        scope.require(noun, value)
        return value

    return check


def check_list(noun: str) -> Check:
    """Some names of bodies, joints ... of the file."""

    def check(value: Any, scope: Scope) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not value:
            raise fault(f'is {shown(value)}; it must be a list of names, for example ["arm", "hub"]')
        return each(value, check_reference(noun), scope)

    return check


def check_loads(value: Any, scope: Scope) -> str | tuple[str, ...]:
    """The word all, or some names of joints and rods; of those that the reader makes for bushings too."""
    if value == "all":
        return "all"
    if not isinstance(value, list | tuple) or not value or not all(isinstance(name, str) for name in value):
        raise fault(f'is {shown(value)}; it must be "all" or a list of joints, for example ["lower_ball", "tie_rod"]')
    return tuple(value)


def check_wheels(value: Any, scope: Scope) -> tuple[str, ...]:
    """One wheel, or two."""
    if not isinstance(value, list | tuple) or len(value) not in (1, 2):
        raise fault(f'is {shown(value)}; it must be one or two wheels, for example ["left", "right"]')
    names = each(value, check_reference("wheel"), scope)
    if len({*names}) < len(names):
        raise fault(f"names '{names[0]}' twice")
    return names


check_bodies = sequence(check_reference("body"), (2,), f'two bodies, for example ["{GROUND}", "slider"]')


def check_joint_coordinate(value: Any, scope: Scope) -> JointCoordinate:
    """A joint's name, with the number of one of its coordinates if it has several: "strut[2]"."""
    if not isinstance(value, str):
        raise fault(f'is {shown(value)}; it must be the name of a joint in quotes, for example "pivot" or "strut[2]"')
    match = re.fullmatch(r"([^\[\]]*)(?:\[(\d{1,3})\])?", value)
    if match is None:
        raise fault(f'is {shown(value)}; it must be a joint, "pivot", or one of its coordinates, "strut[2]"')
    coordinate = joint_coordinate(match[1], match[2])
    scope.require("joint", coordinate.joint)
    return coordinate


def joint_coordinate(name: str, number: str | None) -> JointCoordinate:
    """The coordinate of a joint with this number, or its first."""
    if int(number or 1) == 0:
        raise fault(f"is '{name}[0]'; the coordinates of a joint are numbered from 1")
    return JointCoordinate(name, int(number or 1) - 1)
