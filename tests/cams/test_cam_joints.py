"""Cam joints of all followers: three formulations agree, rows have their derivatives, borders are found."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_baked import baked
from helpers_cam_files import MACHINES, machine, wavy
from helpers_loads import Exact, Full
from helpers_natural import known_motion, oracles

from precompute.coordinates.independent import choose_coordinates
from precompute.errors import MechanismError, SweepError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, coefficient_derivatives, factorize, velocity_coefficients
from precompute.kinematics.motion import Motion
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import from_document, loads, to_document
from precompute.model.mechanism import JointCoordinate
from precompute.natural import natural_model
from precompute.pipeline import bake

SPEED = 40.0
ANGLES = np.linspace(-2.9, 2.8, 9)
STEP = 1e-4
TINY = 1e-30
"""Of complex steps."""


@pytest.fixture(scope="module", params=MACHINES, ids=lambda name: name.replace(" ", "-"))
def mechanism(request):
    return loads(MACHINES[request.param])


def free_of(mechanism):
    topology = spanning_tree(mechanism)
    return choose_coordinates(mechanism, topology, close_loops(mechanism, topology))


def measures(mechanism):
    """All that cams measure and hold."""
    return [*(read.of for read in mechanism.read), *(row.measure for row in mechanism.held)]


def test_natural_coordinates_move_as_the_loops_do(mechanism):
    oracle, model = oracles(mechanism)[0], natural_model(mechanism)
    known = known_motion(oracle, ANGLES[:, None])
    places = model.positions({"shaft": ANGLES})
    moved = model.motion(places, {"shaft": np.full(len(ANGLES), SPEED)})
    motion = Motion(known.poses, known.B, known.W, known.dW, known.dB)
    for of in (read.of for read in mechanism.read):
        row = (of.row(known.poses)[:, None] @ known.B)[:, 0, 0]
        found = moved.measure(of)
        assert found.value == pytest.approx(of.value(known.poses), abs=1e-10)
        assert found.rate == pytest.approx(row * SPEED, rel=1e-9, abs=1e-9 * SPEED)
        assert found.acceleration == pytest.approx(of.second(motion)[:, 0, 0] * SPEED**2, rel=1e-8, abs=1e-8 * SPEED**2)
        before, after = (model.motion(model.positions({"shaft": ANGLES + h}), {"shaft": 1.0}) for h in (-STEP, STEP))
        jerk = (after.measure(of).acceleration - before.measure(of).acceleration) / (2.0 * STEP)
        size = max(np.abs(jerk).max(), 1.0)
        assert model.motion(places, {"shaft": 1.0}).measure(of).jerk == pytest.approx(jerk, abs=1e-5 * size)


def test_rows_have_the_derivatives_of_their_values(mechanism):
    oracle = oracles(mechanism)[0]
    around = [known_motion(oracle, (ANGLES + h)[:, None]) for h in (-2 * STEP, -STEP, 0.0, STEP, 2 * STEP)]
    known = around[2]
    motion = Motion(known.poses, known.B, known.W, known.dW, known.dB)

    def rate(values):
        a, b, _, c, d = values
        return (8.0 * (c - b) - (d - a)) / (12.0 * STEP)

    for of in measures(mechanism):
        slope = [(of.row(k.poses)[:, None] @ k.B)[:, 0, 0] for k in around]
        assert slope[2] == pytest.approx(rate([of.value(k.poses) for k in around]), abs=1e-8)
        assert of.second(motion)[:, 0, 0] == pytest.approx(rate(slope), abs=1e-7)


def test_forces_are_those_of_the_full_model_which_knows_the_outline_alone(mechanism):
    exact = Exact(mechanism)
    full = Full(exact)
    for angle in ANGLES[::2]:
        found, (given, ground) = full.at(np.array([angle]), np.array([SPEED]))
        ours = exact.at(*given, **ground)
        largest = max(abs(value) for value in found.loads.values())
        assert found.loads.keys() == {"joint.cam.normal", *(n for n in ours if n.startswith("joint.shaft"))}
        for name, value in found.loads.items():
            assert ours[name][0] == pytest.approx(value, abs=1e-8 * largest)


def test_borders_are_where_the_contact_passes_them(mechanism):
    (c,) = free_of(mechanism).free
    cam = mechanism.cams[0]
    borders = cam.follower.track.borders
    assert len(c.borders) == len(borders) and c.cams == ("cam",)
    if not c.borders:
        return
    known = known_motion(oracles(mechanism)[0], np.array(c.borders)[:, None])
    contact = cam.measure(mechanism, "contact").value(known.poses)
    off = (contact[:, None] - borders + np.pi) % (2.0 * np.pi) - np.pi
    assert np.abs(off).min(axis=1).max() < 1e-13


def test_files_are_written_and_read_again(mechanism):
    document = to_document(mechanism)
    assert to_document(from_document(document)) == document


def test_tables_hold_their_certificate_at_every_border():
    """A swinging follower, whose borders are not where those of the profile are."""
    model = baked(loads(MACHINES["rocker on egg"]))
    (chart,) = model.charts
    (contact,) = model.contacts
    assert len(contact.borders) == 4 and model.loads[contact.load].name == "joint.cam.normal"
    for block in chart.blocks:
        for knots in block.knots:
            for border in contact.borders:
                assert (np.abs(knots - border) < 1e-11).sum() == block.degree + 1
    assert chart.certificate.tolerance == 1e-7
    for row in chart.certificate.columns:
        assert row.value_error <= 1e-7 and row.slope_error <= 1e-6


def test_a_cam_that_two_coordinates_move_is_refused():
    text = machine(wavy(), "roller", [0.0, 0.0, 25.0], "radius = 5").replace(
        'parent = "ground"\nchild = "cam"', 'parent = "base"\nchild = "cam"'
    )
    base = """
