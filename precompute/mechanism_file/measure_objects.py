"""Measures as the checked file has them -> measures, in SI units and radians."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from precompute.mechanism_file.geometry import Geometry
from precompute.mechanism_file.schema.checks import Faults, fault
from precompute.mechanism_file.schema.measure_words import MeasureOf, OfCam, Table, Written
from precompute.model.mechanism import Axes, Bushing, Cam, Damper, Joint, Marker, Measure, Rod, Spring, Wheel
from precompute.units import Units

Forces = Mapping[str, Mapping[str, Spring | Damper]]

_Part = TypeVar("_Part")


@dataclass(frozen=True)
class BuiltParts:
    """What measures ask for, as far as it could be built; who asks for a faulty part is set aside without a word."""

    joints: Mapping[str, Joint | Rod | Cam]
    markers: Mapping[str, Marker]
    bushings: Mapping[str, Bushing]
    wheels: Mapping[str, Wheel]
    axes: Axes
    units: Units

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        joint = _part(self.joints, name)
        assert isinstance(joint, Joint), "rods are refused before"
        return joint

    def cam(self, name: str) -> Cam:
        """The cam of that name."""
        cam = _part(self.joints, name)
        if not isinstance(cam, Cam):
            raise fault(f"is of a cam, and joint '{name}' is none")
        return cam

    def of_cam(self, of: OfCam) -> Measure:
        """The measure of a cam."""
        turning = [joint for joint in self.joints.values() if isinstance(joint, Joint)]
        try:
            return self.cam(of.cam).measure(_Turning(turning), of.what)
        except ValueError as error:
            raise fault(f"joint '{of.cam}' {error}") from None

    def marker(self, name: str) -> Marker:
        """The marker of that name."""
        return _part(self.markers, name)

    def bushing(self, name: str) -> Bushing:
        """The bushing of that name."""
        return _part(self.bushings, name)

    def wheel(self, name: str) -> Wheel:
        """The wheel of that name."""
        return _part(self.wheels, name)


@dataclass(frozen=True)
class _Turning:
    """Joints by which turns between bodies are counted."""

    joints: Sequence[Joint]

    def joint(self, name: str) -> Joint:
        """One of them; that of a roller that is faulty is told there."""
        return _part({joint.name: joint for joint in self.joints}, name)


def _part(parts: Mapping[str, _Part], name: str) -> _Part:
    if name not in parts:
        raise Faults()
    return parts[name]


def measured(of: Written, geometry: Geometry, parts: BuiltParts, forces: Forces | None = None) -> tuple[Measure, bool]:
    """The measure, and whether it is an angle."""
    match of:
        case MeasureOf():
            on = _part((forces or {})[of.section], of.name).on
        case Table():
            on = of.measure(geometry)
        case OfCam():
            on = parts.of_cam(of)
        case _:
            on = of
    if problem := on.problem(parts):
        raise fault(problem)
    return on, on.is_angle(parts)
