"""The shipped suspensions on bushings are plausible, by the full model: rest, frequencies, kinematics, compliance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
import pytest
from helpers import MECHANISMS

from precompute.arrays import Array
from precompute.coordinates.independent import choose_coordinates
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.reference import (
    FullState,
    Loads,
    assemble,
    bushing_state,
    coordinate_values,
    equilibrium,
    full_model,
    small_motions,
)
from precompute.reference.recording import marker_motions

SAME = 1e-9  # [m] and of direction cosines: two full models closed to 1e-12
INCH = 0.0254


@dataclass(frozen=True)
class Plausible:
    """What is expected of a file."""

    free: tuple[str, ...]
    stiff: tuple[str, ...]
    frequencies: tuple[float, ...]  # of the loaded suspension at rest, without damping [Hz]
    height: float  # most that the wheel at rest is off design [mm]
    travel: tuple[str, tuple[float, ...]]  # coordinate, and its values for the curves [m]
    steer: tuple[float, float]  # slope over wheel travel [deg/m]
    camber: tuple[float, float]


SLIDES = ("x", "y", "z")
ARM = (*SLIDES, "ry", "rz")
LINKS = ("lower", "trailing", "upper", "leading", "toe")
EXPECTED = {
    "double_wishbone": Plausible(
        free=("pitman", "shock"),
        stiff=tuple(f"{arm}_arm_mount.{d}" for arm in ("lower", "upper") for d in ARM),
        frequencies=(2.91, 9.91, 23.9, 31.4, 112.5, 135.6, 185.6, 222.3, 280.8, 346.0, 398.2, 450.4),
        height=5.0,
        travel=("shock", tuple(INCH * s for s in (-1.0, -0.5, 0.0, 0.5, 1.0))),
        steer=(2.0, 16.0),  # the geometry of the text
        camber=(-40.0, 0.0),
    ),
    "macpherson": Plausible(
        free=("rack", "strut"),
        stiff=(*(f"top_mount.{d}" for d in SLIDES), *(f"lower_arm_mount.{d}" for d in ARM)),
        frequencies=(4.11, 8.54, 23.2, 82.6, 88.5, 107.4, 125.8, 245.6, 452.0, 465.0),
        height=3.0,
        travel=("strut", (-0.06, -0.03, 0.0, 0.03, 0.06)),
        steer=(1.0, 4.0),  # toe-out in bump
        camber=(-30.0, -5.0),
    ),
    "five_link": Plausible(
        free=("wheel",),
        stiff=tuple(f"{link}_mount[1]" for link in LINKS),
        frequencies=(3.81, 27.6, 42.8, 50.9, 94.2, 127.9),
        height=3.0,
        travel=("wheel", (0.25, 0.28, 0.31, 0.34, 0.37)),
        steer=(-5.0, -1.0),  # toe-in in bump
        camber=(-50.0, -10.0),
    ),
}


class Suspension:
    """A file, its full model and its state of rest under the loads of its ports."""

    def __init__(self, name: str):
        self.expected = EXPECTED[name]
        self.mechanism = load(MECHANISMS / f"{name}.toml")
        self.model = full_model(self.mechanism)
        self.axis = np.asarray(self.mechanism.marker("wheel").spin_axis)
        self.side = int(np.abs(self.axis).argmax())  # the lateral axis

    def load(self, **more: Array) -> Loads:
        """The static loads, and further forces on ports."""
        return Loads(
            ports={p.name: (np.add(p.force, more.get(p.name, 0.0)), np.array(p.moment)) for p in self.mechanism.ports}
        )

    @cached_property
    def rest(self) -> FullState:
        return equilibrium(self.model, self.model.design, self.load())

    def wheel(self, state: FullState) -> tuple[Array, float, float]:
        """Position of the wheel [mm], steer, camber [deg]; positive to the left, and with the top outboard."""
        marker = marker_motions(self.model, [state])["wheel"]
        u = marker.R[0] @ self.mechanism.marker("wheel").R.T @ self.axis
        return (
            1e3 * marker.p[0],
            float(np.degrees(np.arctan2(np.cross(self.axis, u)[2], self.axis @ u))),
            float(-np.degrees(np.arcsin(u[2]))),
        )

    def yielding(self, port: str, axis: int) -> tuple[Array, float, float]:
        """Displacement of a port [mm], steer and camber [deg] due to 1 kN on it, the coordinates held."""
        force = np.zeros(3)
        force[axis] = 1e3
        values = coordinate_values(self.model, self.rest)
        held = dict(zip([c.name for c in self.model.coordinates], values, strict=True))
        loaded = equilibrium(self.model, self.rest, self.load(**{port: force}), held)
        (_, s1, c1), (_, s0, c0) = self.wheel(loaded), self.wheel(self.rest)
        p0, p1 = marker_motions(self.model, [self.rest, loaded])[port].p
        return 1e3 * (p1 - p0), s1 - s0, c1 - c0


suspension_of = cache(Suspension)


@pytest.fixture(params=EXPECTED)
def suspension(request) -> Suspension:
    return suspension_of(request.param)


def test_freedoms_and_stiff_coordinates(suspension):
    m = suspension.mechanism
    topology = spanning_tree(m)
    chosen = choose_coordinates(m, topology, close_loops(m, topology))
    expected = suspension.expected
    assert chosen.all_names == (*expected.free, *expected.stiff) and len(expected.stiff) <= 12
    assert all(c.lower < c.start < c.upper for c in chosen.free)
    assert {"wheel", "contact"} <= {p.name for p in m.ports}


def test_rates_are_those_of_rubber(suspension):
    """Radially softest are the links that let the wheel give way to the rear."""
    for b in suspension.mechanism.bushings:
        axial, *radial, torsion, tilt, _ = np.diag(b.stiffness)
        assert 0.3e6 <= axial <= 1e6 and all(1.4e6 <= k <= 15e6 for k in radial), b.name
        assert 0.4 <= np.radians(torsion) <= 2.0 and 2.0 <= np.radians(tilt) <= 20.0, b.name


def test_rest_is_near_design(suspension):
    (at_rest, steer, camber), (design, *_) = map(suspension.wheel, (suspension.rest, suspension.model.design))
    assert abs(at_rest[2] - design[2]) < suspension.expected.height
    assert np.abs((at_rest - design)[:2]).max() < 1.0
    assert abs(steer) < 0.5 and abs(camber) < 0.3
    deflection = bushing_state(suspension.model.bushings, suspension.rest).deflection
    assert np.abs(deflection[:, :3]).max() < 0.7e-3 and np.abs(np.degrees(deflection[:, 3:])).max() < 1.0


def test_natural_frequencies(suspension):
    """One for each free and stiff coordinate; besides, nothing holds the spin of a body between two balls."""
    found = small_motions(suspension.model, suspension.rest, suspension.load()).frequencies
    held = found[found > 0.1]
    assert len(held) == len(suspension.expected.free) + len(suspension.expected.stiff)
    np.testing.assert_allclose(held, suspension.expected.frequencies, rtol=2e-3)


def test_damping_of_the_bushings(suspension):
    """In modes above 20 Hz; shock absorber and steering damper left out."""
    m = suspension.mechanism
    model = full_model(replace(m, dampers=tuple(replace(d, damping=0.0, table=None) for d in m.dampers)))
    s = small_motions(model, suspension.rest, suspension.load()).eigenvalues
    ratio = (-s.real / np.abs(s))[np.abs(s) > 2.0 * np.pi * 20.0]
    assert 0.015 < ratio.min() and ratio.max() < 0.065


def test_steer_and_camber_over_wheel_travel(suspension):
    name, values = suspension.expected.travel
    curves = [suspension.wheel(assemble(suspension.model, {name: value})) for value in values]
    z = np.array([p[2] for p, *_ in curves]) / 1e3
    for k, (low, high) in ((1, suspension.expected.steer), (2, suspension.expected.camber)):
        slope = np.diff([curve[k] for curve in curves]) / np.diff(z)
        assert low < slope.min() and slope.max() < high
    track = np.array([p[suspension.side] for p, *_ in curves])
    assert np.ptp(track) < 40.0 and z[-1] - z[0] > 0.11


def test_compliance_under_a_lateral_and_a_fore_aft_force(suspension):
    side, ahead = suspension.side, 1 - suspension.side
    moved, steer, camber = suspension.yielding("contact", side)
    assert 0.1 < moved[side] < 1.0 and abs(steer) < 0.1 and 0.01 < abs(camber) < 0.1
    moved, steer, camber = suspension.yielding("wheel", ahead)
    assert 0.3 < moved[ahead] < 1.5 and abs(steer) < 0.05 and abs(camber) < 0.05


def test_without_deflection_the_double_wishbone_moves_like_the_rigid_one():
    rigid = full_model(load(MECHANISMS / "double_wishbone_rigid.toml"))
    soft = suspension_of("double_wishbone").model
    for at in ({"pitman": 0.3, "shock": 0.03}, {"pitman": -0.4, "shock": -0.05}):
        a, b = (marker_motions(model, [assemble(model, at)]) for model in (rigid, soft))
        assert list(a) == list(b)
        for name in a:
            np.testing.assert_allclose(a[name].p, b[name].p, rtol=0.0, atol=SAME)
            np.testing.assert_allclose(a[name].R, b[name].R, rtol=0.0, atol=SAME)
