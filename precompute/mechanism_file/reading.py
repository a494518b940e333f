"""A document in the format of the mechanism file -> Mechanism, or every problem of it at once.

    document -> names -> checked entries -> objects -> Mechanism

A faulty object is reported and set aside, and the rest goes on.  What only follows from it is not reported: its name
stays known, and objects that need it are set aside without a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Any

import numpy as np
from pydantic import ValidationError

from precompute.errors import MechanismError
from precompute.mechanism_file import force_objects, joint_objects, objects
from precompute.mechanism_file.geometry import Geometry
from precompute.mechanism_file.measure_objects import BuiltParts
from precompute.mechanism_file.mounts import mount, mount_name, unjoined
from precompute.mechanism_file.schema.checks import Faults, Scope, shown
from precompute.mechanism_file.schema.document import SCHEMA, MechanismFile, check_version
from precompute.mechanism_file.schema.joint_tables import TYPES
from precompute.mechanism_file.schema.toml_text import Path
from precompute.mechanism_file.telling import Problem, told
from precompute.model.mechanism import (
    GROUND,
    Body,
    Bushing,
    Experiment,
    Joint,
    Mechanism,
    Rod,
    TableSettings,
)
from precompute.units import SCALES, Units

Document = Mapping[str, Any]

_OBJECT_DEPTH = {"points": 2, "bodies": 2, "joints": 2, "springs": 2, "dampers": 2, "markers": 2, "ports": 2}
_OBJECT_DEPTH |= {"forces": 2, "bushings": 2, "measures": 2, "coordinates": 3}  # coordinates.free.NAME
_TYPES = {(name,) for name in TYPES}
_STAND_INS = {"schema": SCHEMA, "name": "unnamed"}


def parse_document(document: Any, source: str = "the mechanism", lines: Mapping[Path, int] | None = None) -> Mechanism:
    """The mechanism that a document describes.

    Args:
        document: dicts, lists, strings and numbers as TOML or JSON gives them.
        source: what the error message calls it.
        lines: line of each place, if the document came from a text.

    Raises:
        MechanismError: with every problem found.
    """
    problems: list[Problem] = []
    mechanism = _read(document, problems)
    if mechanism is None:
        raise MechanismError(told(problems, lines or {}), source)
    return mechanism


def _read(document: Any, problems: list[Problem]) -> Mechanism | None:
    """The mechanism, or None and the problems."""
    if not isinstance(document, dict):
        problems.append(((), f"is {shown(document)}; it must be a table with schema, name, bodies, joints ..."))
        return None
    if "schema" in document:
        try:
            check_version(document["schema"], Scope())
        except Faults as faults:  # another version may differ in everything: nothing else is worth saying
            problems += [(("schema",), message) for _, message in faults.items]
            return None

    scope = _scope(document)
    file = _checked(document, scope, problems)
    problems += _connection_problems(document, scope)
    # without good units every number would be wrong, and complaints about numbers as well
    units_are_bad = file.units.model_dump() != vars(scope.units) or any(at[:1] == ("units",) for at, _ in problems)
    on_bushings = Counter(frozenset(pair) for pair in _pairs(document, "bushings", scope.bodies) if pair)
    parts = {} if units_are_bad else _objects(file, problems, on_bushings)
    if problems:
        return None

    try:
        return Mechanism(
            name=file.name,
            description=file.description,
            gravity=np.array(file.gravity),
            chassis=file.chassis,
            units=scope.units,
            **parts,
        )
    except MechanismError as error:
        problems += [_located(text) for text in error.problems]
        return None


# -- names ------------------------------------------------------------------------------------------------------------


def _section(document: Document, section: str) -> Any:
    """The section, also where its name is misspelt: that is reported once, not for each name in it."""
    if section in document:
        return document[section]
    known = MechanismFile.keys()
    unknown = [key for key in document if isinstance(key, str) and key not in known]
    return next((document[key] for key in unknown if get_close_matches(key, known, n=1) == [section]), {})


def _names(document: Document, section: str) -> frozenset[str] | None:
    table = _section(document, section)
    return frozenset(filter(lambda key: isinstance(key, str), table)) if isinstance(table, dict) else None


def _scope(document: Document) -> Scope:
    """The names in the document, good or bad, and its units as far as they are good."""
    sections = ("points", "bodies", "joints", "springs", "dampers", "bushings", "markers")
    names = {key: _names(document, key) for key in sections}
    if names["bodies"] is not None:
        names["bodies"] |= {GROUND}
    joints = _section(document, "joints")
    rods = frozenset(
        name for name in names["joints"] or () if isinstance(joints[name], dict) and joints[name].get("type") == "rod"
    )
    if names["joints"] is not None:
        names["joints"] -= rods
        bushings = filter(None, _pairs(document, "bushings", names["bodies"]))
        joined = filter(None, _pairs(document, "joints", names["bodies"], rods))
        names["joints"] |= {mount_name(*pair) for pair in unjoined(bushings, joined)}
    units = _section(document, "units")
    chosen = {key: unit for key, unit in units.items() if key in SCALES} if isinstance(units, dict) else {}
    good = {key: unit for key, unit in chosen.items() if isinstance(unit, str) and unit in SCALES[key]}
    return Scope(**names, rods=rods, units=Units(**good))


def _pairs(
    document: Document, section: str, bodies: frozenset[str] | None, rods: frozenset[str] = frozenset()
) -> list[tuple[str, str] | None]:
    """The two bodies that each joint or bushing connects, None for one that does not tell."""
    table = _section(document, section)
    entries = [entry for name, entry in table.items() if name not in rods] if isinstance(table, dict) else []
    return [_joined(entry, bodies or frozenset()) for entry in entries]


# -- checked entries --------------------------------------------------------------------------------------------------


def _checked(document: dict[str, Any], scope: Scope, problems: list[Problem]) -> MechanismFile:
    """The file without its faulty objects."""
    try:
        return MechanismFile.model_validate(document, context=scope)
    except ValidationError as error:
        found = [(_untagged(detail["loc"]), detail["msg"]) for detail in error.errors(include_url=False)]
    problems += found
    pruned = {key: _copied(value) for key, value in document.items()}
    for place, _ in found:
        _prune(pruned, place[: _OBJECT_DEPTH.get(str(place[0]), 1)] if place else ())
    return MechanismFile.model_validate(_STAND_INS | pruned, context=scope)


def _untagged(place: Path) -> Path:
    """Without the type that pydantic puts behind the name of a joint."""
    return (*place[:2], *place[3:]) if place[:1] == ("joints",) and place[2:3] in _TYPES else place


def _copied(value: Any) -> Any:
    return {key: _copied(item) for key, item in value.items()} if isinstance(value, dict) else value


def _prune(table: Any, place: Path) -> None:
    """Take out the object at `place`, if it is still there."""
    for key in [key for key in table if place and str(key) == str(place[0])] if isinstance(table, dict) else ():
        if len(place) == 1:
            del table[key]
        else:
            _prune(table[key], place[1:])


# -- objects ----------------------------------------------------------------------------------------------------------


def _objects(file: MechanismFile, problems: list[Problem], on_bushings: Counter[frozenset[str]]) -> dict[str, Any]:
    """All parts of the mechanism that can be built; `on_bushings` counts the bushings between two bodies, also bad."""
    build = partial(_built, problems)
    units = Units(**file.units.model_dump())
    geometry = Geometry(units, {name: units.measure()(np.array(p)) for name, p in file.points.items()})
    bodies = build(("bodies",), file.bodies, objects.body, geometry)
    joints = build(("joints",), file.joints, joint_objects.joint, geometry)
    bushings = build(("bushings",), file.bushings, force_objects.bushing, geometry)
    whole = on_bushings == Counter(frozenset((b.parent, b.child)) for b in bushings.values())
    joints |= _mounts(tuple(bushings.values()), joints, geometry, problems) if whole else {}
    markers = build(("markers",), file.markers, objects.marker, geometry)
    built = BuiltParts(joints, markers, bushings, units)
    springs = build(("springs",), file.springs, force_objects.spring, geometry, built)
    dampers = build(("dampers",), file.dampers, force_objects.damper, geometry, built)
    constant = build(("forces",), file.forces, force_objects.constant_force, geometry, built)
    ports = build(("ports",), file.ports, objects.port, geometry)
    free = None if file.coordinates is None else file.coordinates.free
    forces = {"springs": springs, "dampers": dampers}
    measures = build(("measures",), file.measures, objects.read_measure, geometry, built, forces)
    chosen = build(("coordinates", "free"), free or {}, objects.coordinate, geometry, built, forces)
    experiment = build((), {"experiment": file.experiment}, lambda _, entry: Experiment(**entry.model_dump()))
    return {
        "bodies": tuple(bodies.values()),
        "joints": tuple(each for each in joints.values() if isinstance(each, Joint)),
        "rods": tuple(each for each in joints.values() if not isinstance(each, Joint)),
        "springs": tuple(springs.values()),
        "dampers": tuple(dampers.values()),
        "forces": tuple(constant.values()),
        "bushings": tuple(bushings.values()),
        "markers": tuple(markers.values()),
        "ports": tuple(ports.values()),
        "measures": tuple(measures.values()),
        "coordinates": None if free is None else tuple(chosen.values()),
        "tables": TableSettings(**file.tables.model_dump()),
        **experiment,
    }


def _built(
    problems: list[Problem], section: Path, entries: Mapping[str, Any], make: Callable[..., Any], *context: Any
) -> dict[str, Any]:
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


def _connection_problems(document: Document, scope: Scope) -> list[Problem]:
    """What the mechanism says about its bodies and what connects them, faulty objects included.

    It is asked with stand-ins that have nothing but names.  If a joint does not tell which bodies it joins, any body
    may be connected by it.
    """
    joints = _section(document, "joints")
    if scope.bodies is None or not isinstance(joints, dict):
        return []
    bodies = _names(document, "bodies") or frozenset()
    pairs = _pairs(document, "joints", scope.bodies, scope.rods) + _pairs(document, "bushings", scope.bodies)
    if None in pairs:
        pairs = [(GROUND, name) for name in bodies - {GROUND}]
    zero = np.zeros(3)
    try:
        Mechanism(
            name="",
            bodies=tuple(Body(name, 0.0, zero, np.zeros((3, 3))) for name in sorted(bodies)),
            joints=tuple(Joint(f"{i}", "fixed", *pair, zero, zero, ()) for i, pair in enumerate(filter(None, pairs))),
        )
    except MechanismError as error:
        return [_located(text) for text in error.problems]
    return []


def _joined(joint: Any, bodies: frozenset[str]) -> tuple[str, str] | None:
    """The two bodies that a joint joins, None if it does not tell."""
    ends = (joint.get("parent"), joint.get("child")) if isinstance(joint, dict) else (None, None)
    known = all(isinstance(end, str) and end in bodies for end in ends)
    return ends if known and ends[0] != ends[1] else None  # type: ignore[return-value]


def _located(text: str) -> Problem:
    """A problem that the mechanism found; it calls the place "bodies.crank"."""
    place, _, message = text.partition(": ")
    keys = place.split(".")
    return tuple(["coordinates", "free", *keys[1:]] if keys[0] == "coordinates" else keys), message
