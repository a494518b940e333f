"""Mechanisms at scattered configurations, with the derivatives of all that is read of them."""

import numpy as np

from precompute.coordinates.independent import choose_coordinates
from precompute.design import Design, Dimensioned
from precompute.design.places import measures_of
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.continuation import follow
from precompute.kinematics.correcting import correct
from precompute.kinematics.topology import spanning_tree
from precompute.measures.bushing_deflection import BushingDeflection
from precompute.measures.joint_coordinate import JointCoordinate

DEFLECTION = 1e-3


def closure_of(mechanism, chosen=()):
    """With all independent coordinates, stiff ones last."""
    own = tuple(c.of for c in mechanism.coordinates or ()) or tuple(chosen)
    return Closure(mechanism, spanning_tree(mechanism).unlocked(), (*own, *mechanism.stiff_coordinates))


def scattered(mechanism, n=2, seed=0):
    """A closure, and n configurations q at z."""
    rng = np.random.default_rng(seed)
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    free = mechanism.coordinates or choose_coordinates(mechanism, topology, design).free
    closure = closure_of(mechanism, [c.of for c in free])
    start = np.repeat(closure.values(closure.poses(design.q))[None], n, axis=0)
    z = start.copy()
    for k, c in enumerate(free):
        middle, half = (
            ((c.upper + c.lower) / 2, (c.upper - c.lower) / 2) if c.lower is not None else (start[:, k], 0.05)
        )
        z[:, k] = middle + half * rng.uniform(-0.4, 0.4, n)
    z[:, len(free) :] += rng.uniform(-DEFLECTION, DEFLECTION, (n, z.shape[1] - len(free)))
    found = follow(closure, np.repeat(design.q[None], n, axis=0), start, z)
    assert found.reached.all()
    return closure, found.q, z


def read(mechanism, found):
    """All that is read of a mechanism."""
    out = {}
    for k in mechanism.markers:
        out["marker", k.name] = found.marker(k.name)
        if k.spin_axis is not None:
            out["spin", k.name] = found.marker_spin(k.name)
            out["steer", k.name], out["camber", k.name] = found.steer(k.name), found.camber(k.name)
    for w in mechanism.wheels:
        out["centre", w.name], out["axis", w.name] = found.wheel_centre(w.name), found.wheel_spin(w.name)
    out |= {("com", b.name): found.com(b.name) for b in mechanism.bodies}
    for section, measures in measures_of(mechanism).items():
        known = ((name, i, of) for name, own in measures.items() for i, of in enumerate(own) if of.contact_of is None)
        out |= {(section, name, i): found.measure(of) for name, i, of in known}
    for bushing in mechanism.bushings:
        out |= {(bushing.name, i): found.measure(BushingDeflection(bushing.name, i)) for i in range(6)}
    for joint in mechanism.joints:
        out |= {(side, joint.name): found.joint_point(joint.name, side) for side in ("parent", "child")}
        scalar = [i for i, p in enumerate(joint.primitives) if p.rates == 1]
        out |= {("joint", joint.name, i): found.measure(JointCoordinate(joint.name, i)) for i in scalar}
    return out


def geometric(design):
    """The variables that change places."""
    numbers = ("toe", "camber")
    return [
        name
        for name, v in design.variables.items()
        if v.kind != "number" or v.path[0] == "points" or name.endswith(numbers)
    ]


def resolved(design, name, change, closure, q, z, names):
    """What is read of the mechanism with a variable changed, solved again; None if that cannot be closed."""
    new = design.moved({name: change})
    chosen = closure.coordinates[: len(closure.coordinates) - len(new.stiff_coordinates)]
    there = closure_of(new, chosen)
    solved = correct(there, q, z)
    if not solved.converged.all():
        return None
    return read(new, Dimensioned.of(there, Design.of(new), names).at(solved.q))


FOURTH = {1: 2 / 3, -1: -2 / 3, 2: -1 / 12, -2: 1 / 12}
"""Steps and weights of central differences of fourth order: parts of a pump are small beside a suspension's."""


def largest_errors(mechanism, names, step, n=2):
    """Of first and second derivatives against differences over solved mechanisms, over 1 + the largest entry of each.

    A variable may make others mean something else: what is given by numbers does not follow its point any more, and
    rotations do not commute.  So where no point changes, only derivatives along it and coordinates are compared.
    """
    design = Design.of(mechanism)
    closure, q, z = scattered(mechanism, n)
    made = Dimensioned.of(closure, design, names)
    found = made.at(q, range(made.nz + len(names)))
    base, worst = read(mechanism, found), np.zeros(2)
    for k, name in enumerate(names):
        sides = [resolved(design, name, change * step, closure, q, z, names) for change in FOURTH]
        assert (None in sides) == (name in found.unfollowed), name
        if None in sides:
            continue
        own = slice(None) if name.startswith("point") else [*range(made.nz), made.nz + k]
        for key, at in base.items():
            value, slope = (
                sum(w * getattr(side[key], of) for w, side in zip(FOURTH.values(), sides, strict=True)) / step
                for of in ("value", "first")
            )
            first, second = value - at.first[..., made.nz + k], (slope - at.second[..., made.nz + k])[..., own]
            errors = [np.abs(e).max() / (1.0 + np.abs(x).max()) for e, x in ((first, at.first), (second, at.second))]
            assert max(errors) < 1e-6, (name, key, errors)
            worst = np.maximum(worst, errors)
    return worst
