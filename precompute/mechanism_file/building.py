"""The checked file -> the parts of a mechanism, with the mirror images that it asks for.

A faulty object is reported and set aside, and what needs it without a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from precompute.geometry.placement import Placement, mirror
from precompute.mechanism_file import force_objects, joint_objects, objects, wheel_objects
from precompute.mechanism_file.elements import objects as element_objects
from precompute.mechanism_file.elements.mistakes import mistakes
from precompute.mechanism_file.floor.discs import contact, fork, made_joints, name_problems
from precompute.mechanism_file.geometry import COINCIDENT, Geometry
from precompute.mechanism_file.holds import objects as hold_objects
from precompute.mechanism_file.measure_objects import BuiltParts
from precompute.mechanism_file.mirroring import ELEMENTS, KINDS, Images, mirror_plane
from precompute.mechanism_file.mounts import mount, unjoined
from precompute.mechanism_file.schema.checks import Faults
from precompute.mechanism_file.schema.document import MechanismFile
from precompute.mechanism_file.schema.joint_tables import WheelJointEntry
from precompute.mechanism_file.schema.toml_text import Path
from precompute.mechanism_file.telling import Problem
from precompute.model.images import PartImages
from precompute.model.mechanism import Axes, Bushing, Cam, Experiment, Joint, Rod, TableSettings, nearest
from precompute.units import Units

Made = dict[str, Any]


def built_parts(
    file: MechanismFile, problems: list[Problem], on_bushings: Counter[frozenset[str]], images: Images, elements: Any
) -> dict[str, Any]:
    """All parts of the mechanism that can be built.

    Args:
        file: without faulty objects.
        problems: gets what is wrong with others.
        on_bushings: how many bushings there are between two bodies, also bad ones.
        images: the objects that have mirror images, and their names.
        elements: their section as the document has it, for the formulas of bad ones.
    """
    build = partial(_built, problems)
    units = Units(**file.units.model_dump())
    geometry = Geometry(units, {name: units.measure()(np.array(p)) for name, p in file.points.items()})
    axes = build((), {"axes": file.axes}, wheel_objects.axes, geometry).get("axes", Axes())
    at = mirror(mirror_plane(None if file.mirror is None else file.mirror.plane, axes.left))
    geometry = _with_image_points(geometry, at, images, problems)
    plain, floor = by_floor(file.joints)
    discs = build(("joints",), floor, contact, geometry, axes)
    joints = build(("joints",), plain, joint_objects.joint, geometry, file.loads)
    bushings = build(("bushings",), file.bushings, force_objects.bushing, geometry)
    whole = on_bushings == Counter(frozenset((b.parent, b.child)) for b in bushings.values())
    mounts = _mounts(tuple(bushings.values()), joints, geometry, problems) if whole else {}
    joints |= {name: joint_objects.watched_mount(joint, file.loads) for name, joint in mounts.items()}
    if whole:
        problems += _unknown_loads(file, joints)

    problems += name_problems(discs, file.bodies, file.joints)
    if discs and file.mirror is not None:
        problems.append((("mirror",), "is not possible with a disc on the floor; leave it out"))
    joints = {name: joint for disc in discs.values() for name, joint in made_joints(disc).items()} | joints
    there = _images(at, axes, joints, images)
    add = partial(_mirrored, problems, images)
    bodies = add("bodies", build(("bodies",), file.bodies, objects.body, geometry), there.body)
    bodies |= {disc.fork: fork(disc) for disc in discs.values()}
    own_image: dict[type, Any] = {Joint: there.joint, Rod: there.rod, Cam: there.cam}
    joints = add("joints", joints, lambda name, j: own_image[type(j)](name, j))
    bushings = add("bushings", bushings, there.bushing)
    markers = add("markers", build(("markers",), file.markers, objects.marker, geometry), there.marker)
    wheels = add("wheels", build(("wheels",), file.wheels, wheel_objects.wheel, geometry, axes), there.wheel)

    built = BuiltParts(joints, markers, bushings, wheels, axes, units)
    couplings = build(("couplings",), file.couplings, hold_objects.coupling, geometry, built, file.loads)
    couplings = add("couplings", couplings, there.coupling)
    constraints = build(("constraints",), file.constraints, hold_objects.constraint, geometry, file.loads)
    constraints = add("constraints", constraints, there.constraint)
    made = {
        section: add(section, build((section,), getattr(file, section), make, geometry, built), image)
        for section, make, image in (
            ("springs", force_objects.spring, there.spring),
            ("anti_roll_bars", force_objects.anti_roll_bar, there.spring),
            ("stops", force_objects.stop, there.spring),
            ("dampers", force_objects.damper, there.damper),
            ("forces", force_objects.constant_force, there.force),
        )
    }
    springs = [*made["springs"].values(), *made["anti_roll_bars"].values(), *made["stops"].values()]
    ports = add("ports", build(("ports",), file.ports, objects.port, geometry), there.port)
    free = None if file.coordinates is None else file.coordinates.free
    forces = {"springs": {spring.name: spring for spring in springs}, "dampers": made["dampers"]}
    devices = build(("elements",), file.elements, element_objects.device, geometry, built, forces)
    own = images.get("elements", {})
    mirrored = {name: device for name, device in devices.items() if name in own}
    devices = add("elements", devices, replace(there, devices=mirrored).device)
    problems += mistakes(elements, devices, own, built)
    measures = build(("measures",), file.measures, objects.read_measure, geometry, built, forces)
    measures = add("measures", measures, there.read_measure)
    chosen = build(("coordinates", "free"), free or {}, objects.coordinate, geometry, built, forces)
    chosen = add("coordinates", chosen, there.coordinate)
    axles = build(("axles",), file.axles, wheel_objects.axle, geometry, built, forces, chosen)
    vehicle = {} if file.vehicle is None else {"vehicle": file.vehicle}
    designs = build(("design",), file.design, objects.design, geometry)
    experiment = build((), {"experiment": file.experiment}, lambda _, entry: Experiment(**entry.model_dump()))
    return {
        "bodies": tuple(bodies.values()),
        "joints": tuple(each for each in joints.values() if isinstance(each, Joint)),
        "rods": tuple(each for each in joints.values() if isinstance(each, Rod)),
        "cams": tuple(each for each in joints.values() if isinstance(each, Cam)),
        "couplings": tuple(couplings.values()),
        "constraints": tuple(constraints.values()),
        "springs": tuple(springs),
        "dampers": tuple(made["dampers"].values()),
        "forces": tuple(made["forces"].values()),
        "bushings": tuple(bushings.values()),
        "devices": tuple(devices.values()),
        "markers": tuple(markers.values()),
        "ports": tuple(ports.values()),
        "measures": tuple(measures.values()),
        "designs": tuple(designs.values()),
        "axes": axes,
        "contact": next(iter(discs.values()), None),
        "wheels": tuple(wheels.values()),
        "axles": tuple(wheel_objects.ended(axles, wheels, axes).values()),
        **build((), vehicle, wheel_objects.vehicle, geometry),
        "coordinates": None if free is None else tuple(chosen.values()),
        "tables": TableSettings(**file.tables.model_dump()),
        **experiment,
    }


def by_floor(joints: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The entries of joints, and those of discs on the floor."""
    floor = {name: entry for name, entry in joints.items() if isinstance(entry, WheelJointEntry)}
    return {name: entry for name, entry in joints.items() if name not in floor}, floor


