"""A document in the format of the mechanism file -> Mechanism, or every problem of it at once.

    document -> names -> checked entries -> objects -> Mechanism

A faulty object is reported and set aside, and the rest goes on.  What only follows from it is not reported: its name
stays known, and objects that need it are set aside without a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from pydantic import ValidationError

from precompute.errors import MechanismError
from precompute.mechanism_file.building import built_parts
from precompute.mechanism_file.floor.discs import made_names
from precompute.mechanism_file.mirroring import ON_THEM, SPRINGS, Images, image_names
from precompute.mechanism_file.mounts import mount_name, unjoined
from precompute.mechanism_file.point_file import with_points
from precompute.mechanism_file.schema.checks import Faults, Scope, shown
from precompute.mechanism_file.schema.document import SCHEMA, MechanismFile, check_version
from precompute.mechanism_file.schema.joint_tables import TYPES
from precompute.mechanism_file.schema.toml_text import Path, TextPlaces
from precompute.mechanism_file.schema.type_tables import ELEMENT_TYPES, FORMULAS
from precompute.mechanism_file.telling import Problem, told
from precompute.model.mechanism import GROUND, PARTS, Body, Joint, Mechanism
from precompute.units import SCALES, Units

Document = Mapping[str, Any]

_OBJECT_DEPTH = dict.fromkeys((*PARTS, "points", "elements", "design", *SPRINGS), 2)
_OBJECT_DEPTH |= {"coordinates": 3}  # coordinates.free.NAME
_TYPES = {"joints": {*TYPES}, "elements": {FORMULAS, *ELEMENT_TYPES}}
_STAND_INS = {"schema": SCHEMA, "name": "unnamed"}


def parse_document(
    document: Any,
    source: str = "the mechanism",
    places: TextPlaces | None = None,
    folder: FilePath | None = None,
) -> Mechanism:
    """The mechanism that a document describes.

    Args:
        document: dicts, lists, strings and numbers as TOML or JSON gives them.
        source: what the error message calls it.
        places: where its parts are, if the document came from a text.
        folder: of its file, if it came from one: other files are named from there.

    Raises:
        MechanismError: with every problem found.
    """
    problems: list[Problem] = []
    mechanism = _read(document, problems, folder)
    if mechanism is None:
        raise MechanismError(told(problems, places), source)
    return mechanism


def _read(document: Any, problems: list[Problem], folder: FilePath | None) -> Mechanism | None:
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

    document = with_points(document, folder, problems)
    file, images, scope = checked(document, problems)
    problems += _connection_problems(document, scope, images)
    # without good units every number would be wrong, and complaints about numbers as well
    units_are_bad = file.units.model_dump() != vars(scope.units) or any(at[:1] == ("units",) for at, _ in problems)
    on_bushings = Counter(frozenset(pair) for pair in _pairs(document, "bushings", scope.bodies) if pair)
    elements = document.get("elements")
    parts = {} if units_are_bad else built_parts(file, problems, on_bushings, images, elements)
    if problems:
        return None

    try:
        return Mechanism(
            name=file.name,
            description=file.description,
            gravity=np.array(file.gravity),
            chassis=file.chassis,
            units=scope.units,
            source=deepcopy(document),
            **parts,
        )
    except MechanismError as error:
        problems += [_located(text) for text in error.problems]
        return None


def checked(document: dict[str, Any], problems: list[Problem]) -> tuple[MechanismFile, Images, Scope]:
    """The entries of a document without its faulty objects; what has mirror images; all its names."""
    images = _images(document, problems)
    scope = _scope(document, images)
    if any(place[:1] == ("points",) for place, _ in problems):
        scope = replace(scope, points=None)  # which points the file has cannot be known
    return _checked(document, scope, problems), images, scope


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


def _images(document: Document, problems: list[Problem]) -> Images:
    """The names of mirror images."""
    sections = {key: _section(document, key) for key in (*PARTS, "points", *ON_THEM)}
    coordinates = sections["coordinates"]
    sections["coordinates"] = coordinates.get("free") if isinstance(coordinates, dict) else None
    bodies = (_names(document, "bodies") or frozenset()) | {GROUND}
    pairs = filter(None, _pairs(document, "bushings", bodies))
    joined = filter(None, _pairs(document, "joints", bodies))
    mounts = {mount_name(*pair): pair for pair in unjoined(pairs, joined)}
    return image_names(document.get("mirror"), sections, mounts, problems)


def _scope(document: Document, images: Images) -> Scope:
    """The names in the document and of images, good or bad, and its units as far as they are good."""
    sections = ("points", "bodies", "joints", "dampers", "bushings", "markers", "wheels", "axles")
    names = {key: _names(document, key) for key in sections}
    springs = [_names(document, key) for key in SPRINGS]
    names["springs"] = None if None in springs else frozenset().union(*filter(None, springs))
    free = _section(document, "coordinates")
    free = free.get("free", {}) if isinstance(free, dict) else {}
    names["coordinates"] = frozenset(free) if isinstance(free, dict) else frozenset()
    for key in (*names,):
        more = {
            image for section in (SPRINGS if key == "springs" else (key,)) for image in images.get(section, {}).values()
        }
        names[key] = None if (known := names[key]) is None else known | more
    discs, of_discs, forks = made_names(_section(document, "joints"))
    if names["bodies"] is not None:
        names["bodies"] |= {GROUND} | forks
    joints = _section(document, "joints")
    rods, cams = (
        frozenset(
            name
            for name in _names(document, "joints") or ()
            if isinstance(joints[name], dict) and joints[name].get("type") == kind
        )
        for kind in ("rod", "cam")
    )
    rods, cams = (
        own | {image for name, image in images.get("joints", {}).items() if name in own} for own in (rods, cams)
    )
    if names["joints"] is not None:
        names["joints"] = (names["joints"] - rods - cams - discs) | of_discs
        bushings = filter(None, _pairs(document, "bushings", names["bodies"]))
        joined = filter(None, _pairs(document, "joints", names["bodies"], rods | cams))
        names["joints"] |= {mount_name(*pair) for pair in unjoined(bushings, joined)}
    units = _section(document, "units")
    chosen = {key: unit for key, unit in units.items() if key in SCALES} if isinstance(units, dict) else {}
    good = {key: unit for key, unit in chosen.items() if isinstance(unit, str) and unit in SCALES[key]}
    return Scope(**names, rods=rods, cams=cams, units=Units(**good))


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
    """Without the type that pydantic puts behind the name of a joint or element."""
    typed = len(place) > 2 and place[2] in _TYPES.get(str(place[0]), ())
    return (*place[:2], *place[3:]) if typed else place


def _copied(value: Any) -> Any:
    return {key: _copied(item) for key, item in value.items()} if isinstance(value, dict) else value


def _prune(table: Any, place: Path) -> None:
    """Take out the object at `place`, if it is still there."""
    for key in [key for key in table if place and str(key) == str(place[0])] if isinstance(table, dict) else ():
        if len(place) == 1:
            del table[key]
        else:
            _prune(table[key], place[1:])


# -- connections ------------------------------------------------------------------------------------------------------


def _connection_problems(document: Document, scope: Scope, images: Images) -> list[Problem]:
    """What the mechanism says about its bodies and what connects them, faulty objects included.

    It is asked with stand-ins that have nothing but names.  If a joint does not tell which bodies it joins, any body
    may be connected by it.
    """
    joints = _section(document, "joints")
    if scope.bodies is None or not isinstance(joints, dict):
        return []
    mirrored = images.get("bodies", {})
    forks = made_names(joints)[2]
    bodies = (_names(document, "bodies") or frozenset()) | {*mirrored.values()} | forks
    without = scope.rods | scope.cams
    pairs = _pairs(document, "joints", scope.bodies, without) + _pairs(document, "bushings", scope.bodies)
    pairs += [(mirrored.get(a, a), mirrored.get(b, b)) for a, b in filter(None, pairs) if {a, b} & {*mirrored}]
    pairs += [(GROUND, fork) for fork in forks]
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
