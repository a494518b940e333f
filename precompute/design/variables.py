"""The design variables of a mechanism: every number of its file that an engineer may want to change, by name.

A name follows the keys of the file.

    point.P.x                               a hardpoint; all that is given by its name moves
    joint.J.at.x, .parent.x, .child.x       the place of a joint: on both bodies, or on one of them; of a rod its ends
    joint.J.rx, bushing.B.rx                turns the axes of a joint or bushing about a global axis, on both bodies
    rod.R.length                            a rod without a length of its own follows its points, until it is changed
    body.B.mass, body.B.com.x, body.B.inertia.xx
    marker.M.at.x, bushing.B.at.x, wheel.W.centre.x, spring.S.at[1].x      places: the object moves, no point of a name
    spring.S.stiffness, .free_length, .preload, .bump_stop.length, ...     likewise dampers, forces, stops, bars
    bushing.B.stiffness.x, .damping.rx, .preload.x
    wheel.W.radius, .unloaded_radius, .tyre_rate, .toe, .camber

Values are SI; of what has a mirror image both change, the image as a mirror shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from precompute.errors import MechanismError
from precompute.hints import closest, nearest
from precompute.mechanism_file.schema.toml_text import Path
from precompute.model.contact_problems import refuse_contact
from precompute.model.mechanism import DIRECTIONS, Mechanism, Rod
from precompute.units import Scale, Units

XYZ = ("x", "y", "z")
MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")

Kind = Literal["number", "place", "side", "turn", "derived"]
"""How a change is written: into a number that is there; a place; one side of a joint; its axes; what replaces a rule.
"""


@dataclass(frozen=True)
class Variable:
    """A number of a mechanism that may be changed."""

    name: str
    kind: Kind
    path: Path  # in the document: of the number; of the place, the joint, or what is derived
    index: int  # which component of a place or turn; of a side 0 to 2 on the parent, 3 to 5 on the child
    value: float  # [SI] at present
    scale: Scale  # of the file's unit
    unit: str  # the file's unit

    @property
    def shown(self) -> str:
        """The present value in the unit of the file."""
        return f"{self.scale.back(self.value):.6g} {self.unit}"

    def change(self, by: float) -> str:
        """A change [SI] in the unit of the file."""
        return f"{self.scale.back(by):+.6g} {self.unit}"


@dataclass(frozen=True)
class Measured:
    """What numbers of an object are measured in: the units of its file, lengths or angles."""

    units: Units
    angular: bool = False

    def of(self, quantity: str) -> tuple[Scale, str]:
        """Scale and unit of a "mass", "length", "angle", "inertia", "measure", "effort", "stiffness" or "damping"."""
        u = self.units
        if quantity in ("mass", "length", "angle"):
            return u.scale(quantity), getattr(u, quantity)
        if quantity == "inertia":
            return u.inertia(), f"{u.mass} {u.length}2"
        measure, effort = (u.angle, f"{u.force} {u.length}") if self.angular else (u.length, u.force)
        match quantity:
            case "measure":
                return u.measure(self.angular), measure
            case "effort":
                return u.effort(self.angular), effort
        return u.slope(self.angular), f"{effort}/{measure}" if quantity == "stiffness" else f"{effort} s/{measure}"


FORCES: dict[str, tuple[str, dict[str, str]]] = {
    "springs": ("spring", {"stiffness": "stiffness", "free_length": "measure", "preload": "effort"}),
    "anti_roll_bars": ("anti_roll_bar", {"stiffness": "stiffness", "preload": "effort"}),
    "stops": ("stop", {"stiffness": "stiffness", "above": "measure", "below": "measure"}),
    "dampers": ("damper", {"damping": "damping"}),
    "forces": ("force", {"value": "effort"}),
}
"""Section -> what one of its objects is called, and its numbers with what they are."""

STOPS = {"length": "measure", "stiffness": "stiffness"}
WHEELS = {"radius": "length", "unloaded_radius": "length", "tyre_rate": "stiffness", "toe": "angle", "camber": "angle"}


def variables(mechanism: Mechanism, document: Mapping[str, Any], units: Units) -> dict[str, Variable]:
    """All design variables by name, in the order of the sections above.

    Args:
        mechanism: as the document gives it.
        document: with all points in it.
        units: of the document.
    """
    refuse_contact(mechanism, "changing design variables")
    measured = Measured(units)
    found = [
        *_numbers(document.get("points", {}), "points", "point", measured),
        *_joints(mechanism, document, measured),
        *_bodies(mechanism, document, measured),
        *_forces(mechanism, document, units),
        *_bushings(mechanism, document, units),
        *_markers(mechanism, document, measured),
        *_wheels(mechanism, document, measured),
    ]
    return {variable.name: variable for variable in found}


def chosen(known: Mapping[str, Variable], names: list[str], mechanism: str) -> list[Variable]:
    """The variables of these names.

    Raises:
        MechanismError: there are none of that name; with the nearest names.
    """
    if unknown := [name for name in names if name not in known]:
        text = [f"there is no design variable '{name}'; {hint(name, known)}" for name in unknown]
        raise MechanismError(text, f"mechanism '{mechanism}'")
    return [known[name] for name in names]


def hint(name: str, known: Iterable[str]) -> str:
    """The nearest name: of the same object, or kind, if there is one; of names that are far from all, the objects."""
    words, pool = name.split("."), [*known]
    for n in range(len(words) - 1, 0, -1):
        alike = [other for other in pool if other.split(".")[:n] == words[:n]]
        if alike and n > 1:
            return nearest(name, alike)
        pool = alike or pool
    if close := closest(name, pool):
        return f"did you mean '{close}'?"
    return nearest(".".join(words[:2]), {".".join(other.split(".")[:2]) for other in pool})


# -- sections ---------------------------------------------------------------------------------------------------------


def _number(name: str, path: Path, written: float, quantity: str, measured: Measured) -> Variable:
    scale, unit = measured.of(quantity)
    return Variable(name, "number", path, 0, float(scale(float(written))), scale, unit)


def _numbers(table: Mapping[str, Any], section: str, called: str, measured: Measured) -> Iterator[Variable]:
    """Points."""
    for name, p in table.items():
        for i, axis in enumerate(XYZ):
            yield _number(f"{called}.{name}.{axis}", (section, name, i), p[i], "length", measured)


def _place(name: str, path: Path, p: Any, measured: Measured) -> Iterator[Variable]:
    scale, unit = measured.of("length")
    for i, axis in enumerate(XYZ):
        yield Variable(f"{name}.{axis}", "place", path, i, float(p[i]), scale, unit)


def _joints(mechanism: Mechanism, document: Mapping[str, Any], measured: Measured) -> Iterator[Variable]:
    parts = {part.name: part for part in mechanism.connections}
    length, unit = measured.of("length")
    for name, entry in document.get("joints", {}).items():
        if name not in parts:  # a cam, whose points are variables by their names
            continue
        path, part = ("joints", name), parts[name]
        if isinstance(part, Rod):
            yield Variable(f"rod.{name}.length", "derived", (*path, "length"), 0, part.length, length, unit)
        else:
            for i, axis in enumerate(XYZ):
                yield Variable(f"joint.{name}.at.{axis}", "place", (*path, "at"), i, float(part.p_P[i]), length, unit)
        for side, p in enumerate((part.p_P, part.p_C)):
            for i, axis in enumerate(XYZ):
                called = f"{'rod' if isinstance(part, Rod) else 'joint'}.{name}.{('parent', 'child')[side]}.{axis}"
                yield Variable(called, "side", (*path, "at"), 3 * side + i, float(p[i]), length, unit)
        if turns(entry):
            yield from _turn(f"joint.{name}", path, measured)


def _turn(name: str, path: Path, measured: Measured) -> Iterator[Variable]:
    scale, unit = measured.of("angle")
    for i, axis in enumerate(XYZ):
        yield Variable(f"{name}.r{axis}", "turn", path, i, 0.0, scale, unit)


def turns(entry: Mapping[str, Any]) -> bool:
    """Whether a joint has axes: given ones, or own ones that are global unless it turns them."""
    own = bool(entry.get("stiff")) or (bool(entry.get("load")) and entry["type"] not in ("sequence", "rod"))
    moved = any(set(each) & {"rotation", "translation"} for each in entry.get("primitives", ()))
    return "axis" in entry or own or moved


def _bodies(mechanism: Mechanism, document: Mapping[str, Any], measured: Measured) -> Iterator[Variable]:
    for body in mechanism.bodies:
        if body.name in document.get("bodies", {}):  # others are mirror images
            path = ("bodies", body.name)
            mass = document["bodies"][body.name]["mass"]
            yield _number(f"body.{body.name}.mass", (*path, "mass"), mass, "mass", measured)
            yield from _place(f"body.{body.name}.com", (*path, "com"), body.com, measured)
            for i, moment in enumerate(document["bodies"][body.name].get("inertia", ())):
                yield _number(
                    f"body.{body.name}.inertia.{MOMENTS[i]}", (*path, "inertia", i), moment, "inertia", measured
                )


def _forces(mechanism: Mechanism, document: Mapping[str, Any], units: Units) -> Iterator[Variable]:
    on = {("springs", s.name): s.on for s in mechanism.springs}
    on |= {("dampers", d.name): d.on for d in mechanism.dampers} | {("forces", f.name): f.on for f in mechanism.forces}
    for section, (called, keys) in FORCES.items():
        for name, entry in document.get(section, {}).items():
            measure = on["springs" if section in ("anti_roll_bars", "stops") else section, name]
            measured = Measured(units, measure.is_angle(mechanism))
            path = (section, name)
            for key, quantity in keys.items():
                if isinstance(entry.get(key), int | float):
                    yield _number(f"{called}.{name}.{key}", (*path, key), entry[key], quantity, measured)
            for stop in ("bump_stop", "rebound_stop"):
                for key, quantity in STOPS.items():
                    if key in entry.get(stop, {}):
                        own = entry[stop][key]
                        yield _number(f"{called}.{name}.{stop}.{key}", (*path, stop, key), own, quantity, measured)
            if "at" in entry and measure.segment is not None:
                for end, (_, p) in enumerate(measure.segment):
                    yield from _place(f"{called}.{name}.at[{end + 1}]", (*path, "at", end), p, measured)


def _bushings(mechanism: Mechanism, document: Mapping[str, Any], units: Units) -> Iterator[Variable]:
    for name, entry in document.get("bushings", {}).items():
        path = ("bushings", name)
        yield from _place(f"bushing.{name}.at", (*path, "at"), mechanism.bushing(name).p, Measured(units))
        yield from _turn(f"bushing.{name}", path, Measured(units))
        for key, quantity in (("stiffness", "stiffness"), ("damping", "damping"), ("preload", "effort")):
            for i, direction in enumerate(DIRECTIONS if key in entry else ()):
                row = entry[key][i]
                at, written = ((*path, key, i, i), row[i]) if isinstance(row, list | tuple) else ((*path, key, i), row)
                yield _number(f"bushing.{name}.{key}.{direction}", at, written, quantity, Measured(units, i >= 3))


def _markers(mechanism: Mechanism, document: Mapping[str, Any], measured: Measured) -> Iterator[Variable]:
    for name in document.get("markers", {}):
        yield from _place(f"marker.{name}.at", ("markers", name, "at"), mechanism.marker(name).p, measured)


def _wheels(mechanism: Mechanism, document: Mapping[str, Any], measured: Measured) -> Iterator[Variable]:
    for name, entry in document.get("wheels", {}).items():
        path, wheel = ("wheels", name), mechanism.wheel(name)
        yield from _place(f"wheel.{name}.centre", (*path, "centre"), wheel.centre, measured)
        for key, quantity in WHEELS.items():
            if key in entry:
                yield _number(f"wheel.{name}.{key}", (*path, key), entry[key], quantity, measured)
            elif key == "radius":  # a contact point says it
                scale, unit = measured.of("length")
                yield Variable(f"wheel.{name}.radius", "derived", (*path, "radius"), 0, wheel.radius, scale, unit)
