"""The plan of a mechanism: all that is decided about it before its sweep, and no number.

Mechanisms with equal plans have the same coordinates, charts, columns and blocks.  What the plan holds follows from the
description, but for four things that are read off numbers, since no rule about the description would find them:

    coordinates     where the file names none: ranked over the whole motion (`selection`)
    charts          how many, and which coordinates lead over a dead centre; which axes go all round
    dependence      which coordinates move which body and measure, at scattered configurations (`decouple`)
    idle spins      whether a force acts on a link between two balls off their line (`spins`)

Not planned, since only the sweep tells: grids, columns that come out constant or zero, and with them the rows of the
model, their order, and the shape of the kernel; nor the part of the mechanism in which a block is solved.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass

from precompute.coordinates.charts import Atlas, Piece
from precompute.coordinates.load_dependence import LoadDependence, undefined_lines
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.topology import Topology
from precompute.model.mechanism import Mechanism
from precompute.planning.outline import Outline, outline
from precompute.tables.fields import measure_name
from precompute.tables.layout import Layout
from precompute.tables.tabulate import spline_degree

Names = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Survey:
    """What is found of a mechanism before its sweep, numbers and all."""

    mechanism: Mechanism
    design: Configuration
    atlas: Atlas
    layouts: tuple[Layout, ...]  # per piece of the atlas
    resolved: Mechanism  # with nothing left open but preloads that statics finds
    note: str | None = None  # that the motion will leave the tables at once
    problems: tuple[str, ...] = ()  # ranges that cannot be swept: what `check` reports and `bake` refuses

    @property
    def notes(self) -> tuple[str, ...]:
        """What may not be meant: that the motion will leave the tables at once, loads that are left out."""
        topology, dependence = self.atlas.pieces[0].coordinates.closure.topology, self.layouts[0].dependence
        undefined = undefined_lines(self.mechanism, topology, dependence.undefined)
        return (*((self.note,) if self.note else ()), *(f"loads that are not defined: {line}" for line in undefined))


@dataclass(frozen=True)
class PlannedBlock:
    """Splines over the same axes to the same number of digits."""

    axes: Names
    level: str  # of `Level`
    degree: int  # 0 without axes
    columns: Names


@dataclass(frozen=True)
class PlannedChart:
    """One set of coordinates, and what depends on which of them."""

    axes: Names  # free and driven coordinates
    stiff: Names
    periodic: Names  # of the axes, those that go all round
    bodies: tuple[tuple[str, Names], ...]  # with the coordinates that move them
    measures: tuple[tuple[str, Names], ...]  # the same of what forces act on, and what other charts take over
    loads: tuple[tuple[str, tuple[tuple[str, Names], ...]], ...]  # per load that is defined, the same of what it moves
    blocks: tuple[PlannedBlock, ...]


@dataclass(frozen=True)
class Plan:
    """All of it: plain data, to be compared, printed and stored."""

    mechanism: Outline
    tree: tuple[Names, ...]  # base, joint, body
    cuts: Names  # joints and rods that close loops
    idle: Names  # bodies that are kept from spinning between two balls
    chosen: Names  # coordinates that were chosen automatically, as the file would write them; none if it names them
    charts: tuple[PlannedChart, ...]

    @property
    def key(self) -> str:
        """SHA-256 of the plan: equal for equal plans, in any process."""
        return hashlib.sha256(json.dumps(asdict(self), separators=(",", ":")).encode()).hexdigest()


def plan_of(found: Survey) -> Plan:
    """The structure of what was found."""
    coordinates = found.atlas.pieces[0].coordinates
    selection, topology = coordinates.selection, coordinates.closure.topology
    joints, bodies = found.mechanism.joints, topology.bodies
    return Plan(
        mechanism=outline(found.mechanism),
        tree=tuple((bodies[a.base], joints[a.joint].name, bodies[a.body]) for a in topology.arcs),
        cuts=topology.closings(found.mechanism),
        idle=idle_groups(topology),
        chosen=tuple(c.label for c in selection.members[0]) if selection else (),
        charts=tuple(planned_chart(*chart) for chart in zip(found.atlas.pieces, found.layouts, strict=True)),
    )


def planned_load(
    mechanism: Mechanism, load: LoadDependence, named: Callable[[tuple[int, ...]], Names]
) -> tuple[tuple[str, Names], ...]:
    """Bodies, measures and markers that the opening of a load moves, with the coordinates that this depends on."""
    bodies = [(f"body {b.name}", axes) for b, axes in zip(mechanism.bodies, load.bodies, strict=True)]
    measures = [(measure_name(mechanism, on), axes) for on, axes in load.measures]
    frames = [(f"marker {mechanism.frames[i].name}", axes) for i, axes in load.frames]
    return tuple((name, named(axes)) for name, axes in (*bodies, *measures, *frames) if axes is not None)


def idle_groups(topology: Topology) -> Names:
    """Bodies that are kept from spinning between two balls, group by group."""
    return tuple(" + ".join(topology.bodies[b] for b in spin.group) for spin in topology.spins)


def planned_chart(piece: Piece, layout: Layout) -> PlannedChart:
    """The structure of a chart."""
    coordinates, dependence, columns = piece.coordinates, layout.dependence, layout.columns
    mechanism, names, nf = coordinates.closure.mechanism, coordinates.all_names, dependence.nf

    def named(numbers: tuple[int, ...]) -> Names:
        return tuple(names[k] for k in numbers)

    bodies = zip(mechanism.bodies, dependence.bodies, strict=True)
    return PlannedChart(
        axes=names[:nf],
        stiff=names[nf:],
        periodic=tuple(c.name for c in coordinates.free if c.periodic),
        bodies=tuple((body.name, named(numbers)) for body, numbers in bodies),
        measures=tuple((measure_name(mechanism, on), named(numbers)) for on, numbers in dependence.measures),
        loads=tuple((load.opening.name, planned_load(mechanism, load, named)) for load in dependence.loads),
        blocks=tuple(
            PlannedBlock(
                axes=named(axes),
                level=level.name,
                degree=spline_degree(level, len(axes), mechanism.tables) if axes else 0,
                columns=tuple(columns.names[c] for c in columns.of_block(number)),
            )
            for number, (axes, level) in enumerate(columns.blocks)
        ),
    )
