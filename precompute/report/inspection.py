"""What `kinetab check` has to say about a mechanism, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from precompute.coordinates.decouple import Dependence, loop_dependence
from precompute.coordinates.independent import Coordinates
from precompute.coordinates.ranking import Ranked
from precompute.coordinates.selection import Selection, select
from precompute.coordinates.solving_order import solving_order
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.poses import Poses
from precompute.mechanism_file import coordinates_text
from precompute.model.doubts import idle_rates
from precompute.model.mechanism import Coordinate, Measure, Mechanism
from precompute.pipeline import survey, variants_of
from precompute.reduction.wheel_motion import left_out
from precompute.report.axle_report import AxleReport, axle_reports
from precompute.report.bushing_report import StiffReport, stiff_reports
from precompute.report.coordinate_report import CoordinateReport, coordinate_reports
from precompute.report.expansion_report import ExpansionReport, expansion_report
from precompute.report.load_report import LoadReport, load_report
from precompute.report.loop_report import (
    ArcReport,
    LoopReport,
    StepReport,
    loop_reports,
    rank,
    step_reports,
    tree_report,
)
from precompute.tables.table_size import TableSize, planned_size
from precompute.threads import one_thread
from precompute.units import Units
from precompute.variants.telling import DesignReport, design_reports

MANY_LOOPS = 10
"""With more loops a ranking of coordinates that the file has named takes longer than all the rest."""


@dataclass(frozen=True)
class Connected:
    """A measure that an element is connected to."""

    symbol: str
    of: str  # what it is, as names of columns have it
    unit: str
    at_design: float
    pushed: bool  # whether a force acts on it


@dataclass(frozen=True)
class ElementReport:
    """An element with formulas."""

    name: str
    on: tuple[Connected, ...]
    states: tuple[tuple[str, float, str], ...]  # name, start, unit
    unknowns: tuple[str, ...]
    loads: tuple[str, ...]  # symbol = what it is
    inputs: tuple[tuple[str, float, str], ...]  # name, start, unit

    def text(self, units: Units) -> str:
        """In a line, measures in the units of the file."""
        told = [f"{c.symbol} = {c.of}, {units.told(c.unit).text(c.at_design)}" for c in self.on]
        told = ["; ".join(told) or "on nothing"]
        if pushed := [c.symbol for c in self.on if c.pushed]:
            told.append(f"force{'s' * (len(pushed) > 1)} on {', '.join(pushed)}")
        for noun, items in (("state", self.states), ("input", self.inputs)):
            if items:
                told.append(f"{noun}{'s' * (len(items) > 1)} {', '.join(map(_with_start, items))}")
        if self.loads:
            told.append(f"load{'s' * (len(self.loads) > 1)} {', '.join(self.loads)}")
        if self.unknowns:
            told.append(f"unknown{'s' * (len(self.unknowns) > 1)} {', '.join(self.unknowns)}")
        return f"{self.name}: {'; '.join(told)}"


def _with_start(item: tuple[str, float, str]) -> str:
    name, start, unit = item
    return f"{name} = {start:.6g}" + f" {unit}" * (unit not in ("", "1"))


@dataclass(frozen=True)
class Report:
    """All of it."""

    name: str
    axles: tuple[AxleReport, ...]  # what a suspension engineer reads first
    bodies: tuple[str, ...]
    mass: float
    gravity: tuple[float, ...]
    dof: int
    joint_freedoms: int
    equations: int
    rank: int
    reference_length: float
    given_gap: float  # the largest loop gap of the design as given [m]
    closed_by: str  # how it was closed, if it was open
    tree: tuple[ArcReport, ...]  # each after its base
    loops: tuple[LoopReport, ...]  # in solving order
    steps: tuple[StepReport, ...]  # blocks of their equations, each after those that it needs
    notes: tuple[str, ...]
    warnings: tuple[str, ...]  # what is doubtful in the mechanism
    reason: str
    condition: float  # at design
    coordinates: tuple[CoordinateReport, ...]
    chassis: str  # fixed or moving
    driven: tuple[str, ...]  # coordinates whose motion is an input
    stiff: tuple[StiffReport, ...]  # joints with stiff directions
    expansion: ExpansionReport | None  # their static deflections
    elements: tuple[ElementReport, ...]  # what the file describes by formulas
    loads: LoadReport
    charts: tuple[str, ...]  # what covers the motion, in its order, where one set of coordinates does not
    designs: tuple[DesignReport, ...]  # parameters that change the mechanism while the FMU runs
    blocks: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]  # coordinates, and the bodies that depend on just them
    size: TableSize  # of the tables, as expected before they are made
    paste: str  # coordinates and ranges that were chosen, as text for the file; empty if it gives all
    problems: tuple[str, ...]  # ranges that cannot be swept, as `bake` would say
    ranking: tuple[Ranked, ...]  # sets of coordinates over the whole motion, best first
    chosen: tuple[str, ...]  # labels of the set that is used
    units: Units  # of the file, in which it is told; numbers are in SI

    def __str__(self) -> str:
        from precompute.report.report_text import text  # which says this in words

        return text(self)

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints, all in SI: the units of the file are left out."""
        values = asdict(self)
        for told in (values, *values["coordinates"]):
            del told["units"]
        return values


