"""The cam joints of a mechanism file and their keys, as pydantic models."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from precompute.mechanism_file.schema import values as v
from precompute.mechanism_file.schema.annotations import AXIS_HELP, OptionalAxis, RequiredAxis
from precompute.mechanism_file.schema.checks import Point
from precompute.mechanism_file.schema.entry import Entry

Pair = tuple[float, float]


class SideEntry(Entry):
    """A side of a cam's profile, from where the side before it ends: straight, or an arc."""

    NEEDS = {"hollow": ("centre", "radius")}

    to: Annotated[Pair, v.PAIR] = Field(
        description="Where it ends, [x, y] from the cam's centre: x along zero, y a quarter turn from it about axis.",
        examples=[[16.0, 0.0]],
    )
    centre: Annotated[Pair | None, v.PAIR] = Field(default=None, description="Of an arc: its centre, [x, y].")
    radius: Annotated[float | None, v.number(above=0.0, unit="length")] = Field(
        default=None, description="Of an arc, in the place of its centre: its radius; it is the shorter way round."
    )
    hollow: Annotated[bool, v.FLAG] = Field(default=False, description="Of an arc: true if the material is outside.")

    def _joint_faults(self) -> list[tuple[tuple[str | int, ...], str]]:
        """A centre and a radius say the same."""
        both = self.centre is not None and self.radius is not None
        return [((), "has 'centre' and 'radius'; keep one of them")] if both else []


class CamFields(Entry):
    """What a cam joint has besides its bodies."""

    EITHER = (("profile", "table"),)
    NEEDS = {"rolls": "radius", "slips": "radius"}

    type: Literal["cam"] = Field(description="Type of the joint.")
    centre: Annotated[Point, v.POINT] = Field(
        description="A point of the cam's axis: a point's name or [x, y, z].", examples=["shaft"]
    )
    axis: RequiredAxis = Field(
        description="The cam's axis; its profile is seen against it. " + AXIS_HELP, examples=["z"]
    )
    zero: OptionalAxis = Field(
        default=None,
        description="Across the axis: x of the profile, from where its angles count. Default: as close to a global "
        "axis as possible. " + AXIS_HELP,
    )
    profile: tuple[SideEntry, ...] | None = Field(
        default=None,
        description="Its outline, counterclockwise seen against the axis: sides, each from where the one before ends, "
        "the first from where the last does.",
        examples=[[{"to": [-16.0, 0.0], "centre": [0.0, 0.0]}, {"to": [16.0, 0.0], "centre": [0.0, 0.0]}]],
    )
    table: Annotated[tuple[Pair, ...] | None, v.PAIRS] = Field(
        default=None, description="Rows [angle, distance from the centre] of its outline, once round, angles ascending."
    )
    follower: Annotated[Literal["roller", "flat", "knife"], v.choice(("roller", "flat", "knife"))] = Field(
        description="What of the child follows the cam: a roller, a flat face, or an edge.", examples=["roller"]
    )
    at: Annotated[Point, v.POINT] = Field(
        description="Centre of the roller, the edge, or a point of the face: a point's name or [x, y, z].",
        examples=["roller"],
    )
    radius: Annotated[float | None, v.number(above=0.0, unit="length")] = Field(
        default=None, description="Of the roller.", examples=[12.0]
    )
    normal: OptionalAxis = Field(default=None, description="Of the face, away from the cam. " + AXIS_HELP)
    rolls: Annotated[str | None, v.JOINT_NAME] = Field(
        default=None,
        description="The revolute joint of a roller that is a body of its own and rolls without slip. Default: it "
        "has no inertia of its own.",
    )
    slips: Annotated[str | None, v.JOINT_NAME] = Field(
        default=None,
        description="The revolute joint of a roller that is a body of its own and turns as the forces of elements on "
        "its slip, joint.NAME.slip, let it; in the place of rolls.",
    )

    def _joint_faults(self) -> list[tuple[tuple[str | int, ...], str]]:
        """Keys that belong to one kind of follower."""
        own = (("radius", self.radius, "roller"), ("normal", self.normal, "flat"))
        faults: list[tuple[tuple[str | int, ...], str]] = []
        for key, value, kind in own:
            if self.follower == kind and value is None:
                faults.append(((), f"'{key}' is missing, which a {kind} follower needs"))
            if self.follower != kind and value is not None:
                faults.append(
                    ((key,), f"is only of a {kind} follower, and this one is '{self.follower}'; leave it out")
                )
        if self.rolls is not None and self.slips is not None:
            faults.append(((), "has 'rolls', without slip, and 'slips'; keep one of them"))
        if self.profile is not None and not self.profile:
            faults.append((("profile",), "is empty; give its sides, or a table"))
        return faults
