"""From tables to the reduced model: force laws with their parameters, markers, ports, and the certificate."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from fmu_src.model.reduced_model import (
    BallInfo,
    ContactInfo,
    CoordinateInfo,
    LoadInfo,
    MarkerInfo,
    MeasureInfo,
    PortInfo,
    ReducedModel,
    StartInfo,
    StiffInfo,
    WheelInfo,
)
from precompute.arrays import Array
from precompute.coordinates.charts import Atlas, Piece
from precompute.coordinates.load_dependence import loaded_frames
from precompute.coordinates.stiff_check import stiff_name
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.openings import Opening
from precompute.mechanism_file import source_hash, to_document
from precompute.model.carrying import carrying_points
from precompute.model.mechanism import GROUND, Coordinate, JointCoordinate, Marker, Mechanism, Wheel
from precompute.reduction.arrangement import arranged
from precompute.reduction.devices import device_elements, with_loads
from precompute.reduction.devices import devices as run_time_devices
from precompute.reduction.elements import ParameterList, cardan_bushings, check_preload, force_elements, free_force
from precompute.reduction.exact_loads import load_sign, request_names
from precompute.reduction.loose import LooseChart, quantities_of
from precompute.reduction.on_track import on_track
from precompute.reduction.terms import chart_terms, without_zeros
from precompute.reduction.wheel_motion import with_motion
from precompute.tables.error_model import joined
from precompute.tables.fields import Fields
from precompute.tables.tabulate import Tabulated


def reduced_model(
    mechanism: Mechanism, resolved: Mechanism, design: Configuration, atlas: Atlas, tables: tuple[Tabulated, ...]
) -> ReducedModel:
    """Put together what the FMU runs: from the mechanism as given, and with nothing left open."""
    about = atlas.pieces[0].coordinates.about
    directions = zip(mechanism.stiff_coordinates, tables[0].radius.tolist(), about, strict=True)
    stiff = tuple(stiff_info(mechanism, *each) for each in directions)
    bare, loads = bare_model(mechanism, resolved, design, atlas), load_infos(mechanism, tables[0].columns.fields)
    model = replace(
        bare,
        starts=(*bare.starts, *(StartInfo(0.0, 0.0, info.description) for info in stiff)),
        stiff=stiff,
        errors=joined([table.errors for table in tables]),
        loads=loads,
        contacts=contact_infos(atlas, loads),
    )
    model = with_loads(model, mechanism)
    asked = {tuple(load.opening for load in table.columns.fields.loads) for table in tables}
    assert len(asked) == 1, "a load is defined in one chart and not in another; please report this"
    pieces = zip(atlas.pieces, tables, strict=True)
    charts = [chart(mechanism, atlas, piece, table) for piece, table in pieces]
    if mechanism.contact is not None:
        sizes = len(mechanism.acting), len(mechanism.frames), len(mechanism.measures)
        model, charts[0] = on_track(model, mechanism, charts[0], sizes)
    model = arranged(model, charts)
    return with_motion(model, mechanism, atlas.named)


def bare_model(mechanism: Mechanism, resolved: Mechanism, design: Configuration, atlas: Atlas) -> ReducedModel:
    """The same without what comes of the sweep: tables, loads, and stiff coordinates, whose radii it finds."""
    start = atlas.pieces[0].coordinates.free
    parameters = ParameterList()
    gravity = [
        parameters.add(f"gravity[{i + 1}]", mechanism.gravity[i], "m/s2", "Gravity in ground axes") for i in range(3)
    ]
    P = atlas.pieces[0].coordinates.closure.poses(design.q)
    at_design = [float(element.on.value(P)) for element in mechanism.elements]
    elements, couplings = force_elements(resolved, at_design, parameters)
    devices = run_time_devices(resolved, len(elements), parameters)
    elements += device_elements(resolved)
    laps = [atlas.lap(on) for on in mechanism.acting]
    return ReducedModel(
        name=mechanism.name,
        description=mechanism.description,
        source_hash=source_hash(mechanism),
        coordinates=tuple(coordinate_info(mechanism, atlas, c) for c in atlas.named),
        starts=tuple(StartInfo(float(c.start or 0.0), c.start_rate, described(c)) for c in start),
        charts=(),
        stiff=(),
        quasistatic=mechanism.tables.stiff == "quasistatic",
        moving=mechanism.chassis == "moving",
        mass=sum(b.mass for b in mechanism.bodies),
        gravity=(gravity[0], gravity[1], gravity[2]),
        parameters=tuple(parameters.items),
        elements=tuple(replace(e, lap=lap) for e, lap in zip(elements, laps, strict=True)),
        couplings=tuple(couplings),
        cardans=cardan_bushings(mechanism, elements),
        markers=tuple(replace(marker_info(m), shown=m in mechanism.markers) for m in mechanism.frames),
        ports=tuple(
            PortInfo(p.name, [m.name for m in mechanism.markers].index(p.marker), p.force, p.moment)
            for p in mechanism.ports
        ),
        stop_time=mechanism.experiment.stop_time,
        step_size=mechanism.experiment.step_size,
        mechanism=to_document(resolved),
        method=mechanism.experiment.method,
        measures=tuple(
            MeasureInfo(read.name, read.of.unit(mechanism), read.of.name, atlas.lap(read.of), read.owner)
            for read in mechanism.read
        ),
        wheels=tuple(wheel_info(mechanism, wheel) for wheel in mechanism.wheels),
        devices=devices,
    )


def contact_infos(atlas: Atlas, loads: tuple[LoadInfo, ...]) -> tuple[ContactInfo, ...]:
    """The normal forces of cams that are watched: all that are defined."""
    known = {load.name: number for number, load in enumerate(loads)}
    turning = [(k, c, name) for k, c in enumerate(atlas.pieces[0].coordinates.free) for name in c.cams]
    defined = ((known.get(f"joint.{name}.normal"), k, c, name) for k, c, name in turning)
    return tuple(ContactInfo(name, load, k, c.borders) for load, k, c, name in defined if load is not None)


def coordinate_info(mechanism: Mechanism, atlas: Atlas, c: Coordinate) -> CoordinateInfo:
    """An independent coordinate that the file names."""
    driven: dict[object, Literal["no", "direct", "filtered"]] = {False: "no", True: "direct", "filtered": "filtered"}
    unit, lap = c.of.unit(mechanism), atlas.lap(c.of)
    return CoordinateInfo(c.name, unit, described(c), lap, driven[c.driven], c.filter_time or 0.0)


def stiff_info(mechanism: Mechanism, c: JointCoordinate, radius: float, about: float = 0.0) -> StiffInfo:
    """A stiff coordinate."""
    name = stiff_name(mechanism, c)
    unit, tolerance = c.unit(mechanism), mechanism.tables.stiff_tolerance
    told, effort = mechanism.units.told(unit), mechanism.units.told_effort(unit)
    return StiffInfo(name, unit, radius, f"Deflection {name}", tolerance, told, effort, about)


def load_infos(mechanism: Mechanism, fields: Fields) -> tuple[LoadInfo, ...]:
    """Loads, then accelerations of markers, as `request_names` names them."""
    loads = [
        LoadInfo(load.opening.name, "N.m" if load.opening.turns else "N", load_text(mechanism, load.opening), sign)
        for load in fields.loads
        for sign in (load_sign(mechanism, load.opening),)
    ]
    names = request_names(mechanism, fields)[len(loads) :]
    where = "relative to the chassis, " if mechanism.chassis == "moving" else ""
    for name in names:
        marker, symbol = name.removeprefix("marker.").split(".")
        turns, axis = symbol.startswith("wd"), "xyz"[int(symbol[-2]) - 1]
        text = f"{('A', 'Angular a')[turns]}cceleration of marker {marker}, {where}along ground {axis}"
        loads.append(LoadInfo(name, "rad/s2" if turns else "m/s2", text, acceleration=True))
    return tuple(loads)


def load_text(mechanism: Mechanism, opening: Opening) -> str:
    """A load in words."""
    if opening.carrier == "row":
        row = opening.row(mechanism)
        what = "Moment" if opening.turns else "Force"
        return f"{what} of {row.text}, {'tension' if row.pulls else 'towards larger values'} positive"
    joint, axis = mechanism.joint(opening.part), "xyz"[opening.index % 3]
    of = "ground" if opening.carrier == "ground" else f"its own axes on {getattr(joint, opening.carrier)},"
    what, way = ("Moment", "about") if opening.turns else ("Force", "along")
    return f"{what} of {joint.parent} on {joint.child} at joint {joint.name} {way} {of} {axis}"


def described(c: Coordinate) -> str:
    """A coordinate in words."""
    return f"Independent coordinate {c.name}"


def chart(mechanism: Mechanism, atlas: Atlas, piece: Piece, table: Tabulated) -> LooseChart:
    """One chart of the model."""
    several = len(atlas.pieces)
    nz = len(table.axes) + len(mechanism.stiff_coordinates)
    sizes = len(mechanism.acting), len(mechanism.frames), len(mechanism.read)
    fields = table.columns.fields
    request = len(request_names(mechanism, fields)), len(loaded_frames(mechanism))
    quantities = quantities_of(nz, *sizes, several, len(piece.borders), mechanism.carried, *request)
    own = tuple(c.of for c in atlas.named) if several > 1 else ()
    beyond = tuple(tuple(c.of for c in atlas.pieces[b.chart].coordinates.free) for b in piece.borders)
    terms = chart_terms(mechanism, table.columns, quantities, own, beyond)
    terms = without_zeros(table.blocks, terms)
    return LooseChart(table.axes, table.blocks, terms, piece.borders, table.certificate)


def resolve(mechanism: Mechanism, atlas: Atlas) -> Mechanism:
    """The mechanism with nothing left open: ranges filled in but where charts cover all, preloads as numbers."""
    springs = []
    for spring in mechanism.springs:
        check_preload(mechanism, spring)
        if spring.static_preload:  # until statics finds it
            spring = replace(spring, static_preload=False, preload=free_force(spring))
        springs.append(spring)
    free = atlas.pieces[0].coordinates.free
    if len(atlas.pieces) > 1:
        free = tuple(replace(c, lower=None, upper=None) for c in atlas.named)
    return replace(mechanism, springs=tuple(springs), coordinates=free)


def marker_info(marker: Marker) -> MarkerInfo:
    """A marker with its spin axis in marker axes and at design."""
    if marker.spin_axis is None:
        return MarkerInfo(marker.name, None, None)
    return MarkerInfo(marker.name, _three(marker.R.T @ marker.spin_axis), _three(marker.spin_axis))


def wheel_info(mechanism: Mechanism, wheel: Wheel) -> WheelInfo:
    """A wheel with its spin axis in the axes of the marker at its centre."""
    own = mechanism.marker_of(wheel)
    name = f"wheel.{wheel.name}" if own is None else own.name
    number, marker = next((i, m) for i, m in enumerate(mechanism.frames) if m.name == name)
    axes = mechanism.axes
    return WheelInfo(
        name=wheel.name,
        marker=number,
        spin_axis=_three(marker.R.T @ wheel.spin_axis),
        side=wheel.side,
        radius=float(wheel.radius),
        centre=_three(wheel.centre),
        axes=tuple(_three(axis) for axis in axes.R),
        road=float(axes.up @ wheel.contact(axes)),
        balls=ball_infos(mechanism, wheel, marker),
    )


def ball_infos(mechanism: Mechanism, wheel: Wheel, marker: Marker) -> tuple[BallInfo, ...]:
    """The two points of its steering axis, if they are fixed to carrier or ground: no top mount that gives way."""
    axle = next((axle for axle in mechanism.axles if wheel.name in axle.wheels), None)
    found = []
    for body, p, pivot in carrying_points(mechanism, wheel, axle):
        if body == wheel.body:
            found.append(BallInfo(True, _three(marker.R.T @ (p - wheel.centre))))
        elif GROUND in (pivot.parent, pivot.child) and not pivot.stiff:
            found.append(BallInfo(False, _three(p)))
    return tuple(found) if len(found) == 2 else ()


def _three(vector: Array) -> tuple[float, float, float]:
    x, y, z = (float(number) for number in vector)
    return x, y, z