def ranked(coordinates: Coordinates, design: Configuration) -> Selection:
    """The ranking over the whole motion, with the coordinates of the file in it if they were named."""
    if coordinates.selection is not None:
        return coordinates.selection
    c = coordinates.closure
    return select(c.mechanism, c.topology, design.q, len(coordinates.free), named=coordinates.free)


def chart_line(coordinates: Coordinates) -> str:
    """The coordinates of a chart with their ranges."""
    return ", ".join(
        f"{c.name} from {coordinates.shown(k, float(c.lower or 0.0))} to {coordinates.shown(k, float(c.upper or 0.0))}"
        for k, c in enumerate(coordinates.free)
    )


def inspect(mechanism: Mechanism) -> Report:
    """Everything short of the sweep.

    Raises:
        PrecomputeError: it cannot be assembled, cannot move, or the coordinates do not fit.
    """
    return inspect_drawable(mechanism)[0]


@one_thread
def inspect_drawable(
    mechanism: Mechanism, everything: bool = True
) -> tuple[Report, tuple[Coordinates, Configuration, Selection | None]]:
    """The report, and what a picture of the choice of coordinates is made from.

    Unless everything is asked for, named coordinates of a mechanism with many loops are not ranked among others.
    """
    found = survey(mechanism)
    design, layout = found.design, found.layouts[0]
    coordinates = found.atlas.pieces[0].coordinates
    topology = coordinates.closure.topology
    dependence, samples = layout.dependence, layout.samples
    said = *on_disc(mechanism), *topology.notes, *idle_rates(mechanism)
    order = solving_order(coordinates.closure, samples)
    closure = Closure(mechanism, topology)
    rank_it = everything or coordinates.selection is not None or topology.n_loops <= MANY_LOOPS
    selection = ranked(coordinates, design) if rank_it else None
    phi_q = closure.matrix(closure.poses(design.q)) * closure.rate_weight
    silent = left_out(mechanism, found.atlas.named)
    report = Report(
        name=mechanism.name,
        axles=axle_reports(mechanism),
        bodies=tuple(b.name for b in mechanism.bodies),
        mass=sum(b.mass for b in mechanism.bodies),
        gravity=tuple(mechanism.gravity.tolist()),
        dof=len(coordinates.free),
        joint_freedoms=topology.nv,
        equations=phi_q.shape[0],
        rank=rank(phi_q),
        reference_length=closure.length,
        given_gap=design.given_gap,
        closed_by=design.way,
        tree=tree_report(mechanism, topology),
        loops=loop_reports(closure, phi_q, loop_dependence(coordinates, samples), order, coordinates.names),
        steps=step_reports(closure, order, coordinates.names),
        notes=tuple(note for note in (*said, found.note, silent) if note),
        warnings=mechanism.warnings,
        reason=coordinates.reason,
        condition=coordinates.condition,
        coordinates=coordinate_reports(coordinates, design),
        chassis=mechanism.chassis,
        driven=tuple(c.name for c in coordinates.free if c.driven),
        stiff=stiff_reports(mechanism),
        expansion=expansion_report(mechanism, coordinates, layout.columns.fields, design),
        elements=element_reports(mechanism, closure.poses(design.q)),
        loads=load_report(mechanism, topology, dependence, layout.columns),
        charts=tuple(chart_line(p.coordinates) for p in found.atlas.pieces) if len(found.atlas.pieces) > 1 else (),
        designs=design_reports(variants_of(found)),
        blocks=blocks(mechanism, dependence, coordinates.names),
        size=planned_size(layout.columns),
        paste=chosen_text(mechanism, found.resolved),
        problems=found.problems,
        ranking=selection.ranking if selection else (),
        chosen=labels_of(selection, coordinates.free) if selection else (),
        units=mechanism.units,
    )
    return report, (coordinates, design, selection)


