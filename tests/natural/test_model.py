"""The model in natural coordinates: measures, partial velocities, laps, links between balls, names and messages."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT, planar_four_bar
from helpers_natural import known_motion, oracles

from precompute.errors import AssemblyError, OutOfReach, PrecomputeError, SingularityError
from precompute.kinematics.motion import Motion
from precompute.measures.body_spin import BodySpin
from precompute.mechanism_file.store import load
from precompute.model.mechanism import (
    BushingDeflection,
    Combination,
    Coordinate,
    Distance,
    JointCoordinate,
    Marker,
    MarkerAngle,
    MarkerCoordinate,
    RelativeAngle,
    WheelTravel,
)
from precompute.natural import natural_model


def every_measure(mechanism):
    """All kinds, of all parts."""
    yield from (
        JointCoordinate(j.name, i) for j in mechanism.joints for i, p in enumerate(j.primitives) if p.axis is not None
    )
    yield from (
        MarkerCoordinate(m.name, axis, relative)
        for m in mechanism.markers
        for axis in "xyz"
        for relative in (True, False)
    )
    yield from (e.on for e in (*mechanism.springs, *mechanism.dampers) if isinstance(e.on, Distance))
    yield from (BushingDeflection(b.name, i) for b in mechanism.bushings for i in range(6))
    yield from (MarkerAngle(m.name, angle) for m in mechanism.markers for angle in ("roll", "pitch", "yaw"))
    a, b = mechanism.bodies[0].name, mechanism.bodies[-1].name
    angles = RelativeAngle(a, b, [0.3, -0.5, 0.8]), RelativeAngle("ground", b, [0, 0, 1])
    yield from angles
    yield Combination(angles, (0.5, -2.0))
    yield from (WheelTravel(wheel.name) for wheel in mechanism.wheels)
    lengths = [e.on for e in mechanism.springs if isinstance(e.on, Distance)]
    yield from (Combination((WheelTravel(w.name), on), (1.5, -1.0)) for w in mechanism.wheels for on in lengths[:1])


@pytest.mark.parametrize("name", ["double_wishbone", "macpherson", "five_link", "spatial_slider_crank"])
def test_measures_have_values_rates_and_accelerations_of_the_kinematics(name):
    mechanism = load(MECHANISMS / f"{name}.toml")
    oracle, model, rng = oracles(mechanism)[0], natural_model(mechanism), np.random.default_rng(1)
    names = oracle.coordinates.all_names
    z = np.concatenate(
        [rng.uniform(*oracle.box.T, (4, len(oracle.box))), rng.uniform(-1e-3, 1e-3, (4, len(names) - len(oracle.box)))],
        1,
    )
    zd, zdd = rng.standard_normal((2, *z.shape))
    places = model.positions(dict(zip(names, z.T, strict=True)))
    moved = model.motion(places, dict(zip(names, zd.T, strict=True)), dict(zip(names, zdd.T, strict=True)))
    columns, known = model.partials(places), known_motion(oracle, z)
    motion = Motion(known.poses, known.B, known.W, known.dW, known.dB)
    for measure in every_measure(mechanism):
        row = (measure.row(known.poses)[:, None] @ known.B)[:, 0]
        exact = (
            measure.value(known.poses),
            (row * zd).sum(1),
            np.einsum("nij,ni,nj->n", measure.second(motion), zd, zd) + (row * zdd).sum(1),
        )
        ours = moved.measure(measure)
        for a, b in zip(exact, (ours.value, ours.rate, ours.acceleration), strict=True):
            assert np.abs(a - b).max() < 1e-10 * max(1.0, np.abs(a).max()), measure.name
        assert np.abs(columns.measure(measure) - row).max() < 1e-10 * max(1.0, np.abs(row).max()), measure.name


def test_partial_velocities_add_up_to_the_velocity():
    mechanism = load(ROOT / "tests" / "mechanisms" / "corner.toml")
    model, rng = natural_model(mechanism), np.random.default_rng(2)
    places = model.positions(
        {"arm": rng.uniform(-0.1, 0.1, 5), "rack": rng.uniform(-0.02, 0.02, 5), "arm_mount.x": 1e-3}
    )
    rates = rng.standard_normal((5, 4))
    moved = model.motion(places, dict(zip(places.names, rates.T, strict=True)))
    columns = model.partials(places)
    assert columns.names == places.names == ("arm", "rack", "arm_mount.x", "arm_mount.y")
    for body in mechanism.bodies:
        (v, w), exact = columns.body(body.name), moved.body(body.name)
        assert np.abs((v @ rates[:, :, None])[..., 0] - exact.v).max() < 1e-13
        assert np.abs((w @ rates[:, :, None])[..., 0] - exact.w).max() < 1e-13
        assert np.abs(columns.point(body.name, body.com) - v).max() < 1e-15


def test_angles_count_their_laps():
    mechanism = load(MECHANISMS / "four_bar.toml")
    model = natural_model(mechanism)
    z = np.linspace(-9.0, 15.0, 60)
    places = model.positions({"crank": np.random.default_rng(3).permutation(z)})
    oracle = oracles(mechanism)[0]
    order = np.argsort(places.values[:, 0])
    known = known_motion(oracle, z[:, None], steps=80)
    for joint in mechanism.joints:
        found = model.values(places, [f"joint.{joint.name}"])[f"joint.{joint.name}"][order]
        assert np.abs(found - known.poses.coordinate(joint.name, 0)).max() < 1e-10


def test_other_coordinates_start_from_solved_places():
    """Beyond its dead centre the slider goes back, on the other branch."""
    mechanism = load(MECHANISMS / "crank_slider_charts.toml")
    model = natural_model(mechanism)
    here = model.positions({"crank": np.array([0.6, 3.0, 5.0])})
    slider = model.values(here, ["slider"])["slider"]
    there = model.positions({"slider": slider[2:]}, start=here[2])
    assert np.abs(model.values(there, ["crank"])["crank"] - 5.0).max() < 1e-12
    assert np.abs(model.motion(there, {}).body("rod").R - model.motion(here[2], {}).body("rod").R).max() < 1e-12


@pytest.mark.parametrize("given", ["joint.crank", "marker.B.x", "length"])
def test_any_measure_can_be_given(given):
    """An angle, a marker's place, a distance: the same motion, whichever is given."""
    mechanism = load(MECHANISMS / "rssr.toml")
    ends = mechanism.joint("crank").parent, mechanism.joint("rocker").child
    length = Distance(ends[0], ends[1], np.array([0.3, 0.2, 0.1]), mechanism.joint("rocker").p_C + [0.01, 0.05, 0.02])
    mechanism = replace(mechanism, coordinates=(*mechanism.coordinates, Coordinate("length", length)))
    model = natural_model(mechanism)
    here = model.positions({"crank": np.array([0.2, 0.4])})
    there = model.positions({given: model.values(here, [given])[given]})
    for body in mechanism.bodies:
        a, b = (model.motion(places, {}).body(body.name) for places in (here, there))
        assert np.abs(a.p - b.p).max() < 1e-11 and np.abs(a.R - b.R).max() < 1e-10


