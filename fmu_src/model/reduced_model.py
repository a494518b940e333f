"""The reduced model: everything the run-time needs, as data.

A chart describes the mechanism over one set of independent coordinates z: the nf axes of the chart (large motions) and
then the ns stiff coordinates (small deflections, zero at design), which have no axis.  What the equations need are
rows, numbered as `rows.py` says: inertia, first moment, measures, markers.  A row is a sum of terms

    spline(z_1 .. z_nf) * m(d),   m = 1,   d_i,   d_i d_j   or   d_i d_j d_k,   i <= j <= k                   (1)

with d the deflections counted from where they are expanded about, and what Taylor's formula divides by in the spline.
Splines over the same axes with the same knots form a block.  Rows
are taken in chunks of eight, and so are the columns of a block: a cell is eight columns, one for each row of a chunk,
with the same factors; columns of zeros fill it up.  So a block is read from front to back, without an index.  What is
constant forms a block without axes, and what grows by a fixed amount per turn of a periodic axis (a joint angle) is a
slope of its own.

Where no single set of coordinates serves the whole motion there are several charts, each with its own coordinates and
tables, overlapping at their borders.  The model's coordinates are then rows too, and so are, at each border, those of
the chart that takes over.

The equations of motion are the exact mechanics of these interpolants, for a fixed ground:

    J zdd + sum_ij (d_j J_ki - 1/2 d_k J_ij) zd_i zd_j = Q
    Q = (dS/dz)^T g + sum_laws (ds/dz)^T f + sum_ports ((dr/dz)^T F + A^T M) + Q_input

where forces of devices, which may have states of their own, are among those of laws; with S the first moment of all
masses [kg m], whose gradient is the linear part of the chassis block of the inertia.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .devices import Device
from .factors import Array, expanded
from .rows import Rows
from .tracks import TrackInfo
from .units import DisplayUnit, effort_of

IntArray = NDArray[np.int64]

SCHEMA = 21
"""Version of the model file; a change of meaning of any field below raises it."""

FACTORS = 3
"""Most deflections that multiply a column: the highest Taylor order."""


@dataclass(frozen=True)
class Axis:
    """One independent coordinate as a table axis."""

    name: str
    unit: str  # "rad" or "m"
    lower: float
    upper: float
    periodic: bool
    outside: Literal["error", "linear"]
    told: DisplayUnit | None = None  # in which messages have its numbers; None: `unit`
    told_effort: DisplayUnit | None = None  # and the forces on it; None: that of SI

    @property
    def words(self) -> DisplayUnit:
        """The unit of messages."""
        return self.told or DisplayUnit(self.unit, 1.0)

    @property
    def effort(self) -> DisplayUnit:
        """The same of forces on it."""
        return self.told_effort or DisplayUnit(effort_of(self.unit), 1.0)


@dataclass(frozen=True, eq=False)
class Changes:
    """What a block is more with other values of design parameters, see `designs`; of the cells that they change."""

    cells: IntArray  # (n, 2) number of a cell, number of a product of design parameters; ascending
    core: Array  # (r_1, ..., r_nb, 8 n) eight columns for each
    bases: tuple[Array, ...] = ()  # as those of the block

    @cached_property
    def coefficients(self) -> Array:
        """(n_1, ..., n_nb, 8 n)."""
        return expanded(self.core, self.bases)


@dataclass(frozen=True, eq=False)
class Block:
    """Splines over the same axes, at most three, with the same knots; in cells of eight columns."""

    axes: tuple[int, ...]  # which axes of the chart, ascending; none for constants
    knots: tuple[Array, ...]  # per axis (n + degree + 1,) of the B-spline with n coefficients along it
    cells: IntArray  # (nc, 1 + FACTORS) first of its eight rows; the deflections that multiply it, then -1
    core: Array  # (r_1, ..., r_nb, 8 nc)
    bases: tuple[Array, ...] = ()  # per axis (n_k, r_k), or none: then the core is the coefficients
    changes: Changes | None = None  # None: design parameters, if there are any, change nothing

    @cached_property
    def coefficients(self) -> Array:
        """(n_1, ..., n_nb, 8 nc) of its splines."""
        return expanded(self.core, self.bases)

    @property
    def degree(self) -> int:
        """Of its splines, the same along all axes; 0 without axes."""
        return self.knots[0].size - len(self.bases[0] if self.bases else self.core) - 1 if self.axes else 0


@dataclass(frozen=True)
class Slope:
    """A part of a row that grows by a fixed slope: slope * (z[axis] - reference), whatever the deflections."""

    row: int
    axis: int
    slope: float
    reference: float


@dataclass(frozen=True)
class ColumnError:
    """Certificate of one column: largest errors found against freshly solved configurations, and where."""

    column: str
    scale: float  # what value errors are relative to
    value_error: float  # relative
    value_at: tuple[float, ...]  # (nz,) the z where it occurs
    slope_error: float  # relative, largest over the nz first derivatives
    slope_at: tuple[float, ...]


@dataclass(frozen=True)
class Certificate:
    """What was measured about the tables."""

    tolerance: float  # asked; values within it, first derivatives within ten times it, see `motion_tolerance`
    axes: tuple[tuple[str, ...], ...]  # per block that was fitted, the names of its axes,
    nodes: tuple[tuple[int, ...], ...]  # and how many nodes there are along each
    points: int  # how many fresh configurations were compared
    worst_condition: float  # of the loop equations with the independent coordinates
    columns: tuple[ColumnError, ...]

    @property
    def motion_tolerance(self) -> float:
        """What is promised of motions: forces come from first derivatives."""
        return 10.0 * self.tolerance


@dataclass(frozen=True)
class Border:
    """Where a chart hands over to another: when z[axis] goes beyond `at`."""

    axis: int
    upper: bool  # beyond means above
    at: float  # inside the table, so that a step across it stays inside
    chart: int  # number of the chart that takes over
    offset: tuple[float, ...]  # (nz,) added to the rows of the border to give the coordinates of that chart
    lap: int  # added to the number of times that the motion has gone all round


@dataclass(frozen=True, eq=False)
class Chart:
    """Tables over one set of independent coordinates."""

    axes: tuple[Axis, ...]  # nf of them
    rows: Rows
    blocks: tuple[Block, ...]
    slopes: tuple[Slope, ...]
    borders: tuple[Border, ...]
    certificate: Certificate


@dataclass(frozen=True)
class CoordinateInfo:
    """One independent coordinate, as the outputs show it and forces act on it."""

    name: str
    unit: str  # "rad" or "m"
    description: str
    lap: float = 0.0  # how much it grows each time the motion goes all round
    driven: Literal["no", "direct", "filtered"] = "no"  # its motion is an input: with rate and acceleration, or alone
    filter_time: float = 0.0  # [s] time constant of the filter, if filtered


@dataclass(frozen=True)
class StiffInfo:
    """A stiff coordinate: a small deflection of a joint, held by bushings, or by a film."""

    name: str  # e.g. "lca_mount.x"
    unit: str  # "rad" or "m"
    radius: float  # so far from `about` they are within the tolerance asked for them, measured against exact solutions
    description: str
    tolerance: float = 1e-3  # that was asked
    told: DisplayUnit | None = None  # as that of an axis,
    told_effort: DisplayUnit | None = None  # and this too
    about: float = 0.0  # the deflection that tables are expanded about
    floats: bool = False  # on a film, which holds nothing at rest: searches for an equilibrium leave it where it is

    @property
    def words(self) -> DisplayUnit:
        """The unit of messages."""
        return self.told or DisplayUnit(self.unit, 1.0)

    @property
    def effort(self) -> DisplayUnit:
        """The same of forces on it."""
        return self.told_effort or DisplayUnit(effort_of(self.unit), 1.0)

    @property
    def lower(self) -> float:
        """The least deflection that is within the tolerance."""
        return self.about - self.radius

    @property
    def upper(self) -> float:
        """The largest one."""
        return self.about + self.radius

    def share(self, deflection: float) -> float:
        """How far a deflection is from where tables are expanded about, over the radius."""
        return abs(deflection - self.about) / self.radius


@dataclass(frozen=True)
class StartInfo:
    """Start values along one axis of the first chart, or of a stiff coordinate."""

    value: float
    rate: float
    description: str


@dataclass(frozen=True)
class Parameter:
    """A number that may be changed while the FMU runs."""

    name: str  # e.g. "spring.shock.k"
    value: float
    unit: str
    description: str
    minimum: float | None = None


@dataclass(frozen=True)
class Law:
    """A force law: its argument, the side of it that counts, and the curve over that, as `law_parts` lists them."""

    argument: str
    side: str
    curve: str
    parameters: tuple[int, ...]  # of the curve, in its order: indices into ReducedModel.parameters
    reference: int | None = None  # the parameter s_ref of the argument; None: it is `design`, or zero
    preload: int | None = None  # the parameter p of a law that is given by its force at design
    design: float | None = None  # value of the measure at design, where it matters

    @property
    def all_parameters(self) -> tuple[int, ...]:
        """With reference and preload, ascending."""
        own = (*self.parameters, self.reference, self.preload)
        return tuple(sorted(i for i in own if i is not None))


@dataclass(frozen=True)
class Element:
    """A spring, a damper or one direction of a bushing: laws that act on one measure, e.g. a spring with its stops.

    Or, without laws, a measure that a device is connected to.
    """

    name: str  # e.g. "spring.shock" or "bushing.lca_front"
    unit: str  # of the measure, "rad" or "m"
    laws: tuple[Law, ...]
    lap: float = 0.0  # how much the measure grows each time the motion goes all round
    direction: int = 0  # 1 to 6 of a bushing: translations along, then rotations about its own axes; 0 for all else


@dataclass(frozen=True)
class Coupling:
    """An off-diagonal entry of a bushing: f_a -= k s_b + c sdot_b and f_b -= k s_a + c sdot_a."""

    a: int  # elements
    b: int
    stiffness: int  # parameters
    damping: int


@dataclass(frozen=True)
class MarkerInfo:
    """A frame on a body whose motion is an output."""

    name: str
    spin_axis: tuple[float, float, float] | None  # in marker axes, points outboard
    spin_design: tuple[float, float, float] | None  # the same at design, in ground axes; None where spin_axis is
    shown: bool = True  # unless it is there for a wheel alone


@dataclass(frozen=True)
class PortInfo:
    """A marker that accepts a force and a moment in ground axes."""

    name: str
    marker: int  # index into ReducedModel.markers
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)  # start value of the input [N]
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)  # start value of the input [N m]


@dataclass(frozen=True)
class BallInfo:
    """A point of the steering axis of a wheel."""

    carried: bool  # fixed to the carrier, otherwise to the ground
    at: tuple[float, float, float]  # from the wheel's centre in marker axes, or from the origin in ground axes [m]


@dataclass(frozen=True)
class RatioInfo:
    """A motion ratio: change of the measure of an element per travel of a wheel."""

    element: int  # index into ReducedModel.elements
    sign: float  # -1 where a smaller value is pressed, 1 where a greater one is


@dataclass(frozen=True)
class WheelInfo:
    """A disc on a marker at its centre: its contact with a road, the loads there, what is read of it."""

    name: str
    marker: int  # index into ReducedModel.markers
    spin_axis: tuple[float, float, float]  # unit, in marker axes; points to the left of the vehicle on both sides
    side: Literal["left", "right"]
    radius: float  # [m]
    centre: tuple[float, float, float]  # at design, in ground axes [m]
    axes: tuple[tuple[float, float, float], ...]  # forward, left and up of the vehicle, in ground axes
    road: float  # [m] start value of the input: along up, where the road is that the disc touches at design
    balls: tuple[BallInfo, ...] = ()  # lower and upper one that carry the wheel, or none
    ratios: tuple[RatioInfo, ...] = ()  # of what its travel moves
    steering: int | None = None  # coordinate that steers it, if its screw axis is known; one of ReducedModel.held
    spring: int | None = None  # index into elements: held while it is steered; None is its travel


@dataclass(frozen=True)
class MeasureInfo:
    """A measure whose value and rate are outputs."""

    name: str
    unit: str  # "rad" or "m"
    description: str  # what it measures
    lap: float = 0.0  # how much it grows each time the motion goes all round
    owner: str = "measure"  # begins the names of its outputs


@dataclass(frozen=True)
class LoadInfo:
    """What is read on request: a load of a joint or rod, or a component of the acceleration of a marker."""

    name: str  # e.g. "joint.lower_ball.F[1]"
    unit: str
    description: str
    factor: float = 1.0  # -1 of a rod, whose tension pulls against its lengthening
    acceleration: bool = False


@dataclass(frozen=True)
class ContactInfo:
    """A follower that a cam can only press: its normal force is watched, on both sides of the profile's borders."""

    name: str  # of the joint
    load: int  # its normal force, index into ReducedModel.loads
    axis: int  # the axis of the only chart that turns the cam
    borders: tuple[float, ...]  # values of that where the profile begins another piece; of a periodic one within a turn