def _built(
    problems: list[Problem], section: Path, entries: Mapping[str, Any], make: Callable[..., Any], *context: Any
) -> Made:
    """The objects of a section that can be made, by name."""
    made = {}
    for name, entry in entries.items():
        try:
            made[name] = make(name, entry, *context)
        except Faults as faults:
            problems.extend(((*section, name, *place), message) for place, message in faults.items)
        except ValueError as error:  # of the object itself; often it begins with the key
            key, _, rest = str(error).partition(" ")
            known = key in entry.keys()
            problems.append(((*section, name, key), rest) if known else ((*section, name), str(error)))
    return made


def _mounts(
    bushings: tuple[Bushing, ...], joints: Mapping[str, Joint | Rod], geometry: Geometry, problems: list[Problem]
) -> dict[str, Joint]:
    """The joints that are made for bodies on bushings alone."""
    made: dict[str, Joint] = {}
    joined = [(j.parent, j.child) for j in joints.values() if isinstance(j, Joint)]
    for pair in unjoined([(b.parent, b.child) for b in bushings], joined):
        joint = mount([b for b in bushings if {b.parent, b.child} == set(pair)], geometry)
        if joint.name in joints or joint.name in made:
            first = next(b.name for b in bushings if (b.parent, b.child) == pair)
            text = (
                f"the joint '{joint.name}' that it would get has a name that is taken; add a joint between "
                f"'{pair[0]}' and '{pair[1]}' yourself, with its own 'stiff'"
            )
            problems.append((("bushings", first), text))
        else:
            made[joint.name] = joint
    return made


def _unknown_loads(file: MechanismFile, joints: Mapping[str, Joint | Rod]) -> list[Problem]:
    """Names under `loads` that no joint has."""
    if file.loads == "all":
        return []
    known = {*file.joints, *joints}
    return [
        (("loads", i), f"there is no joint '{name}'; {nearest(name, sorted(known))}")
        for i, name in enumerate(file.loads)
        if name not in known
    ]


# -- mirror images ----------------------------------------------------------------------------------------------------


def _images(at: Placement, axes: Axes, joints: Mapping[str, Joint | Rod], images: Images) -> PartImages:
    """What makes images of parts."""
    names = {kind: images.get(section, {}) for section, kind in (*KINDS.items(), ELEMENTS)}
    known = {name: joint for name, joint in joints.items() if isinstance(joint, Joint)}
    return PartImages(at, known, axes, axes, names)


def _with_image_points(geometry: Geometry, at: Placement, images: Images, problems: list[Problem]) -> Geometry:
    """The points of the file, and those of them that have a word to replace mirrored."""
    points = dict(geometry.points)
    for name, image in images.get("points", {}).items():
        if name not in points:
            continue
        p = at.point(points[name])
        off = float(np.linalg.norm(points.get(image, p) - p))
        if off > COINCIDENT:
            text = (
                f"its mirror image '{image}' is in the file as another point, {geometry.units.shown(off)} away; take "
                "that out, or give one of them another name"
            )
            problems.append((("points", name), text))
        points.setdefault(image, p)
    return Geometry(geometry.units, points)


def _mirrored(
    problems: list[Problem], images: Images, section: str, made: Made, image_of: Callable[[str, Any], Any]
) -> Made:
    """The objects of a section and, after them, their images."""
    found = dict(made)
    for name, image in images.get(section, {}).items():
        if name not in made or image in found:
            continue  # it is faulty, or its name is, which is reported
        try:
            found[image] = image_of(image, made[name])
        except ValueError as error:
            problems.append(((section, name), f"cannot be mirrored: {error}"))
    return found