def test_a_link_between_two_balls_is_one_vector_and_does_not_spin():
    mechanism = load(MECHANISMS / "rssr.toml")
    model = natural_model(mechanism)
    carriers = {c.name: len(c.vectors) for c in model.system(("crank",)).carriers}
    link = next(name for name, r in carriers.items() if r == 1)
    places = model.positions({"crank": np.linspace(0, 6, 7)})
    known = known_motion(oracles(mechanism)[0], places.values)
    R = model.motion(places, {}).body(link).R
    assert np.abs(R - known.poses.pose(link).R).max() < 1e-12
    axis = next(s.axis for s in known.oracle.closure.topology.spins)
    assert np.abs(BodySpin(link, axis).value(known.poses)).max() < 1e-12


def test_a_link_of_which_more_is_given_is_held_by_a_row():
    """A marker beside the line of a link is given: the link has three vectors, and still does not spin."""
    mechanism = load(MECHANISMS / "rssr.toml")
    plain = natural_model(mechanism)
    link = next(c.name for c in plain.system(("crank",)).carriers if len(c.vectors) == 1)
    beside = Marker("beside", link, next(b.com for b in mechanism.bodies if b.name == link) + [0.01, 0.02, -0.03])
    model = natural_model(replace(mechanism, markers=(*mechanism.markers, beside)))
    here = model.positions({"crank": np.array([0.3, 0.5])})
    there = model.positions({"beside_z": model.values(here, ["beside_z"])["beside_z"]})
    assert len(next(c for c in model.system(("beside_z",)).carriers if c.name == link).vectors) == 3
    a, b = (model.motion(places, {}).body(link).R for places in (here, there))
    assert np.abs(a - b).max() < 1e-11


def test_mirror_images_are_seen():
    mechanism = load(ROOT / "tests" / "mechanisms" / "turret.toml")
    model = natural_model(mechanism)
    system = model.system(("turn", "arm"))
    x = model.seen(model.design, system).x
    carrier = next(c for c in system.carriers if len(c.vectors) == 3)
    assert not system.mirrored(x)[0]
    column = next(iter(carrier.vectors[0].components[2].terms))[0]
    mirrored = x.copy()
    columns = sorted({key[0] for v in carrier.vectors for part in v.components for key in part.terms if key})
    mirrored[0, columns] *= -1.0
    assert column in columns and system.mirrored(mirrored)[0]


