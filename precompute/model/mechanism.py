"""The mechanism as the engineer describes it: bodies, joints, bushings, springs, markers.  Data, no algorithms.

Everything is given at the design position in one global frame G (the frame of the ground body), in SI units and
radians.  At the design position every body frame coincides with G, so a point of a body has the same three numbers
in G and in its body, and nobody ever writes local coordinates.

Each type checks itself when it is built: an object that exists is valid.  What concerns several objects (names that
must exist, connections) is checked by `Mechanism`, which reports every problem at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from precompute.arrays import Array, frozen_array
from precompute.errors import MechanismError
from precompute.geometry.smooth_curve import SmoothCurve
from precompute.hints import nearest
from precompute.measures.bushing_deflection import BushingDeflection
from precompute.measures.cam_measure import CamMeasure
from precompute.measures.combination import Combination
from precompute.measures.direction_cosine import DirectionCosine
from precompute.measures.distance import Distance
from precompute.measures.following import Following
from precompute.measures.joint_coordinate import JointCoordinate
from precompute.measures.marker_angle import MarkerAngle
from precompute.measures.marker_coordinate import MarkerCoordinate
from precompute.measures.measure import Measure
from precompute.measures.plane_distance import PlaneDistance
from precompute.measures.relative_angle import RelativeAngle
from precompute.measures.wheel_travel import WheelTravel
from precompute.model.cams import Cam
from precompute.model.contacts import WheelContact
from precompute.model.devices import Device
from precompute.model.doubts import doubts
from precompute.model.forces import Bushing, BushingLaw, ConstantForce, Damper, ForceTable, Spring, Stop
from precompute.model.holds import Constraint, Coupling, HeldRow, held_rows
from precompute.model.joint_types import (
    DIRECTIONS,
    JOINT_TYPES,
    LOCKED,
    ConstraintKind,
    Direction,
    JointType,
    PrimitiveKind,
)
from precompute.model.joints import (
    Joint,
    JointKind,
    Primitive,
    StiffAxes,
    joint_primitives,
    named_direction,
    plane_axes,
    stiff_primitives,
)
from precompute.model.parts import GROUND, Body, DesignParameter, Marker, Port, ReadMeasure, Rod
from precompute.model.problems import reference_problems
from precompute.model.wheels import Axes, Axle, Vehicle, Wheel
from precompute.units import USUAL, Units

__all__ = [
    "DIRECTIONS",
    "GROUND",
    "JOINT_TYPES",
    "LOCKED",
    "PARTS",
    "Axes",
    "Axle",
    "Body",
    "Bushing",
    "BushingDeflection",
    "BushingLaw",
    "Cam",
    "CamMeasure",
    "Chassis",
    "Combination",
    "ConstantForce",
    "Constraint",
    "ConstraintKind",
    "Coordinate",
    "Coupling",
    "DesignParameter",
    "Damper",
    "Device",
    "Direction",
    "DirectionCosine",
    "Distance",
    "Driven",
    "Experiment",
    "Following",
    "ForceTable",
    "HeldRow",
    "Joint",
    "JointCoordinate",
    "JointKind",
    "JointType",
    "Marker",
    "MarkerAngle",
    "MarkerCoordinate",
    "Measure",
    "Mechanism",
    "Outside",
    "PlaneDistance",
    "Port",
    "Primitive",
    "PrimitiveKind",
    "ReadMeasure",
    "RelativeAngle",
    "Rod",
    "SmoothCurve",
    "Spring",
    "StiffAxes",
    "StiffMode",
    "Stop",
    "TableSettings",
    "Vehicle",
    "Wheel",
    "WheelContact",
    "WheelTravel",
    "joint_primitives",
    "named_direction",
    "nearest",
    "plane_axes",
    "stiff_primitives",
]

Outside = Literal["error", "linear"]
Driven = bool | Literal["filtered"]
Chassis = Literal["fixed", "moving"]
Method = Literal["rk4", "midpoint"]
StiffMode = Literal["dynamic", "quasistatic"]
About = Literal["zero", "static"]


@dataclass(frozen=True, eq=False)
class Coordinate:
    """An independent coordinate: the value of a measure, its range and its start values."""

    name: str
    of: Measure
    lower: float | None = None  # None: the feasible range, found by `explore`
    upper: float | None = None
    periodic: bool = False  # a full turn; upper - lower = 2 pi
    start: float | None = None  # None: the design value
    start_rate: float = 0.0
    outside: Outside = "error"  # what the FMU does beyond the table
    driven: Driven = False  # True: position, rate and acceleration are inputs; "filtered": made from position alone
    filter_time: float | None = None  # [s] time constant of the filter, if driven = "filtered"
    borders: tuple[float, ...] = ()  # inside the range, where cams begin another piece of their profile; are found
    cams: tuple[str, ...] = ()  # that it turns

    def __post_init__(self) -> None:
        for what in ("lower", "upper", "start", "start_rate"):
            value = getattr(self, what)
            if value is not None and not math.isfinite(value):
                raise ValueError(f"{what} is not finite")
        if (self.lower is None) != (self.upper is None):
            raise ValueError("needs both ends of its range or neither")
        if self.lower is not None and self.upper is not None:
            if self.lower >= self.upper:
                raise ValueError(f"its range is empty: from {self.lower:g} to {self.upper:g}")
            if self.periodic and abs(self.upper - self.lower - 2.0 * math.pi) > 1e-9:
                raise ValueError("is periodic, so its range must be one full turn (360 deg)")
        if self.periodic and not self.of.may_be_periodic:
            raise ValueError("only a joint angle can be periodic")
        if (self.filter_time is not None) != (self.driven == "filtered"):
            raise ValueError('needs a filter_time if driven = "filtered", and only then')
        if self.filter_time is not None and not (math.isfinite(self.filter_time) and self.filter_time > 0.0):
            raise ValueError(f"filter_time is {self.filter_time:g} s; it must be positive")


@dataclass(frozen=True)
class TableSettings:
    """How accurate the tables must be and how large they may get."""

    tolerance: float = 1e-6  # of every value, relative to its column's range
    max_nodes: int = 241  # per axis
    taylor: int = 2  # order of the expansion in the stiff directions, 1 to 3
    inertia: int = 1  # order of the expansion of the inertia in the stiff directions, 0 to 2
    stiff: StiffMode = "dynamic"  # whether stiff directions have inertia or follow the forces at once
    stiff_tolerance: float = 1e-3  # of every value under a deflection, relative to what is natural for its kind
    about: About = "zero"  # deflections that they are expanded about: none, or those of the static equilibrium

    def __post_init__(self) -> None:
        if not 1e-11 <= self.tolerance <= 1e-1:
            raise ValueError(f"tolerance is {self.tolerance:g}; choose between 1e-11 and 0.1")
        if not 17 <= self.max_nodes <= 2001:
            raise ValueError(f"max_nodes is {self.max_nodes}; choose between 17 and 2001")
        if self.inertia not in (0, 1, 2):
            raise ValueError(f"inertia is {self.inertia}; choose 0, 1 or 2")
        if not 1e-9 <= self.stiff_tolerance <= 1.0:
            raise ValueError(f"stiff_tolerance is {self.stiff_tolerance:g}; choose between 1e-9 and 1")
        if self.taylor not in (1, 2, 3):
            raise ValueError(f"taylor is {self.taylor}; choose 1, 2 or 3")


@dataclass(frozen=True)
class Experiment:
    """The FMU's default experiment."""

    stop_time: float = 1.0  # [s]
    step_size: float = 1e-3  # [s] communication step, and the integrator's longest step
    static: bool = False  # start in static equilibrium under gravity and the start loads of the ports
    method: Method = "rk4"  # of the integrator: the accurate one, or the midpoint rule at half the cost

    def __post_init__(self) -> None:
        if self.method not in ("rk4", "midpoint"):
            raise ValueError(f'method is "{self.method}"; choose "rk4" or "midpoint"')
        if not (math.isfinite(self.stop_time) and self.stop_time > 0.0):
            raise ValueError(f"stop_time is {self.stop_time:g} s; it must be positive")
        if not (math.isfinite(self.step_size) and 0.0 < self.step_size <= self.stop_time):
            raise ValueError(f"step_size is {self.step_size:g} s; it must be positive and not exceed stop_time")


