"""The fields: which scalar functions of the independent coordinates the run-time needs, and their exact derivatives.

    inertia.a*b.J[a,b]   reduced inertia of the bodies that depend on the table axes a and b
    moment.a*b[i]        first moment of their masses (its gradient times gravity is the generalized weight)
    momentum.a*b.N[i,a]  their momentum per unit rate of a: angular about the ground's origin (1-3), linear (4-6), and
    tensor.a*b[ij]       their inertia tensor about it; both only if the ground moves
    measure.*            what springs, dampers and bushings act on, or what is read or watched
    measure.*/a          slope of a watched measure along a
    marker.M.r[i]        position;   marker.M.R[i,j] rotation;   marker.M.A[i,a] angular velocity per unit rate of a
    load.*, acceleration.*     what is read on request; see `load_fields`

A field depends on some table axes and on some stiff coordinates; in these the tables hold its Taylor polynomial of the
field's order, about the deflections at which configurations are swept: none, or those of the static equilibrium.  J,
momentum and first moment are sums over groups of bodies that depend on the same axes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import NamedTuple

from fmu_src.model.rows import LoadPlaces
from precompute.coordinates.decouple import Axes, Dependence
from precompute.coordinates.load_dependence import loaded_frames
from precompute.model.cams import rolls
from precompute.model.mechanism import Marker, Measure, Mechanism
from precompute.tables.loads.load_fields import (
    TENSOR,
    AccelerationFields,
    LoadFields,
    LoadPlan,
    acceleration_sums,
    load_sums,
)

EXACT, EXACT_OF_RATES = 2, 1
"""Order up to which derivatives are exact: of what positions make; of inertia, momentum and A, made of velocities."""

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Field:
    """A scalar function of the independent coordinates."""

    name: str
    axes: Axes  # table axes that it depends on, ascending
    stiff: Axes  # stiff coordinates that it depends on, numbered from 0, ascending
    order: int  # of its polynomial in them
    exact: int  # order up to which its derivatives are exact; the next one is that of differences
    winding: bool = False  # may grow by whole turns per turn of a periodic axis
    group: int = -1  # whose inertia or moment it is
    request: bool = False  # it is read on request: its slopes along axes are not needed, nor do they count elsewhere
    rolling: bool = False  # may grow by any amount per turn of a periodic axis


@dataclass(frozen=True)
class Group:
    """Bodies that depend on the same table axes; their inertia is one field each."""

    axes: Axes
    bodies: Numbers  # from 0
    depends: Axes  # coordinates that some of them depend on, stiff ones too
    spun: Axes = ()  # of these, on which their masses do not depend: they turn about an axis of revolution


class MarkerFields(NamedTuple):
    """Numbers of the fields of a marker."""

    r: Numbers
    R: Numbers  # row by row
    A: Numbers  # row by row


@dataclass(frozen=True)
class Fields:
    """All fields.  Index fields below are numbers of fields."""

    nf: int  # table axes
    ns: int  # stiff coordinates
    items: tuple[Field, ...]
    groups: tuple[Group, ...]
    inertia: tuple[tuple[Numbers, ...], ...]  # (nz, nz): fields, one per group, whose sum is J_ij
    moment: tuple[Numbers, ...]  # (3,) the same of S_i
    momentum: tuple[tuple[Numbers, ...], ...]  # (6, nz) the same of N; () if the ground is fixed
    tensor: tuple[Numbers, ...]  # (6,) the same; () if the ground is fixed
    measures: tuple[tuple[Measure, int], ...]
    slopes: tuple[tuple[Measure, Numbers], ...]  # of watched measures: their nz slopes
    markers: tuple[MarkerFields, ...]
    loads: tuple[LoadFields, ...] = ()
    accelerations: tuple[AccelerationFields, ...] = ()

    @cached_property
    def inertial(self) -> tuple[int, ...]:
        """Fields of inertia and momentum."""
        sums = [part for row in (*self.inertia, *self.momentum) for part in row]
        return tuple(sorted({f for part in (*sums, *self.tensor) for f in part}))

    @property
    def of_motion(self) -> Fields:
        """Without those that are read on request, which come last: numbers of the others stay."""
        count = sum(not field.request for field in self.items)
        return replace(self, items=self.items[:count], loads=(), accelerations=())

    def find(self, measure: Measure) -> int:
        """The field of a measure."""
        return next(number for known, number in self.measures if known.same(measure))

    def find_slopes(self, measure: Measure) -> Numbers:
        """The fields of the nz slopes of a watched measure."""
        return next(numbers for known, numbers in self.slopes if known.same(measure))


class Planner:
    """Collects fields and hands out their numbers."""

    def __init__(self, mechanism: Mechanism, names: tuple[str, ...], dependence: Dependence) -> None:
        self.mechanism, self.names, self.dependence, self.nf = mechanism, names, dependence, dependence.nf
        self.items: list[Field] = []

    def add(
        self, name: str, depends: Axes, order: int, winding: bool = False, group: int = -1, exact: int = EXACT
    ) -> int:
        """Number of a new field that depends on these coordinates."""
        axes = tuple(sorted(k for k in depends if k < self.nf))
        stiff = tuple(sorted(k - self.nf for k in depends if k >= self.nf))
        self.items.append(Field(name, axes, stiff, order if stiff else 0, exact, winding, group))
        return len(self.items) - 1

    def add_measure(self, name: str, on: Measure, depends: Axes, order: int) -> int:
        """The same of one that is a measure."""
        number = self.add(name, depends, order, on.is_angle(self.mechanism))
        self.items[number] = replace(self.items[number], rolling=rolls(self.mechanism, on))
        return number

    def add_request(self, name: str, depends: Axes, order: int, exact: int = EXACT_OF_RATES) -> int:
        """The same of one that is read on request."""
        number = self.add(name, depends, order, exact=exact)
        self.items[number] = replace(self.items[number], request=True)
        return number

    def groups(self) -> tuple[Group, ...]:
        """Bodies by the table axes that they depend on, in the order in which they first occur.

        Bodies that rest count: they are part of the first moment, and of what a moving ground has to carry.
        """
        found: dict[tuple[Axes, Axes], list[int]] = {}
        for i, depends in enumerate(self.dependence.bodies):
            found.setdefault((tuple(k for k in depends if k < self.nf), self.dependence.spun(i)), []).append(i)
        return tuple(
            Group(axes, tuple(bodies), tuple(sorted({k for b in bodies for k in self.dependence.bodies[b]})), spun)
            for (axes, spun), bodies in found.items()
        )

    def add_sum(
        self, groups: tuple[Group, ...], name: str, order: int, moving: tuple[int, ...] = (), exact: int = EXACT
    ) -> Numbers:
        """One field for each group that depends on the coordinates `moving`; {} in the name stands for its axes."""
        names = [
            name.replace("{}", "*".join(self.names[k] for k in g.axes) or "-") + "'" * bool(g.spun) for g in groups
        ]
        return tuple(
            self.add(names[number], tuple(k for k in g.depends if k not in g.spun), order, group=number, exact=exact)
            for number, g in enumerate(groups)
            if set(moving) <= set(g.depends)
        )


def plan_fields(
    mechanism: Mechanism, names: tuple[str, ...], dependence: Dependence, watched: tuple[Measure, ...] = ()
) -> Fields:
    """Lay out the fields.

    Args:
        mechanism: whose springs, dampers, bushings and markers are tabulated.
        names: of the nz coordinates, table axes first; fields are named after them.
        dependence: which coordinates each body and measure depends on.
        watched: measures whose slopes are tabulated too.
    """
    plan, nz = Planner(mechanism, names, dependence), len(names)
    order, inertia_order = mechanism.tables.taylor, mechanism.tables.inertia
    groups = plan.groups()
    upper = {
        (i, j): plan.add_sum(groups, f"inertia.{{}}.J[{names[i]},{names[j]}]", inertia_order, (i, j), EXACT_OF_RATES)
        for i, j in combinations_with_replacement(range(nz), 2)
    }
    moment = tuple(plan.add_sum(groups, f"moment.{{}}[{i + 1}]", order) for i in range(3))
    momentum, tensor = moving_fields(plan, groups) if mechanism.carried else ((), ())
    acting = tuple(
        (on, plan.add_measure(f"measure.{measure_name(mechanism, on)}", on, depends, order))
        for on, depends in dependence.measures
    )
    slopes = tuple(
        (on, tuple(plan.add(f"measure.{measure_name(mechanism, on)}/{name}", depends, 0) for name in names))
        for on, depends in dependence.measures
        if any(on.same(other) for other in watched)
    )
    markers = marker_fields(plan, order)
    loads, accelerations = request_fields(plan)
    return Fields(
        nf=dependence.nf,
        ns=nz - dependence.nf,
        items=tuple(plan.items),
        groups=groups,
        inertia=tuple(tuple(upper[min(i, j), max(i, j)] for j in range(nz)) for i in range(nz)),
        moment=moment,
        momentum=momentum,
        tensor=tensor,
        measures=acting,
        slopes=slopes,
        markers=markers,
        loads=loads,
        accelerations=accelerations,
    )


def request_fields(plan: Planner) -> tuple[tuple[LoadFields, ...], tuple[AccelerationFields, ...]]:
    """Loads that are defined, and accelerations of markers that ask for them."""
    mechanism, dependence = plan.mechanism, plan.dependence
    own = LoadPlan(
        add=plan.add_request,
        names=plan.names,
        nf=plan.nf,
        moving=mechanism.chassis == "moving",
        inertia=mechanism.tables.inertia,
        forces=max(mechanism.tables.taylor - 1, 1),
        measure_name=lambda on: measure_name(mechanism, on),
        frames=mechanism.frames,
    )
    return (
        tuple(own.load(load, dependence.bodies) for load in dependence.loads),
        tuple(
            own.acceleration(number, dependence.body(mechanism, marker.body))
            for number, marker in enumerate(mechanism.frames)
            if marker.acceleration
        ),
    )


def request_rows(fields: Fields, mechanism: Mechanism, places: LoadPlaces) -> list[list[Numbers]]:
    """The fields that each row of each load is the sum of; then those of the components of accelerations."""
    acting, frames = mechanism.acting, loaded_frames(mechanism)
    loads = [load_sums(load, places, acting, frames) for load in fields.loads]
    return loads + [rows for own in fields.accelerations for rows in acceleration_sums(own, places)]


def moving_fields(
    plan: Planner, groups: tuple[Group, ...]
) -> tuple[tuple[tuple[Numbers, ...], ...], tuple[Numbers, ...]]:
    """Momentum (6, nz) and inertia tensor (6,) of the groups."""
    order = plan.mechanism.tables.inertia
    momentum = tuple(
        tuple(
            plan.add_sum(groups, f"momentum.{{}}.N[{i + 1},{name}]", order, (k,), EXACT_OF_RATES)
            for k, name in enumerate(plan.names)
        )
        for i in range(6)
    )
    tensor = tuple(
        plan.add_sum(groups, f"tensor.{{}}[{i + 1},{j + 1}]", order, exact=EXACT_OF_RATES) for i, j in TENSOR
    )
    return momentum, tensor


def marker_fields(plan: Planner, order: int) -> tuple[MarkerFields, ...]:
    """Position, rotation and angular Jacobian of all markers; those on a body with the same axes share the last two."""
    found: list[MarkerFields] = []
    known: list[tuple[Marker, MarkerFields]] = []
    for m in plan.mechanism.frames:
        depends = plan.dependence.body(plan.mechanism, m.body)
        r = tuple(plan.add(f"marker.{m.name}.r[{i + 1}]", depends, order) for i in range(3))
        alike = next((own for other, own in known if other.body == m.body and (other.R == m.R).all()), None)
        if alike is not None:
            found.append(alike._replace(r=r))
            continue
        R = [f"marker.{m.name}.R[{i + 1},{j + 1}]" for i in range(3) for j in range(3)]
        A = [f"marker.{m.name}.A[{i + 1},{k}]" for i in range(3) for k in plan.names]
        turned = tuple(plan.add(name, depends, order) for name in R)
        turning = tuple(plan.add(name, depends, max(order - 1, 1), exact=EXACT_OF_RATES) for name in A)
        found.append(MarkerFields(r, turned, turning))
        known.append((m, found[-1]))
    return tuple(found)


def measure_name(mechanism: Mechanism, on: Measure) -> str:
    """Name of the first spring, damper, force or element on a measure, or that which reads it; or what it measures."""
    springs = [f"spring.{s.name}" for s in mechanism.springs if s.on.same(on)]
    dampers = [f"damper.{d.name}" for d in mechanism.dampers if d.on.same(on)]
    read = [read.output for read in mechanism.read if read.of.same(on)]
    forces = [f"force.{f.name}" for f in mechanism.forces if f.on.same(on)]
    devices = [f"element.{d.name}.{symbol}" for d in mechanism.devices for symbol, own in d.on if own.same(on)]
    return (*springs, *dampers, *forces, *devices, *read, on.label)[0]
