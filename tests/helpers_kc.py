"""Small axles of two mirrored corners, and their records by exact kinematics along any joint coordinates.

The rig fills records as well; these are for closed forms, with rates that are no travels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from helpers import joint, random_body

from precompute.geometry.spatial import point_acceleration, point_velocity, rotation
from precompute.kc.axle import axle
from precompute.kc.record import Choices, Element, Record, WheelData, wheel_data
from precompute.kc.registry import evaluate
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, coefficient_derivatives, factorize, velocity_coefficients
from precompute.kinematics.continuation import follow
from precompute.kinematics.motion import Motion
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Axes, Distance, JointCoordinate, Mechanism, Rod, Vehicle, Wheel

X, Y, Z = np.eye(3)
MIRROR = np.array([1.0, -1.0, 1.0])
EXACT = 1e-9
"""Of closed forms."""

POWER = 1e-10
"""Of identities by virtual work."""

VEHICLE = Vehicle(
    wheelbase=2.7, mass=1500.0, cg_height=0.55, cg_position=1.2, unsprung_mass=(("axle", 90.0),),
    brake_share=(("axle", 0.65),), drive_share=(("axle", 0.4),),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Corner:
    """The left corner: bodies, joints and rods with names that end in a side, which `both` adds."""

    joints: tuple  # (kind, name, parent, child, at, *axes); bodies other than ground and rack are of the side
    drive: tuple  # (joint, index) whose coordinate is the corner's rate
    centre: np.ndarray
    spin: np.ndarray = None
    rods: tuple = ()  # (name, body, body, point, point)
    measures: tuple = ()  # (role, name, body, body, point, point)
    balls: tuple = ()  # (body, point): lower and upper
    carrier: str = "carrier"
    radius: float = 0.3


def axis_image(kind, axis):
    """A mirrored axis: of rotations, which are axial, turned round besides."""
    return MIRROR * axis if kind in ("prismatic", "cylindrical") else -MIRROR * axis


class Small:
    """An axle of a corner and its mirror image, perhaps with a rack that steers both."""

    def __init__(self, corner: Corner, steered: bool = False, choices: Choices | None = None, end="front"):
        self.corner, self.steered, self.end = corner, steered, end
        self.choices = choices or Choices()
        rng = np.random.default_rng(0)
        joints, rods, names = [], [], []
        if steered:
            names.append("rack")
            joints.append(joint("prismatic", "rack", "ground", "rack", np.array([0.1, 0.0, 0.3]), Y))
        for side, M in (("left", np.ones(3)), ("right", MIRROR)):

            def of(body, side=side):
                return body if body in ("ground", "rack") else f"{body}_{side}"

            for kind, name, parent, child, at, *axes in corner.joints:
                turned = [a if side == "left" else axis_image(kind, a) for a in axes]
                joints.append(joint(kind, f"{name}_{side}", of(parent), of(child), M * at, *turned))
                names += [of(b) for b in (parent, child)]
            for name, a, b, p, q in corner.rods:
                rods.append(Rod(f"{name}_{side}", of(a), of(b), M * p, M * q, float(np.linalg.norm(np.subtract(p, q)))))
        bodies = [random_body(rng, n) for n in dict.fromkeys(names) if n != "ground"]
        spin = Y if corner.spin is None else corner.spin
        wheels = [
            Wheel("left", f"{corner.carrier}_left", corner.centre, spin, "left", corner.radius, tyre_rate=2e5),
            Wheel("right", f"{corner.carrier}_right", MIRROR * corner.centre, -MIRROR * spin, "right", corner.radius,
                  tyre_rate=2e5),
        ]  # fmt: skip
        self.mechanism = Mechanism("Small", bodies, joints, rods, wheels=wheels)
        name, index = corner.drive
        coordinates = [JointCoordinate(f"{name}_{side}", index) for side in ("left", "right")]
        coordinates += [JointCoordinate("rack", 0)] if steered else []
        topology = spanning_tree(self.mechanism)
        self.design = close_loops(self.mechanism, topology)
        self.closure = Closure(self.mechanism, topology, tuple(coordinates))

    @cached_property
    def z0(self):
        return self.closure.values(self.closure.poses(self.design.q))

    def motion(self, z):
        """At z (n, nz): the motion, and B."""
        z = np.atleast_2d(np.asarray(z, dtype=float))
        start = np.repeat(self.design.q[None], len(z), 0), np.repeat(self.z0[None], len(z), 0)
        done = follow(self.closure, *start, z)
        assert done.reached.all()
        P = self.closure.poses(done.q)
        factor = factorize(self.closure, self.closure.matrix(P))
        B = velocity_coefficients(self.closure, factor)
        dB, W, dW = coefficient_derivatives(self.closure, P, factor, B)
        return Motion(P, B, W, dW, dB), B

    def element(self, motion, B, measure, name, role):
        P = motion.places
        return Element(
            name, role, measure.is_angle(self.mechanism), measure.value(P),
            (measure.row(P)[..., None, :] @ B)[..., 0, :], measure.second(motion), np.full(len(B), 1.0),
        )  # fmt: skip

    def record(self, z, side, choices=None, motion=None):
        motion, B = motion or self.motion(z)
        P, n, corner = motion.places, len(B), self.corner
        M = np.ones(3) if side == "left" else MIRROR
        wheel = self.mechanism.wheel(side)
        X_GB = P.pose(wheel.body)
        centre = X_GB.point(wheel.centre)
        V, A = motion.velocity(wheel.body), motion.acceleration(wheel.body)
        elements = []
        for role, name, a, b, p, q in corner.measures:
            of = [body if body in ("ground", "rack") else f"{body}_{side}" for body in (a, b)]
            elements.append(self.element(motion, B, Distance(*of, M * p, M * q), name, role))
        points = [(body if body == "ground" else f"{body}_{side}", M * p) for body, p in corner.balls]
        balls = [P.pose(body).point(p) for body, p in points]
        rates = [point_velocity(motion.velocity(body), ball) for (body, _), ball in zip(points, balls, strict=True)]
        rack = self.element(motion, B, JointCoordinate("rack", 0), "rack", "steering") if self.steered else None
        return Record(
            wheel_data(wheel, Axes()), centre, X_GB.R, np.broadcast_to(Z, (n, 3)), choices or self.choices,
            balls=np.stack(balls, -2) if balls else None, steering=rack, elements=tuple(elements),
            W=np.concatenate([V[..., :3, :], point_velocity(V, centre)], -2),
            ball_rates=np.stack(rates, -3) if balls else None,
            dW=np.concatenate([A[..., :3, :, :], point_acceleration(V, A, centre)], -3), load=np.full(n, 4000.0),
        )  # fmt: skip

    def axle(self, z, choices=None, **known):
        """The axle at z (n, nz)."""
        motion = self.motion(z)
        left, right = (self.record(z, side, choices, motion) for side in ("left", "right"))
        return axle("axle", left, right, **{"end": self.end, "vehicle": VEHICLE} | known)


# -- corners -------------------------------------------------------------------------------------------------------


def wishbones(lower, upper, balls, tie, centre, spin=None, rack=True):
    """Two arms on axes (point, direction) to balls (lower, upper), a tie rod (inner, outer) from the rack or ground."""
    low, top = balls
    return Corner(
        joints=(
            ("revolute", "lower", "ground", "lower_arm", lower[0], lower[1]),
            ("spherical", "lower_ball", "lower_arm", "carrier", low),
            ("revolute", "upper", "ground", "upper_arm", upper[0], upper[1]),
            ("spherical", "upper_ball", "upper_arm", "carrier", top),
        ),
        rods=(("tie", "rack" if rack else "ground", "carrier", *tie),),
        drive=("lower", 0),
        centre=centre,
        spin=spin,
        measures=(
            ("spring", "coil", "ground", "lower_arm", low * [1, 0.7, 1] + 0.35 * Z, low * [1, 0.8, 1]),
            ("damper", "damper", "ground", "lower_arm", low * [1, 0.72, 1] + 0.4 * Z, low * [1, 0.85, 1]),
            ("stop", "bump_stop", "ground", "upper_arm", top * [1, 0.8, 1] - 0.2 * Z, top * [1, 0.9, 1]),
            ("anti_roll_bar", "bar", "ground", "lower_arm", low * [0, 0.6, 1] + [-0.2, 0, 0], low * [1, 0.9, 1]),
            ("element", "actuator.s", "ground", "lower_arm", low * [0, 0.6, 1] + [-0.1, 0, 0], low * [1, 0.9, 1]),
        ),
        balls=(("carrier", low), ("carrier", top)),
    )  # fmt: skip


def arr(*numbers):
    return np.array(numbers, dtype=float)


def general():
    """A double wishbone with nothing parallel, steered."""
    spin = arr(-0.02, 1.0, 0.015)
    corner = wishbones(
        (arr(0.0, 0.32, 0.19), arr(1.0, 0.06, -0.05)),
        (arr(-0.02, 0.42, 0.43), arr(1.0, -0.08, 0.09)),
        (arr(0.02, 0.68, 0.17), arr(-0.02, 0.62, 0.46)),
        (arr(0.12, 0.36, 0.27), arr(0.14, 0.66, 0.26)),
        arr(0.0, 0.75, 0.3),
        spin / np.linalg.norm(spin),
    )
    return Small(corner, steered=True)


def parallel():
    """Parallel arms of equal length, level at design; the tie rod is parallel and equal too."""
    return Small(
        wishbones(
            (arr(0.0, 0.3, 0.2), X), (arr(0.0, 0.3, 0.4), X), (arr(0.0, 0.7, 0.2), arr(0.0, 0.7, 0.4)),
            (arr(0.15, 0.3, 0.3), arr(0.15, 0.7, 0.3)), arr(0.0, 0.75, 0.3),
        ),
        steered=True,
    )  # fmt: skip


def turning(axis, at, centre, end="rear"):
    """A carrier that turns about one axis fixed to the body: trailing arm, swing axle."""
    return Small(
        Corner(
            joints=(("revolute", "pivot", "ground", "carrier", at, axis),),
            drive=("pivot", 0),
            centre=centre,
            measures=(
                ("spring", "coil", "ground", "carrier", centre * [0.9, 0.8, 1] + 0.3 * Z, centre * [0.9, 0.8, 1]),
            ),
        ),
        end=end,
    )


def strut(top, ball, inner, tie, centre):
    """A strut: an arm to a ball, a carrier that slides in a body hung at the top; steered by a rack."""
    along = (top - ball) / np.linalg.norm(top - ball)
    return Small(
        Corner(
            joints=(
                ("revolute", "lower", "ground", "lower_arm", inner, X),
                ("spherical", "lower_ball", "lower_arm", "carrier", ball),
                ("spherical", "top", "ground", "rod", top),
                ("prismatic", "slide", "rod", "carrier", 0.5 * (top + ball), along),
            ),
            rods=(("tie", "rack", "carrier", *tie),),
            drive=("lower", 0),
            centre=centre,
            measures=(("spring", "coil", "ground", "carrier", top, ball + 0.3 * along),),
            balls=(("carrier", ball), ("ground", top)),
        ),
        steered=True,
    )


# -- records -------------------------------------------------------------------------------------------------------


def perturbed(value, rng, step):
    """A record with every array of numbers in it shifted by a step along a random direction, drawn in a fixed order."""
    if isinstance(value, np.ndarray):
        return value + step * (np.abs(value).max() or 1.0) * rng.standard_normal(value.shape)
    if isinstance(value, tuple):
        return tuple(perturbed(each, rng, step) for each in value)
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, (Choices, Vehicle)):
        names = [name for name in value.__dataclass_fields__]
        return replace(value, **{name: perturbed(getattr(value, name), rng, step) for name in names})
    return value


def on_springs(axle_record, rate, softness=0.0):
    """The same axle with springs of a rate [N/m] at both wheels, without force; and a random softness besides.

    C = A K^-1 A^T with A the twists of both carriers along the rates that are not steering's: steering is held.
    """
    left, right = axle_record.wheels
    A = np.concatenate([left.W, right.W], axis=-2)[..., :2]
    g = np.stack([wheel.of_role("spring")[0].gradient[..., :2] for wheel in axle_record.wheels], axis=-2)
    K = rate * np.swapaxes(g, -1, -2) @ g
    C = A @ np.linalg.solve(K, np.swapaxes(A, -1, -2))
    root = np.random.default_rng(3).standard_normal((12, 12))
    C = C + softness * root @ root.T
    return replace(axle_record, compliance=C, compliance_without_bars=1.25 * C)


def steered(left, right):
    """Two upright wheels that are turned about their contact points."""
    records = []
    for side, angle, M in (("left", left, np.ones(3)), ("right", right, MIRROR)):
        at = M * arr(0.0, 0.72, 0.3)
        data = WheelData(side, side, at, Y, at - 0.3 * Z, 0.3)
        records.append(
            Record(data, np.broadcast_to(at, (len(angle), 3)), rotation(Z, angle), np.tile(Z, (len(angle), 1)))
        )
    return axle("axle", *records, end="front", vehicle=VEHICLE)


def close(found, expected, tolerance=EXACT):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def value(name, record):
    """The one column of a metric of an axle, or of a wheel alone."""
    return evaluate(name, record)[name]
