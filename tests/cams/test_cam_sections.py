"""Cams whose contact deflections move: pieces told by a coordinate, what that costs, where the borders are."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS

from precompute.cams.track import TURN
from precompute.coordinates.cam_borders import with_borders, with_cams
from precompute.coordinates.independent import choose_coordinates
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.cams import rolls
from precompute.model.mechanism import JointCoordinate
from precompute.tables.border_reach import reach_at_borders

FILM, RIGID = MECHANISMS / "fuel_pump_film.toml", MECHANISMS / "fuel_pump.toml"
SMALL = 1e-12


@cache
def survey(path):
    """Design, and the independent coordinates."""
    mechanism = load(path)
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    return design, choose_coordinates(mechanism, topology, design)


def at(closure, design, z):
    """Poses (n) at z (n, nz), walked to in small steps."""
    q, here = (
        np.repeat(design.q[None], len(z), axis=0),
        np.repeat(closure.values(closure.poses(design.q))[None], len(z), 0),
    )
    for share in np.linspace(0.0, 1.0, 31)[1:]:
        to = here + (z - here) * (1.0 if share == 1.0 else 1.0 / (31.0 * (1.0 - share) + 1.0))
        moved = follow(closure, q, here, to)
        assert moved.reached.all()
        q, here = moved.q, to
    return closure.poses(q)


@pytest.mark.parametrize("held", range(6))
def test_a_piece_that_is_held_goes_on_beyond_its_ends(held):
    track = load(RIGID).cams[0].follower.track
    own = track.holding(np.full(4, held))
    begin, end = [*track.begins, track.begins[0] + TURN][held : held + 2]
    x = np.array([begin - 1e-3, begin + 1e-3, end - 1e-3, end + 1e-3])
    jet = own.jet(x)
    assert jet[:, 1:3] == pytest.approx(track.jet(x[1:3]), rel=1e-14, abs=1e-15)
    slopes = own.jet(x + 1e-30j).imag / 1e-30
    assert slopes[:3] == pytest.approx(jet[1:], rel=1e-9, abs=1e-9)
    lengths = own.travelled(x + 1e-30j).imag / 1e-30
    assert lengths == pytest.approx(np.hypot(jet[0], jet[1]), rel=1e-9)
    for turns in (-2, 1):  # the seam of the turn is nothing to it
        assert own.travelled(x + turns * TURN) - own.travelled(x) == pytest.approx(turns * track.around, rel=1e-12)


def test_borders_are_those_without_deflections():
    (with_film,), (rigid,) = survey(FILM)[1].free, survey(RIGID)[1].free
    assert with_film.borders == pytest.approx(rigid.borders, abs=1e-12)
    (plain,), (cam,) = survey(RIGID)[1].closure.mechanism.cams, survey(FILM)[1].closure.mechanism.cams
    assert plain.sections is None  # nothing gives way: the place of contact tells the piece
    assert cam.sections is not None and cam.sections.period == pytest.approx(TURN)
    middle = np.convolve([0.0, *cam.sections.begins, TURN], [0.5, 0.5], "valid")
    assert (cam.sections.pieces == cam.follower.track.piece_at(middle)).all()


def test_the_coordinate_tells_the_piece_and_no_deflection():
    """On both sides of a border what is held has one piece, however the bush is deflected."""
    design, coordinates = survey(FILM)
    border = coordinates.free[0].borders[1]
    z = np.array([[border + side, x, 0.0] for side in (-1e-9, 1e-9) for x in (-5e-6, 0.0, 5e-6)])
    P = at(coordinates.full, design, z)
    (cam,) = coordinates.closure.mechanism.cams
    assert cam.sections.held(P).tolist() == [1, 1, 1, 2, 2, 2]
    contact = cam.measure(coordinates.closure.mechanism, "contact").value(P)
    assert (cam.follower.track.piece_at(contact) != cam.sections.held(P)).sum() == 2  # one deflection goes beyond each


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("x", [-6e-6, 6e-6])
def test_what_it_costs_is_half_the_jump_times_the_square_of_the_angle(number, x):
    """(1) of `cam_borders`: at most 2.2e-6 mm where the clearance is 6 um."""
    design, coordinates = survey(FILM)
    full, border = coordinates.full, [b for b in coordinates.free[0].borders if b > 0.0][number]
    z = np.array([[border + side, x, 0.0] for side in (-SMALL, SMALL)])
    P = at(full, design, z)
    mechanism = full.mechanism
    (cam,) = mechanism.cams
    as_it_is = with_cams(full, (replace(cam, sections=None),))
    truth = at(as_it_is, design, z)
    lift = JointCoordinate("guide")
    off = lift.value(P) - lift.value(truth)
    angle = cam.measure(mechanism, "contact").value(P)
    a = np.abs(angle - border)
    track = cam.follower.track
    jump = np.diff(track.jet(np.array([border - 1e-9, border + 1e-9]))[2])[0]
    wrong = int(np.argmax(np.abs(off)))  # on one side the piece is the right one
    assert np.abs(off).min() < 1e-15
    assert abs(off[wrong]) == pytest.approx(abs(jump) * a[wrong] ** 2 / 2.0, rel=0.02)
    assert abs(off[wrong]) < 2.5e-9


def test_deflections_are_good_as_far_as_that_is_within_the_tolerance():
    design, coordinates = survey(FILM)
    full, (cam,) = coordinates.full, coordinates.full.mechanism.cams
    most = reach_at_borders(coordinates, design.q[None], 1e-7)
    as_it_is = with_cams(full, (replace(cam, sections=None),))
    z = [[b + side, way * most[0], 0.0] for b in cam.sections.begins for side in (-SMALL, SMALL) for way in (-1.0, 1.0)]
    held, free = (JointCoordinate("guide").value(at(closure, design, np.array(z))) for closure in (full, as_it_is))
    assert np.abs(held - free).max() == pytest.approx(1e-7 * full.length, rel=0.03)
    assert most[1] > 1.0  # along the guide the bush takes the plunger with it, and stays on the cam where it is


def test_borders_move_with_the_deflections_that_tables_are_expanded_about():
    design, coordinates = survey(FILM)
    about = (2e-4, 0.0)
    (first,) = at(coordinates.full, design, np.array([[0.0, *about]])).q
    closure = replace(coordinates.closure, about=about)
    closure, (c,) = with_borders(closure, first, coordinates.design, coordinates.free)
    found = np.array(c.borders)
    assert np.abs(found - coordinates.free[0].borders).max() > 1e-3
    P = at(coordinates.full, design, np.array([[b, *about] for b in found]))
    cam = closure.mechanism.cams[0]
    contact = cam.measure(closure.mechanism, "contact").value(P)
    off = (contact[:, None] - cam.follower.track.borders + np.pi) % TURN - np.pi
    assert np.abs(off).min(axis=1).max() < 1e-12


def test_the_angle_of_a_roller_may_be_measured_over_turns():
    mechanism = load(FILM)
    assert rolls(mechanism, JointCoordinate("pin"))
    assert not rolls(mechanism, JointCoordinate("shaft"))
