"""What can be wrong between the parts of a mechanism: names that refer to nothing, bodies or directions left loose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fmu_src.model.designs import MOST_DESIGNS
from precompute.formulas.linking import link
from precompute.hints import nearest
from precompute.measures.interfaces import Kind
from precompute.model.bushings import bushings_across, deflection_rates, unheld_directions
from precompute.model.contact_problems import contact_problems
from precompute.model.holds import held_problems
from precompute.model.parts import GROUND
from precompute.model.wheels import Side, sided, spin_problem

if TYPE_CHECKING:
    from precompute.model.mechanism import Mechanism


MAX_NAME = 80


def reference_problems(m: Mechanism) -> list[str]:
    """Every name that refers to nothing, every name used twice; bodies that no joint reaches, loose directions."""
    return [*name_problems(m), *unknown_problems(m)] or [
        *unconnected_problems(m),
        *unheld_problems(m),
        *undeflected_problems(m),
        *expansion_problems(m),
        *wheel_problems(m),
        *contact_problems(m),
        *formula_problems(m),
        *design_problems(m),
        *held_problems(m.couplings, m.constraints),
        *cam_problems(m),
        *load_problems(m),
    ]


def name_problems(m: Mechanism) -> list[str]:
    """Names that are missing, taken or used twice."""
    problems = []
    if len(m.name) > MAX_NAME:
        problems.append(f"name: has {len(m.name)} characters; {MAX_NAME} are the most, since files are named after it")
    if not m.bodies:
        problems.append("bodies: there is none; add at least one")
    if GROUND in {b.name for b in m.bodies}:
        problems.append(f"bodies.{GROUND}: this name is taken by the frame that does not move; choose another")
    named = {
        "bodies": [b.name for b in m.bodies],
        "joints": [c.name for c in (*m.connections, *m.cams)],
        "springs": [s.name for s in m.springs],
        "dampers": [d.name for d in m.dampers],
        "forces": [f.name for f in m.forces],
        "bushings": [b.name for b in m.bushings],
        "elements": [d.name for d in m.devices],
        "markers": [k.name for k in m.markers],
        "ports": [p.name for p in m.ports],
        "measures": [r.name for r in m.measures],
        "wheels": [w.name for w in m.wheels],
        "axles": [a.name for a in m.axles],
        "couplings": [c.name for c in m.couplings],
        "constraints": [c.name for c in m.constraints],
        "coordinates": [c.name for c in m.coordinates or ()],
    }
    for kind, names in named.items():
        problems += [f"{kind}.{n}: this name is used twice" for n in sorted({n for n in names if names.count(n) > 1})]
    return problems


def unknown_problems(m: Mechanism) -> list[str]:
    """References to bodies, markers, joints and bushings that do not exist, and measures that have no value."""
    known: dict[Kind, set[str]] = {
        "body": {GROUND, *(b.name for b in m.bodies)},
        "marker": {k.name for k in m.markers},
        "joint": {j.name for j in m.joints},
        "bushing": {b.name for b in m.bushings},
        "wheel": {w.name for w in m.wheels},
    }
    measured = [(f"springs.{s.name}", s.on) for s in m.springs]
    measured += [(f"dampers.{d.name}", d.on) for d in m.dampers]
    measured += [(f"forces.{f.name}", f.on) for f in m.forces]
    measured += [(f"elements.{d.name}.on.{symbol}", on) for d in m.devices for symbol, on in d.on]
    measured += [(f"measures.{r.name}", r.of) for r in m.measures]
    measured += [(f"coordinates.{c.name}", c.of) for c in m.coordinates or ()]
    measured += [(f"couplings.{c.name}", c.of) for c in m.couplings]
    measured += [(f"axles.{a.name}", a.steering) for a in m.axles if a.steering is not None]
    referring: list[tuple[str, Kind, str]] = []
    referring += [(f"joints.{c.name}", "body", body) for c in (*m.connections, *m.cams) for body in (c.parent, c.child)]
    referring += [(f"joints.{c.name}", "joint", c.pin) for c in m.cams if c.pin is not None]
    referring += [(f"constraints.{c.name}", "body", body) for c in m.constraints for body in (c.parent, c.child)]
    referring += [(f"bushings.{b.name}", "body", body) for b in m.bushings for body in (b.parent, b.child)]
    referring += [(f"markers.{k.name}", "body", k.body) for k in m.markers]
    referring += [(f"ports.{p.name}", "marker", p.marker) for p in m.ports]
    referring += [(f"wheels.{w.name}", "body", w.body) for w in m.wheels]
    referring += [(f"axles.{a.name}", "wheel", wheel) for a in m.axles for wheel in a.wheels]
    referring += [(at, kind, name) for at, on in measured for kind, name in on.refers]
    missing = [
        f"{at}: there is no {kind} '{name}'; {nearest(name, known[kind])}"
        for kind in known
        for at, wanted, name in referring
        if wanted == kind and name not in known[kind]
    ]
    whole = [(at, on) for at, on in measured if all(name in known[kind] for kind, name in on.refers)]
    return [*missing, *(f"{at}: {problem}" for at, on in whole if (problem := on.problem(m)))]


def unconnected_problems(m: Mechanism) -> list[str]:
    """Bodies that no chain of joints connects to the ground."""
    reached = {GROUND}
    while (
        grown := {
            name for j in m.joints if (j.parent in reached) != (j.child in reached) for name in (j.parent, j.child)
        }
        - reached
    ):
        reached |= grown
    return [
        f"bodies.{b.name}: no joint connects it to the ground; if it is meant to float, add a joint "
        f'of type "free" with parent = "{GROUND}", child = "{b.name}"'
        for b in m.bodies
        if b.name not in reached
    ]


def unheld_problems(m: Mechanism) -> list[str]:
    """Stiff directions of joints with bushings that none of these holds."""
    loose = [(j.name, unheld_directions(j, m.bushings, m.springs)) for j in m.joints]
    return [
        f"joints.{name}: no bushing between its bodies holds the stiff direction {', '.join(directions)}; give one of "
        "them a stiffness there, or take the direction out of 'stiff'"
        for name, directions in loose
        if directions
    ]


def undeflected_problems(m: Mechanism) -> list[str]:
    """Bushings that a joint between the same bodies keeps from any deflection."""
    locking = {
        b.name: j.name for j in m.joints for b in bushings_across(j, m.bushings) if not deflection_rates(j, b).any()
    }
    return [
        f"bushings.{bushing}: joint '{joint}' between the same bodies leaves it no deflection; take the joint out, or "
        "give it stiff directions"
        for bushing, joint in locking.items()
    ]


def expansion_problems(m: Mechanism) -> list[str]:
    """A deflection to expand the tables about, where nothing can deflect."""
    if m.tables.about == "zero" or m.stiff_coordinates:
        return []
    return [
        f'tables.about: "{m.tables.about}" is a deflection, but no joint has a stiff direction and no body is on '
        "bushings; leave it out, or add bushings"
    ]


def wheel_problems(m: Mechanism) -> list[str]:
    """Wheels that are no wheels, axles whose wheels are not on their sides, numbers of axles that do not exist."""
    return [*_wheels(m), *_axles(m), *_vehicle(m)]


def _wheels(m: Mechanism) -> Iterator[str]:
    for wheel in m.wheels:
        if wheel.body == GROUND:
            yield f"wheels.{wheel.name}: its carrier is the ground, which does not move; name the body that carries it"
        if problem := spin_problem(wheel.spin_axis, m.axes):
            yield f"wheels.{wheel.name}: spin_axis {problem}"
        elif float(wheel.spin_axis @ m.axes.left) < 0.0:
            yield f"wheels.{wheel.name}: spin_axis points to the right; of both sides it must point to the left"


def _axles(m: Mechanism) -> Iterator[str]:
    for axle in m.axles:
        told: tuple[tuple[str | None, Side], ...] = ((axle.left, "left"), (axle.right, "right"))
        wrong = [(m.wheel(name), side) for name, side in told if name is not None and m.wheel(name).side != side]
        if len(wrong) == 2:
            yield f"axles.{axle.name}: its left wheel is on the right and its right wheel on the left; exchange them"
        for wheel, side in wrong if len(wrong) == 1 else ():
            across = float(wheel.centre @ m.axes.left)
            one = " like the other: an axle has wheels on both sides, or only one" if len(axle.wheels) == 2 else ""
            yield (
                f"axles.{axle.name}: its {side} wheel '{wheel.name}' is on the {wheel.side}{one}; its centre is "
                f"{sided(m.units, across)}. Check the signs of the points, or 'axes', which says where left is, or "
                "the wheel's 'side'"
            )


def _vehicle(m: Mechanism) -> Iterator[str]:
    known = [axle.name for axle in m.axles]
    for what in ("unsprung_mass", "brake_share", "drive_share"):
        for name, _ in getattr(m.vehicle, what, ()):
            if name not in known:
                yield f"vehicle.{what}: there is no axle '{name}'; known: {', '.join(known) or 'none'}"


def formula_problems(m: Mechanism) -> list[str]:
    """Mistakes in formulas of elements."""
    return [str(problem) for problem in link(m.devices, lambda on: on.unit(m))[1]]


def load_problems(m: Mechanism) -> list[str]:
    """Loads that elements read where steps cannot have them, or of joints that have none."""
    reading = [(f"elements.{d.name}.loads.{own.name}", own) for d in m.devices for own in d.loads]
    cams = {cam.name for cam in m.cams}
    problems = [
        f"{at}: there is no cam '{own.cam}'; {nearest(own.cam, cams)}" for at, own in reading if own.cam not in cams
    ]
    if m.contact is not None or m.stiff_coordinates:
        why = "a disc on the floor" if m.contact is not None else "stiff directions"
        problems += [
            f"{at}: elements cannot read loads of a mechanism with {why}; give the load as a parameter or an input, or "
            "take these out"
            for at, _ in reading
        ]
    return problems


def cam_problems(m: Mechanism) -> list[str]:
    """Cams whose turns cannot be counted, or whose roller cannot roll."""
    problems = []
    for cam in m.cams:
        if cam.pin is not None and cam.child not in (m.joint(cam.pin).parent, m.joint(cam.pin).child):
            ends = f"'{m.joint(cam.pin).parent}' and '{m.joint(cam.pin).child}'"
            text = f"joint '{cam.pin}' is between {ends}; the roller's must be on '{cam.child}', which carries it"
            problems.append(f"joints.{cam.name}.{'rolls' if cam.slips is None else 'slips'}: {text}")
            continue
        try:
            cam.rows(m), cam.read(m)
            if cam.slips is not None:
                cam.measure(m, "slip")
        except ValueError as error:
            problems.append(f"joints.{cam.name}: {error}")
    return problems


def design_problems(m: Mechanism) -> list[str]:
    """Too many design parameters, or two of one variable; whether there is such a variable, `check` and `bake` tell."""
    first = {d.of: d.name for d in reversed(m.designs)}
    problems = [
        f"design.{d.name}.of: is '{d.of}', as that of '{first[d.of]}'; take one of them out"
        for d in m.designs
        if first[d.of] != d.name
    ]
    if len(m.designs) > MOST_DESIGNS:
        text = f"has {len(m.designs)} parameters; {MOST_DESIGNS} are the most, since tables grow with their square"
        problems.append(f"design: {text}")
    return problems