def test_a_roughly_drawn_design_is_assembled():
    exact = planar_four_bar((1.0, 60.0), (2.5, 10.0), (2.0, -80.0))
    pin = exact.joint("c")
    rough = replace(
        exact, joints=[replace(j, p_C=pin.p_C + [0.05, 0.03, 0.0]) if j.name == "c" else j for j in exact.joints]
    )
    model = natural_model(rough)
    places = model.positions({"joint.a": np.array([0.0, 0.3])})
    oracle = oracles(replace(rough, coordinates=(Coordinate("joint.a", JointCoordinate("a"), -0.5, 0.5),)))[0]
    known = known_motion(oracle, places.values)
    moved, still = model.motion(places, {}), np.zeros_like(places.values)
    for body in rough.bodies:
        exact_p, _, _ = known.point(body.name, body.com, still, still)
        assert np.abs(moved.body(body.name).p - exact_p).max() < 1e-11


def test_links_too_short_are_not_assembled():
    exact = planar_four_bar((1.0, 60.0), (2.5, 10.0), (2.0, -80.0))
    pin = exact.joint("d")
    apart = [replace(j, p_C=pin.p_C + [9.0, 0.0, 0.0]) if j.name == "d" else j for j in exact.joints]
    with pytest.raises(AssemblyError, match="'FourBar' cannot be assembled"):
        natural_model(replace(exact, joints=apart))


def test_a_parallelogram_goes_through_its_flat_positions():
    """Where all pins are on a line another branch begins; the motion goes on along its tangent."""
    mechanism = planar_four_bar((1.0, 50.0), (2.0, 0.0), (1.0, -130.0))
    model = natural_model(mechanism)
    z = np.linspace(-0.05, 2 * np.pi, 41)
    places = model.positions({"joint.a": z})
    coupler = model.motion(places, {"joint.a": 1.0}).body("two")
    assert np.abs(coupler.R - np.eye(3)).max() < 1e-11  # it only travels
    assert np.abs(coupler.w).max() < 1e-10


MESSAGES = [
    ({"pitman": 0.1, "shock_r": 0.0}, SingularityError, "3 freedoms and 2 .* Still free to move: .*joint.shock_l"),
    ({}, SingularityError, "3 freedoms and 0 of its coordinates are given: none. .* Give 3 of them"),
    ({"pitman": 0.1, "shock_r": 0.0, "shock_l": 0.0, "idler": 0.1}, SingularityError, "'pitman' and 'idler' clash"),
    ({"pitman": 0.1, "shock_r": 0.0, "idler": 0.1}, SingularityError, "clash.* Still free to move: .*shock_l"),
    ({"pitmann": 0.1}, PrecomputeError, "no coordinate 'pitmann'; did you mean 'pitman'"),
    (
        {"pitman": 0.0, "shock_r": 0.4, "shock_l": 0.0},
        OutOfReach,
        "cannot reach pitman = 0 deg, shock_r = .* dead centre, at",
    ),
]


@pytest.mark.parametrize(("given", "error", "words"), MESSAGES)
def test_messages(given, error, words):
    model = natural_model(load(MECHANISMS / "front_axle.toml"))
    with pytest.raises(error, match=words):
        model.positions(given)


def test_a_dead_centre_at_design_is_told():
    mechanism = planar_four_bar((1.0, 0.0), (2.0, 0.0), (1.5, 120.0))
    with pytest.raises(SingularityError, match="dead centre"):
        natural_model(mechanism).positions({"joint.d": 0.1})


def test_turns_of_bushings_cannot_be_given():
    mechanism = load(ROOT / "tests" / "mechanisms" / "corner.toml")
    turn = Coordinate("turn", BushingDeflection("front", 3))
    model = natural_model(replace(mechanism, coordinates=(*mechanism.coordinates, turn)))
    with pytest.raises(PrecomputeError, match="'turn', the .* cannot be given in natural coordinates"):
        model.positions({"turn": 0.0, "rack": 0.0})


def test_out_of_reach_tells_the_first_sample():
    model = natural_model(load(MECHANISMS / "crank_slider_charts.toml"))
    with pytest.raises(OutOfReach, match="slider = 9 m and 1 more of 4 positions") as raised:
        model.positions({"slider": np.array([0.1, 9.0, 0.2, 10.0])})
    assert raised.value.at.tolist() == [9.0]
