"""From tables to the reduced model: force laws with their parameters, markers, ports, and the certificate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from fmu_src.reduced_model import (
    Chart,
    CoordinateInfo,
    Element,
    Law,
    LawKind,
    MarkerInfo,
    Parameter,
    PortInfo,
    ReducedModel,
    StartInfo,
)
from fmu_src.rows import rows_of
from precompute import measures
from precompute.assembly import Configuration
from precompute.charts import Atlas, Piece
from precompute.errors import MechanismError
from precompute.mechanism import Coordinate, Damper, ForceTable, Marker, Mechanism, Spring, Stop
from precompute.mechanism_file import source_hash, to_document
from precompute.tables import DEGREE
from precompute.tabulate import Tabulated
from precompute.terms import chart_terms, without_zeros


@dataclass
class ParameterList:
    """Collects parameters and hands out their indices."""

    items: list[Parameter] = field(default_factory=list)

    def add(self, name: str, value: float, unit: str, description: str, minimum: float | None = None) -> int:
        """Index of a new parameter."""
        self.items.append(Parameter(name, float(value), unit, description, minimum))
        return len(self.items) - 1

    def add_table(self, prefix: str, table: ForceTable, x_unit: str, f_unit: str) -> tuple[int, ...]:
        """Indices of all x, then all forces of a table."""
        n = range(len(table.x))
        x = [self.add(f"{prefix}.table.x[{i + 1}]", table.x[i], x_unit, "Abscissa of the force table") for i in n]
        f = [self.add(f"{prefix}.table.f[{i + 1}]", table.force[i], f_unit, "Force of the force table") for i in n]
        return (*x, *f)


def reduced_model(
    mechanism: Mechanism, resolved: Mechanism, atlas: Atlas, tables: tuple[Tabulated, ...]
) -> ReducedModel:
    """Put together what the FMU runs: from the mechanism as given, and with nothing left open."""
    start = atlas.pieces[0].coordinates.free
    parameters = ParameterList()
    gravity = [
        parameters.add(f"gravity[{i + 1}]", mechanism.gravity[i], "m/s2", "Gravity in ground axes") for i in range(3)
    ]
    elements = [spring_element(mechanism, s, parameters) for s in resolved.springs]
    elements += [damper_element(mechanism, d, parameters) for d in mechanism.dampers]
    laps = [atlas.lap(item.on) for item in mechanism.elements]
    return ReducedModel(
        name=mechanism.name,
        description=mechanism.description,
        source_hash=source_hash(mechanism),
        coordinates=tuple(coordinate_info(mechanism, atlas, c) for c in atlas.named),
        starts=tuple(StartInfo(float(c.start or 0.0), c.start_rate, described(c)) for c in start),
        charts=tuple(chart(mechanism, atlas, piece, table) for piece, table in zip(atlas.pieces, tables, strict=True)),
        stiff=(),
        quasistatic=False,
        moving=False,
        mass=sum(b.mass for b in mechanism.bodies),
        gravity=(gravity[0], gravity[1], gravity[2]),
        parameters=tuple(parameters.items),
        elements=tuple(replace(e, lap=lap) for e, lap in zip(elements, laps, strict=True)),
        couplings=(),
        markers=tuple(marker_info(m) for m in mechanism.markers),
        ports=tuple(
            PortInfo(p.name, [m.name for m in mechanism.markers].index(p.marker), p.force, p.moment)
            for p in mechanism.ports
        ),
        stop_time=mechanism.experiment.stop_time,
        step_size=mechanism.experiment.step_size,
        mechanism=to_document(resolved),
    )


def coordinate_info(mechanism: Mechanism, atlas: Atlas, c: Coordinate) -> CoordinateInfo:
    """An independent coordinate that the file names."""
    unit = "rad" if measures.is_angle(mechanism, c.of) else "m"
    return CoordinateInfo(c.name, unit, described(c), atlas.lap(c.of))


def described(c: Coordinate) -> str:
    """A coordinate in words."""
    return f"Independent coordinate {c.name}"


def chart(mechanism: Mechanism, atlas: Atlas, piece: Piece, table: Tabulated) -> Chart:
    """One chart of the model."""
    several, moving = len(atlas.pieces), mechanism.chassis == "moving"
    nz = len(table.axes) + len(mechanism.stiff_coordinates)
    rows = rows_of(nz, len(mechanism.measures), len(mechanism.markers), several, len(piece.borders), moving)
    own = tuple(c.of for c in atlas.named) if several > 1 else ()
    beyond = tuple(tuple(c.of for c in atlas.pieces[b.chart].coordinates.free) for b in piece.borders)
    terms = chart_terms(mechanism, table.columns, rows, own, beyond)
    terms = without_zeros(table.blocks, terms)
    return Chart(table.axes, DEGREE, table.blocks, terms, piece.borders, table.certificate)


def resolve(mechanism: Mechanism, design: Configuration, atlas: Atlas) -> Mechanism:
    """The mechanism with nothing left open: ranges filled in but where charts cover all, preloads as free lengths."""
    coordinates = atlas.pieces[0].coordinates
    closure = coordinates.closure
    P = closure.poses(design.q)
    springs = []
    for spring in mechanism.springs:
        if spring.preload is not None:
            at_design = float(measures.value(mechanism, closure.topology, P, design.q, spring.on))
            spring = replace(spring, preload=None, free_length=at_design + preload_deflection(spring))
        springs.append(spring)
    free = coordinates.free
    if len(atlas.pieces) > 1:
        free = tuple(replace(c, lower=None, upper=None) for c in atlas.named)
    return replace(mechanism, springs=tuple(springs), coordinates=free)


def spring_element(mechanism: Mechanism, spring: Spring, parameters: ParameterList) -> Element:
    """A spring with its stops."""
    name = f"spring.{spring.name}"
    unit, effort, rate = units(mechanism, spring)
    free = spring.free_length
    assert free is not None
    what = "Value of the measure at which the spring is free"
    if spring.table is None:
        k = parameters.add(f"{name}.k", spring.stiffness or 0.0, rate, "Stiffness", 0.0)
        laws = [Law("spring", (k, parameters.add(f"{name}.free_length", free, unit, what)))]
    else:
        free_index = parameters.add(f"{name}.free_length", free, unit, what)
        laws = [Law("spring_table", (free_index, *parameters.add_table(name, spring.table, unit, effort)))]
    if spring.bump_stop:
        laws.append(stop_law(f"{name}.bump_stop", "stop_below", spring.bump_stop, parameters, unit, effort, rate))
    if spring.rebound_stop:
        laws.append(stop_law(f"{name}.rebound_stop", "stop_above", spring.rebound_stop, parameters, unit, effort, rate))
    return Element(name, unit, tuple(laws))


def stop_law(name: str, kind: LawKind, stop: Stop, parameters: ParameterList, unit: str, effort: str, rate: str) -> Law:
    """A one-sided spring."""
    at = "Value of the measure where the stop engages"
    if stop.table is None:
        k = parameters.add(f"{name}.k", stop.stiffness or 0.0, rate, "Stiffness of the stop", 0.0)
        return Law(kind, (k, parameters.add(f"{name}.at", stop.at, unit, at)))
    index = parameters.add(f"{name}.at", stop.at, unit, at)
    with_table: LawKind = "stop_below_table" if kind == "stop_below" else "stop_above_table"
    return Law(with_table, (index, *parameters.add_table(name, stop.table, unit, effort)))


def damper_element(mechanism: Mechanism, damper: Damper, parameters: ParameterList) -> Element:
    """A damper."""
    name = f"damper.{damper.name}"
    unit, effort, _ = units(mechanism, damper)
    if damper.table is None:
        c_unit = "N.m.s/rad" if unit == "rad" else "N.s/m"
        laws = (Law("damper", (parameters.add(f"{name}.c", damper.damping or 0.0, c_unit, "Damping", 0.0),)),)
    else:
        laws = (Law("damper_table", parameters.add_table(name, damper.table, f"{unit}/s", effort)),)
    return Element(name, unit, laws)


def units(mechanism: Mechanism, element: Spring | Damper) -> tuple[str, str, str]:
    """Units of the measure, the force and the stiffness."""
    return ("rad", "N.m", "N.m/rad") if measures.is_angle(mechanism, element.on) else ("m", "N", "N/m")


def preload_deflection(spring: Spring) -> float:
    """Deflection, the one nearest zero, at which the spring's force is its preload."""
    assert spring.preload is not None
    if spring.table is None:
        return spring.preload / spring.stiffness if spring.stiffness else 0.0
    x, f = spring.table.x, spring.table.force
    found = []
    for i in range(len(x) - 1):
        rise = f[i + 1] - f[i]
        if rise == 0.0 and f[i] == spring.preload:
            found.append(float(np.clip(0.0, x[i], x[i + 1])))
        low = -np.inf if i == 0 else 0.0  # end slopes continue
        high = np.inf if i == len(x) - 2 else 1.0
        share = (spring.preload - f[i]) / rise if rise else np.nan
        if low <= share <= high:
            found.append(float(x[i] + share * (x[i + 1] - x[i])))
    if found:
        return min(found, key=abs)
    raise MechanismError(
        [f"springs.{spring.name}: its table never has the force {spring.preload:g} N that `preload` asks for"]
    )


def marker_info(marker: Marker) -> MarkerInfo:
    """A marker with its spin axis in marker axes and at design."""
    if marker.spin_axis is None:
        return MarkerInfo(marker.name, None, None)
    here, design = (tuple(float(x) for x in v) for v in (marker.R.T @ marker.spin_axis, marker.spin_axis))
    return MarkerInfo(marker.name, here, design)  # type: ignore[arg-type]