PARTS = (
    *("bodies", "joints", "springs", "dampers", "forces", "bushings", "markers", "ports", "measures"),
    *("wheels", "axles", "couplings", "constraints"),
)
"""The parts of a mechanism that its file has by name; rods are joints there."""


@dataclass(frozen=True, eq=False)
class Mechanism:
    """The whole mechanism.  `coordinates` None means that they are chosen automatically."""

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    rods: tuple[Rod, ...] = ()
    springs: tuple[Spring, ...] = ()
    dampers: tuple[Damper, ...] = ()
    forces: tuple[ConstantForce, ...] = ()
    bushings: tuple[Bushing, ...] = ()
    markers: tuple[Marker, ...] = ()
    ports: tuple[Port, ...] = ()
    coordinates: tuple[Coordinate, ...] | None = None
    gravity: Array = field(default_factory=lambda: np.zeros(3))  # (3,) in G [m/s2]
    tables: TableSettings = TableSettings()
    experiment: Experiment = Experiment()
    description: str = ""
    chassis: Chassis = "fixed"  # moving: the ground's twist, its rate and gravity are inputs
    measures: tuple[ReadMeasure, ...] = ()
    units: Units = USUAL  # of its file, in which messages speak; all numbers here are SI
    axes: Axes = Axes()  # where forward, left and up are
    wheels: tuple[Wheel, ...] = ()
    axles: tuple[Axle, ...] = ()
    contact: WheelContact | None = None  # a disc on the floor, whose track is then the ground of all else here
    vehicle: Vehicle | None = None
    devices: tuple[Device, ...] = ()  # [elements] of the file
    designs: tuple[DesignParameter, ...] = ()  # [design] of the file
    couplings: tuple[Coupling, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    cams: tuple[Cam, ...] = ()
    source: Mapping[str, Any] | None = None  # the document that it was read from: where its numbers came from

    def __post_init__(self) -> None:
        for what in (*PARTS, "rods", "cams", "devices", "designs"):
            object.__setattr__(self, what, tuple(getattr(self, what)))
        if self.coordinates is not None:
            object.__setattr__(self, "coordinates", tuple(self.coordinates))
        object.__setattr__(self, "gravity", frozen_array(self.gravity, (3,), "gravity"))
        if problems := reference_problems(self):
            raise MechanismError(problems, f"mechanism '{self.name}'")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is doubtful in it, each with its place, in the units of its file."""
        return doubts(self)

    @property
    def carried(self) -> bool:
        """Whether its ground moves: a chassis as inputs say, or the track of a disc on the floor."""
        return self.chassis == "moving" or self.contact is not None

    @property
    def connections(self) -> tuple[Joint | Rod, ...]:
        """Joints and rods."""
        return (*self.joints, *self.rods)

    @cached_property
    def held(self) -> tuple[HeldRow, ...]:
        """What it holds besides its joints: rods first, then couplings, constraints and followers on cams."""
        cams = (row for cam in self.cams for row in cam.rows(self))
        return (*held_rows(self.rods, self.couplings, self.constraints), *cams)

    @cached_property
    def read(self) -> tuple[ReadMeasure, ...]:
        """The measures that are outputs: those of the file, and what cams tell of themselves."""
        return (*self.measures, *(read for cam in self.cams for read in cam.read(self)))

    @property
    def elements(self) -> tuple[Spring | Damper | ConstantForce, ...]:
        """Springs, dampers and constant forces."""
        return (*self.springs, *self.dampers, *self.forces)

    @property
    def acting(self) -> tuple[Measure, ...]:
        """What springs, dampers, constant forces, bushings and devices act on, in the order of the FMU's elements.

        Bushings between the same bodies with the same axes turn alike; their rotations are named after the first.
        """
        first = {b.name: self._turning_like(b).name for b in self.bushings}
        bushings = (BushingDeflection(b.name if i < 3 else first[b.name], i) for b in self.bushings for i in range(6))
        devices = (on for device in self.devices for _, on in device.on)
        return (*(element.on for element in self.elements), *bushings, *devices)

    def _turning_like(self, bushing: Bushing) -> Bushing:
        """The first bushing with the same rotation."""
        bodies = bushing.parent, bushing.child
        return next(b for b in self.bushings if (b.parent, b.child) == bodies and (b.R == bushing.R).all())

    @property
    def stiff_coordinates(self) -> tuple[JointCoordinate, ...]:
        """The deflections of all stiff directions, joint by joint; `topology.stiff` has their rates in this order."""
        return tuple(JointCoordinate(j.name, i) for j in self.joints for i in j.stiff)

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return next(j for j in self.joints if j.name == name)

    def cam(self, name: str) -> Cam:
        """The cam joint of that name."""
        return next(cam for cam in self.cams if cam.name == name)

    def bushing(self, name: str) -> Bushing:
        """The bushing of that name."""
        return next(b for b in self.bushings if b.name == name)

    def marker(self, name: str) -> Marker:
        """The marker of that name."""
        return next(m for m in self.markers if m.name == name)

    @property
    def frames(self) -> tuple[Marker, ...]:
        """What is tabulated: the markers, and one at the centre of each wheel where there is none."""
        own = (Marker(f"wheel.{w.name}", w.body, w.centre) for w in self.wheels if self.marker_of(w) is None)
        return (*self.markers, *own)

    def marker_of(self, wheel: Wheel) -> Marker | None:
        """A marker at the centre of a wheel, on its carrier; None if there is none."""
        at = (m for m in self.markers if m.body == wheel.body and (m.p == wheel.centre).all())
        return next(at, None)

    def wheel(self, name: str) -> Wheel:
        """The wheel of that name."""
        return next(w for w in self.wheels if w.name == name)