def element_reports(mechanism: Mechanism, P: Poses) -> tuple[ElementReport, ...]:
    """Of all elements with formulas, at the poses of the design."""
    return tuple(
        ElementReport(
            name=device.name,
            on=tuple(
                Connected(
                    symbol=symbol,
                    of=owner(mechanism, on),
                    unit=on.unit(mechanism),
                    at_design=float(on.value(P)),
                    pushed=on in device.pushed,
                )
                for symbol, on in device.on
            ),
            states=tuple((state.name, state.start, state.unit) for state in device.states),
            unknowns=tuple(unknown.name for unknown in device.unknowns),
            loads=tuple(f"{load.name} = {load.load}" for load in device.loads),
            inputs=tuple((given.name, given.value, given.unit) for given in device.inputs),
        )
        for device in mechanism.devices
    )


def owner(mechanism: Mechanism, on: Measure) -> str:
    """What an element is connected to, by the spring or damper that is there too, or in words."""
    shared = [(f"spring {s.name}", s.on) for s in mechanism.springs]
    shared += [(f"damper {d.name}", d.on) for d in mechanism.dampers]
    return next((name for name, other in shared if other.same(on)), on.name)


def chosen_text(mechanism: Mechanism, resolved: Mechanism) -> str:
    """What was chosen of coordinates and ranges that the file leaves open, as text to paste into it; or nothing.

    Where charts cover all of a motion there is no range.
    """
    given = mechanism.coordinates
    if given is not None and all(c.lower is not None for c in given):
        return ""
    free = resolved.coordinates or ()
    if given is not None:  # only those that lack a range, and have one now
        lack = [c.name for c in given if c.lower is None]
        free = tuple(c for c in free if c.name in lack and c.lower is not None)
    return coordinates_text(mechanism, free)


def labels_of(selection: Selection, free: tuple[Coordinate, ...]) -> tuple[str, ...]:
    """How the ranking writes the coordinates that are used."""
    found = {c.label: c.coordinate.of for members in selection.members for c in members}
    return tuple(next(label for label, of in found.items() if of == c.of) for c in free)


def on_disc(mechanism: Mechanism) -> Iterator[str]:
    """What a disc on the floor makes of all else."""
    contact = mechanism.contact
    if contact is not None:
        how = "rolls without slip" if contact.kind == "rolling" else "slides without friction"
        yield (
            f"the disc of joint '{contact.name}' {how} on the floor: all here is seen from its track, which takes the "
            "place of the ground; the FMU has heading, x and y as coordinates besides, on which no table depends"
        )


def blocks(
    mechanism: Mechanism, dependence: Dependence, names: tuple[str, ...]
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Bodies by the coordinates that they depend on, fewest coordinates first."""
    own = [set(axes) - set(dependence.spun(i)) for i, axes in enumerate(dependence.bodies)]
    depends = [tuple(sorted(k for k in axes if k < dependence.nf)) for axes in own]
    order = sorted(set(depends), key=lambda axes: (len(axes), axes))
    members = {a: [b.name for b, d in zip(mechanism.bodies, depends, strict=True) if d == a] for a in order}
    return tuple((tuple(names[k] for k in axes), tuple(members[axes])) for axes in order)