[bodies.base]
mass = 1
com = "shaft"

[joints.base]
type = "prismatic"
parent = "ground"
child = "base"
axis = "x"

[coordinates.free.base]
of = "joint.base"
from = -2
to = 2
"""
    mechanism = loads(text + base)
    with pytest.raises(SweepError, match="cam 'cam' .* depends on 'shaft' and 'base'"):
        free_of(mechanism)


def test_gradients_and_second_derivatives_of_rows_agree_with_complex_steps(mechanism):
    """Of the joints' own coordinates, on the cam and beside it."""
    alone = replace(mechanism, cams=(), coordinates=None)
    t = spanning_tree(alone)
    every = [JointCoordinate(*where) for where, _ in sorted(t.scalars.items(), key=lambda item: item[1][1])]
    closure = Closure(alone, t, tuple(every))
    held = known_motion(oracles(mechanism)[0], ANGLES[:, None]).poses.q
    for q in held + 1e-3 * np.random.default_rng(2).uniform(-1.0, 1.0, held.shape):
        P = closure.poses(q[None])
        factor = factorize(closure, closure.matrix(P))
        B = velocity_coefficients(closure, factor)
        dB, W, dW = coefficient_derivatives(closure, P, factor, B)
        motion, beside = Motion(P, B, W, dW, dB), closure.poses(q + 1j * TINY * np.eye(t.nq))
        for on in measures(mechanism):
            row, by_steps = on.row(P)[0], on.row(beside).imag.T / TINY
            assert np.abs(on.value(beside).imag / TINY - row).max() < 1e-9 * max(1.0, np.abs(row).max())
            assert np.abs(on.second(motion)[0] - by_steps).max() < 1e-9 * max(1.0, np.abs(by_steps).max())


def test_design_parameters_may_not_move_borders():
    text = MACHINES["rocker on egg"]
    moving = '\n[design.pivot]\nof = "point.pivot.x"\nrange = 1\n'
    with pytest.raises(MechanismError, match="moves where cam 'cam' begins another piece of its profile along 'shaft'"):
        bake(loads(text + moving))
    model = bake(loads(text + '\n[design.mass]\nof = "body.follower.mass"\nrange = 0.1\n'))
    assert len(model.designs) == 1 and len(model.contacts) == 1
