"""Natural coordinates against the kinematics of the tables, on every shipped mechanism."""

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT, five_point
from helpers_natural import known_motion, oracles

from precompute.mechanism_file.store import load
from precompute.natural import natural_model

FILES = sorted([*MECHANISMS.rglob("*.toml"), *(ROOT / "tests" / "mechanisms").glob("*.toml")])
TOLERANCE = 1e-11
"""Of the largest length, speed and acceleration; found: below 1e-13."""

TURN_TOLERANCE = 1e-11
"""Of rotations, and of the largest angular velocity and acceleration; found: below 3e-12."""

DEFLECTIONS = 3
METRES, RADIANS = 1.5e-3, 8e-3
"""Largest deflections of stiff directions."""


def samples(oracle, n, seed):
    """(n, nz) all over the ranges, the corners of the box among them; each with DEFLECTIONS sets besides none."""
    rng = np.random.default_rng(seed)
    box = oracle.box
    free = rng.uniform(box[:, 0], box[:, 1], (n, len(box)))
    free[0], free[1] = box[:, 0], box[:, 1]
    stiff = oracle.coordinates.stiff
    sizes = np.array([RADIANS if c.is_angle(oracle.mechanism) else METRES for c in stiff])
    sets = [np.zeros(len(stiff)), *(sizes * rng.uniform(-1, 1, (DEFLECTIONS, len(stiff))))] if stiff else [[]]
    return np.array([[*z, *deflection] for deflection in sets for z in free])


def points(mechanism):
    """Centres of mass, joints and markers."""
    yield from ((b.name, b.com) for b in mechanism.bodies)
    yield from ((m.body, m.p) for m in mechanism.markers)
    yield from ((j.child, j.p_C) for j in mechanism.joints if j.child != "ground")


def errors(known, moved, zd, zdd):
    """Of position, velocity and acceleration over the largest of all points; of rotation and its rates over theirs."""
    mechanism = known.oracle.mechanism
    error, size, turn_error, turn_size = np.zeros(3), np.zeros(3), np.zeros(3), np.ones(3)
    for body, p in points(mechanism):
        ours = moved.point(body, p)
        for i, (a, b) in enumerate(zip(known.point(body, p, zd, zdd), (ours.p, ours.v, ours.a), strict=True)):
            error[i], size[i] = max(error[i], np.abs(a - b).max()), max(size[i], np.abs(a).max())
    for body in mechanism.bodies:
        ours = moved.body(body.name)
        pairs = zip(known.turning(body.name, zd, zdd), (ours.R, ours.w, ours.alpha), strict=True)
        for i, (a, b) in enumerate(pairs):
            turn_error[i], turn_size[i] = max(turn_error[i], np.abs(a - b).max()), max(turn_size[i], np.abs(a).max())
    return error / size, turn_error / turn_size


def compare(path, n):
    mechanism = load(path)
    model, start = natural_model(mechanism), None
    rng = np.random.default_rng(5)
    for number, oracle in enumerate(oracles(mechanism)):
        z = samples(oracle, n, number)
        zd, zdd = rng.standard_normal((2, *z.shape))
        names = oracle.coordinates.all_names
        places = model.positions(dict(zip(names, z.T, strict=True)), start)
        assert places.names == names
        moved = model.motion(places, dict(zip(names, zd.T, strict=True)), dict(zip(names, zdd.T, strict=True)))
        error, turn_error = errors(known_motion(oracle, z), moved, zd, zdd)
        assert error.max() < TOLERANCE
        assert turn_error.max() < TURN_TOLERANCE
        start = places[1]  # the upper end: the next chart begins near it


def test_there_are_mechanisms():
    assert len(FILES) >= 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_positions_velocities_and_accelerations(path):
    compare(path, 4)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_positions_velocities_and_accelerations_all_over_the_ranges(path):
    compare(path, 80)


QUICK = ["four_bar", "rssr", "double_wishbone", "macpherson", "five_link", "corner"]


@pytest.mark.parametrize(
    "path", [pytest.param(p, id=p.stem, marks=[] if p.stem in QUICK else [pytest.mark.slow]) for p in FILES]
)
def test_jerk_is_the_rate_of_the_acceleration(path):
    mechanism = load(path)
    oracle, model = oracles(mechanism)[0], natural_model(mechanism)
    names, rng, h = oracle.coordinates.all_names, np.random.default_rng(6), 1e-3
    nz = len(names)
    z = samples(oracle, 3, 0)[-1]
    size = np.ptp(oracle.box, axis=1).min() if not oracle.coordinates.stiff else METRES
    rate, second, third = size * rng.standard_normal((3, nz))

    def at(t):
        t = np.asarray(t)[:, None]
        motion = z + rate * t + second * t**2 / 2 + third * t**3 / 6, rate + second * t + third * t**2 / 2
        motion = *motion, second + third * t, third + 0 * t
        value, *rates = [dict(zip(names, d.T, strict=True)) for d in motion]
        return model.motion(model.positions(value), *rates)

    around, here = at([h, -h, 2 * h, -2 * h]), at([0.0])
    size, error = 0.0, 0.0
    for body, p in points(mechanism):
        jerk = five_point(around.point(body, p).a, h)
        size = max(size, np.abs(jerk).max())
        error = max(error, np.abs(jerk - here.point(body, p).jerk[0]).max())
    assert error < 1e-7 * size