@dataclass(frozen=True)
class DesignInfo:
    """A design variable of the mechanism that is a parameter of the FMU: how much it is changed."""

    name: str
    of: str  # e.g. "point.outer.z"
    unit: str  # SI
    range: float  # so far from zero the tables were measured
    told: DisplayUnit  # in which messages have its numbers
    errors: tuple[float, float, float]  # largest found of it alone inside the range, of the kinds of `remainder`
    value: float = 0.0  # of this model


@dataclass(frozen=True)
class DesignNumber:
    """A number outside of the tables that design parameters change."""

    kind: str  # see `designs.PLACES`
    place: int
    part: int
    changes: tuple[float, ...]  # per product of design parameters


@dataclass(frozen=True, eq=False)
class ErrorRows:
    """Remainders of one kind and degree, see `remainder`."""

    kind: int  # 0 anything, relative; 1 lengths [m]; 2 angles [rad]
    degree: int
    coefficients: Array  # (nr, nb, nm) over functions of the axes and products of deflections


@dataclass(frozen=True, eq=False)
class ErrorModel:
    """From which the error of the tables is estimated at a state."""

    functions: IntArray  # (nb, nf) of each axis, by number
    rows: tuple[ErrorRows, ...]
    splines: tuple[float, float, float]  # errors of the splines without deflection, by kind
    spline_slopes: Array  # (3, ns) what they are more with a deflection as large as its radius


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """The model that the FMU runs."""

    name: str
    description: str
    source_hash: str  # sha256 of the mechanism
    coordinates: tuple[CoordinateInfo, ...]  # nz
    charts: tuple[Chart, ...]  # one has the coordinates as its axes
    starts: tuple[
        StartInfo, ...
    ]  # nz: the axes of the first chart, where the motion starts, then the stiff coordinates
    stiff: tuple[StiffInfo, ...]  # ns
    quasistatic: bool  # stiff coordinates have no inertia and follow the forces at once
    moving: bool  # the ground is a chassis whose twist, its rate and gravity are inputs
    mass: float  # [kg] of all bodies
    gravity: tuple[int, int, int]  # indices into parameters
    parameters: tuple[Parameter, ...]
    elements: tuple[Element, ...]
    couplings: tuple[Coupling, ...]
    markers: tuple[MarkerInfo, ...]
    ports: tuple[PortInfo, ...]
    stop_time: float  # [s]
    step_size: float  # [s] default communication step
    mechanism: dict[str, Any]  # the mechanism file's content, so that an FMU can be verified on its own
    method: Literal["rk4", "midpoint"] = "rk4"  # of the integrator
    measures: tuple[MeasureInfo, ...] = ()  # that are read
    errors: ErrorModel | None = None  # of the tables; None where that is not known
    cardans: tuple[int, ...] = ()  # bushings with moments about axes, see `cardan`: the first of their six elements
    wheels: tuple[WheelInfo, ...] = ()
    loads: tuple[LoadInfo, ...] = ()  # that are read on request, then accelerations
    held: tuple[int, ...] = ()  # coordinates that are held while wheels travel; none unless these and travels are all
    solver_step: float = 0.0  # [s] longest step of the integrator, where that must be shorter than step_size; else 0
    step_note: str = ""  # why
    devices: tuple[Device, ...] = ()  # what the file describes by formulas
    designs: tuple[DesignInfo, ...] = ()  # parameters that change the mechanism itself, see `designs`
    design_numbers: tuple[DesignNumber, ...] = ()  # what these change besides tables
    designs_together: tuple[float, float, float] = (0.0, 0.0, 0.0)  # as errors of one, where all are at their ends
    contacts: tuple[ContactInfo, ...] = ()
    track: TrackInfo | None = None  # a disc on the floor, in whose track the tables are

    @property
    def carried(self) -> bool:
        """Whether the mechanism's ground may move, so that tables have N and I."""
        return self.moving or self.track is not None

    @property
    def unforced(self) -> int:
        """How many of the last coordinates take no generalized force: x and y of a disc on the floor."""
        return 0 if self.track is None else 2

    @property
    def loaded(self) -> tuple[int, ...]:
        """Markers where forces act, of ports and then of wheels, each once."""
        return tuple(dict.fromkeys((*(p.marker for p in self.ports), *(w.marker for w in self.wheels))))

    @property
    def longest_step(self) -> float:
        """Of the integrator [s], by default."""
        return self.solver_step or self.step_size

    @property
    def certificate(self) -> Certificate:
        """What was measured about the tables of all charts."""
        parts = [chart.certificate for chart in self.charts]
        return Certificate(
            tolerance=max(part.tolerance for part in parts),
            axes=tuple(axes for part in parts for axes in part.axes),
            nodes=tuple(nodes for part in parts for nodes in part.nodes),
            points=sum(part.points for part in parts),
            worst_condition=max(part.worst_condition for part in parts),
            columns=tuple(row for part in parts for row in part.columns),
        )
