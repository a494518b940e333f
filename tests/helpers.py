"""Shared by the tests: mechanism files, random closed-loop mechanisms, finite differences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.linalg

from precompute.arrays import Array
from precompute.errors import SingularityError
from precompute.kinematics.assembly import RANK_TOLERANCE, close_loops
from precompute.kinematics.coefficients import Closure, coefficient_derivatives, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.mobility import mobility
from precompute.kinematics.poses import Poses
from precompute.kinematics.topology import Topology, spanning_tree
from precompute.model.mechanism import (
    Body,
    Joint,
    JointCoordinate,
    JointKind,
    Marker,
    Mechanism,
    Primitive,
    Rod,
    joint_primitives,
)

ROOT = Path(__file__).resolve().parent.parent
MECHANISMS = ROOT / "integration" / "mechanisms"
ON_DISCS = ("rolling_disc", "wobbling_disc")
"""Mechanism files with a disc on the floor: what changes hardpoints or draws them elsewhere does not take them."""
GOLDEN = Path(__file__).resolve().parent / "golden"

FREEDOM: dict[JointKind, int] = {
    "revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 3, "planar": 3, "sequence": 2,
    "free": 6, "fixed": 0,
}  # fmt: skip
OFTEN = ["revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "sequence"] * 3 + ["free"]
AXES = {"revolute": 1, "prismatic": 1, "cylindrical": 1, "universal": 2, "planar": 1}


def joint(kind: JointKind, name: str, parent: str, child: str, at: Array, *axes: Array) -> Joint:
    """A joint whose two frames coincide at design."""
    return Joint(name, kind, parent, child, at, at, joint_primitives(kind, axes))


def random_body(rng: np.random.Generator, name: str) -> Body:
    """A body with a physically possible inertia: that of a random cloud of six mass points."""
    points = rng.uniform(-0.5, 0.5, (6, 3))
    masses = rng.uniform(0.1, 1.0, 6)
    com = masses @ points / masses.sum()
    d = points - com
    inertia = sum(m * ((v @ v) * np.eye(3) - np.outer(v, v)) for m, v in zip(masses, d, strict=True))
    return Body(name, float(masses.sum()), com, np.asarray(inertia))


def random_joint(rng: np.random.Generator, name: str, parent: str, child: str, kind: JointKind) -> Joint:
    """A joint at a random point with random axes, in a random direction."""
    axes = rng.standard_normal((AXES.get(kind, 0), 3))
    if rng.random() < 0.5:
        parent, child = child, parent
    if kind == "sequence":
        at, kinds = rng.uniform(-1, 1, 3), rng.permutation(["rotation", "translation"])
        primitives = tuple(Primitive(str(k), rng.standard_normal(3)) for k in kinds)  # type: ignore[arg-type]
        return Joint(name, kind, parent, child, at, at, primitives)
    return joint(kind, name, parent, child, rng.uniform(-1, 1, 3), *axes)


def random_loop(rng: np.random.Generator, freedom: int, prefix: str, start: str, end: str) -> tuple[list, list]:
    """Bodies and joints of a chain from `start` to `end` whose joint freedoms sum to `freedom`."""
    kinds: list[JointKind] = ["fixed"] if rng.random() < 0.15 else []
    while (left := freedom - sum(FREEDOM[k] for k in kinds)) > 0:
        kinds.append(str(rng.choice([k for k in OFTEN if FREEDOM[k] <= left])))  # type: ignore[arg-type]
    if len(kinds) < 2:  # one free joint alone makes no loop
        kinds = ["spherical", *["revolute"] * (freedom - 3)]
    names = [start, *(f"{prefix}{i}" for i in range(1, len(kinds))), end]
    bodies = [random_body(rng, name) for name in names[1:-1]]
    joints = [random_joint(rng, f"{prefix}j{i}", names[i], names[i + 1], k) for i, k in enumerate(kinds)]
    return bodies, joints


def random_mechanism(seed: int) -> Mechanism:
    """One or two spatial loops, any joint mix, mostly 1 to 3 freedoms, sometimes a rod; a marker on each body."""
    rng = np.random.default_rng(seed)
    dof = int(rng.integers(1, 4))
    rods: list[Rod] = []
    with_rod = dof < 3 and rng.random() < 0.4
    bodies, joints = random_loop(rng, 6 + dof + with_rod, "a", "ground", "ground")
    if rng.random() < 0.5:
        more_bodies, more_joints = random_loop(rng, 6, "b", "ground", bodies[-1].name)
        bodies, joints = bodies + more_bodies, joints + more_joints
    if with_rod:
        p, q = rng.uniform(-1, 1, (2, 3))
        rods.append(Rod("rod", "ground", bodies[0].name, p, q, float(np.linalg.norm(p - q))))
    markers = [Marker(f"m_{b.name}", b.name, rng.uniform(-1, 1, 3)) for b in bodies]
    return Mechanism("Random", bodies, joints, rods, markers=markers)


def random_planar_mechanism(seed: int) -> Mechanism:
    """A planar linkage in a random plane, 1 to 3 freedoms, with redundant equations.

    A loop of 3 + dof pins and at most two slides (four-bars, slider-cranks, five- and six-bars), sometimes with two
    more links and three pins between its first body and the ground (a six-bar of Stephenson), sometimes with a second
    hinge on the axis of the first pin.
    """
    rng = np.random.default_rng(seed)
    n = 3 + int(rng.integers(1, 4))
    plane = scipy.linalg.qr(rng.standard_normal((3, 3)))[0]
    normal = plane[:, 2]

    def point() -> Array:
        return plane @ [*rng.uniform(-1, 1, 2), 0.0]

    def pin(name: str, parent: str, child: str, at: Array) -> Joint:
        return joint("revolute", name, parent, child, at, normal)

    names = ["ground", *(f"a{i}" for i in range(1, n)), "ground"]
    joints = [pin(f"j{i}", names[i], names[i + 1], point()) for i in range(n)]
    for i in rng.choice(n, int(rng.integers(0, 3)), replace=False):
        way = plane @ [*rng.standard_normal(2), 0.0]
        joints[i] = joint("prismatic", f"j{i}", names[i], names[i + 1], joints[i].p_P, way)
    if rng.random() < 0.4:
        joints += [pin("b0", "a1", "b1", point()), pin("b1", "b1", "b2", point()), pin("b2", "b2", "ground", point())]
        names += ["b1", "b2"]
    if joints[0].kind == "revolute" and rng.random() < 0.3:
        joints.append(pin("hinge", "ground", "a1", joints[0].p_P + 0.5 * normal))
    bodies = [random_body(rng, name) for name in names if name != "ground"]
    return Mechanism("Planar", bodies, joints, markers=[Marker(f"m_{b.name}", b.name, point()) for b in bodies])


def pivot_joints(mechanism: Mechanism, topology: Topology, null: Array) -> tuple[JointCoordinate, ...]:
    """Scalar joint coordinates that pivoted QR picks at design: cheaper than what the selection finds, and regular."""
    found = [
        JointCoordinate(j.name, i) for j in mechanism.joints for i, p in enumerate(j.primitives) if p.kind != "ball"
    ]
    dof = null.shape[1]
    if len(found) < dof:
        raise SingularityError("a mechanism of balls alone has no scalar joint coordinate")
    rows = null[[topology.scalars[c.joint, c.index][1] for c in found]]
    _, R, pivots = scipy.linalg.qr(rows.T, mode="economic", pivoting=True)
    if abs(R[dof - 1, dof - 1]) < RANK_TOLERANCE:
        raise SingularityError("balls take some of the freedoms")
    return tuple(found[i] for i in pivots[:dof])


def planar_four_bar(*links: tuple[float, float]) -> Mechanism:
    """A planar four-bar from its moving links (length, angle in deg); revolutes a, b, c, d from ground to ground."""
    points = [np.zeros(3)]
    for length, angle in links:
        a = np.deg2rad(angle)
        points.append(points[-1] + length * np.array([np.cos(a), np.sin(a), 0.0]))
    rng, z = np.random.default_rng(0), np.array([0.0, 0.0, 1.0])
    bodies = [random_body(rng, name) for name in ("one", "two", "three")]
    ends = ["ground", "one", "two", "three", "ground"]
    pins = [joint("revolute", n, ends[i], ends[i + 1], points[i], z) for i, n in enumerate("abcd")]
    return Mechanism("FourBar", bodies, pins)


class Solved:
    """A random mechanism at a configuration near its design, with an independent coordinate set."""

    def __init__(self, mechanism: Mechanism, offset: float = 0.05):
        topology = spanning_tree(mechanism)
        self.design = close_loops(mechanism, topology)
        self.dof, null = mobility(mechanism, topology, self.design)
        self.closure = Closure(mechanism, topology, pivot_joints(mechanism, topology, null))
        self.z0 = self.closure.values(self.closure.poses(self.design.q))
        self.z = self.z0 + offset * (1.0 + 0.3 * np.arange(self.dof))
        self.q = self.at(self.z[None])[0]

    def at(self, z: Array) -> Array:
        """Closed configurations at z (n, nz), by continuation from the design."""
        n = len(z)
        start = np.repeat(self.design.q[None], n, 0), np.repeat(self.z0[None], n, 0)
        done = follow(self.closure, *start, z)
        if not done.reached.all():  # a mechanism drawn near a singularity
            raise SingularityError("out of reach")
        return done.q

    def velocities(self, q: Array) -> tuple[Poses, Array, Array, Array, Array]:
        """Poses, B, dB, W, dW of a batch."""
        P = self.closure.poses(q)
        factor = factorize(self.closure, self.closure.matrix(P))
        B = velocity_coefficients(self.closure, factor)
        dB, W, dW = coefficient_derivatives(self.closure, P, factor, B)
        return P, B, dB, W, dW

    def stencil(self, h: float) -> Array:
        """Configurations at z + h e_j, z - h e_j, z + 2h e_j, z - 2h e_j for each j: (nz, 4, nq)."""
        steps = np.array([h, -h, 2 * h, -2 * h])
        points = self.z + steps[None, :, None] * np.eye(self.dof)[:, None, :]
        return self.at(points.reshape(-1, self.dof)).reshape(self.dof, 4, -1)


def five_point(f: Array, h: float) -> Array:
    """Fourth-order first derivative from values at +h, -h, +2h, -2h on the first axis."""
    return (8.0 * (f[0] - f[1]) - (f[2] - f[3])) / (12.0 * h)


def rod_four_bar(length):
    """Two cranks of length 1, pivots 2 apart, joined by a rod of the given length."""
    rng, up = np.random.default_rng(0), np.array([0.0, 0, 1])
    return Mechanism(
        "RodFourBar",
        [random_body(rng, "left"), random_body(rng, "right")],
        [
            joint("revolute", "a", "ground", "left", np.zeros(3), up),
            joint("revolute", "b", "ground", "right", np.array([2.0, 0, 0]), up),
        ],
        [Rod("link", "left", "right", np.array([0.0, 1, 0]), np.array([2.0, 1, 0]), length)],
    )
