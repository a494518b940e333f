"""Every measure against differences, and against what it must be; nobody asks a measure for its class."""

import ast
import inspect
import re
from dataclasses import dataclass, replace
from typing import final

import numpy as np
import pytest
from helpers import ROOT, Solved, five_point, random_mechanism

from precompute.coordinates.decouple import find_dependence
from precompute.coordinates.independent import choose_coordinates
from precompute.errors import MechanismError, PrecomputeError
from precompute.geometry.spatial import quaternion_exp, quaternion_rotation, rotation
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.motion import Motion
from precompute.kinematics.topology import spanning_tree
from precompute.measures.between import Between
from precompute.measures.body_spin import BodySpin
from precompute.measures.cam_measure import CamMeasure
from precompute.measures.held import hold
from precompute.measures.measure import Measure
from precompute.mechanism_file import load
from precompute.mechanism_file.writing import to_document
from precompute.model.mechanism import (
    Axes,
    Bushing,
    BushingDeflection,
    Combination,
    Coordinate,
    DirectionCosine,
    Distance,
    Following,
    JointCoordinate,
    MarkerAngle,
    MarkerCoordinate,
    PlaneDistance,
    RelativeAngle,
    Rod,
    SmoothCurve,
    Spring,
    Wheel,
    WheelTravel,
)
from precompute.tables.field_data import evaluate_fields
from precompute.tables.fields import plan_fields

HOLDING = {DirectionCosine, PlaneDistance, Following, CamMeasure}
CURVE = SmoothCurve(np.linspace(-20.0, 20.0, 9), np.sin(0.3 * np.linspace(-20.0, 20.0, 9)))

STEP = 1e-3
FOLDER = ROOT / "precompute" / "measures"
FINAL = {Distance, JointCoordinate, MarkerCoordinate, BushingDeflection, BodySpin}
FINAL |= {MarkerAngle, RelativeAngle, WheelTravel, Combination}


def all_measures(mechanism):
    a, b = mechanism.bodies[0].name, mechanism.bodies[-1].name
    found = [MarkerCoordinate(f"m_{b}", "z", relative=True)]
    found.append(Distance("ground", b, np.array([1.0, 2, 3]), np.array([0.1, 0.2, -0.3])))
    if a != b:
        found.append(Distance(a, b, np.array([0.5, -1, 0.2]), np.array([-0.4, 0.2, 0.3])))
    found += [BushingDeflection(bushing.name, i) for bushing in mechanism.bushings for i in range(6)]
    found += [MarkerCoordinate(f"m_{b}", axis) for axis in "xyz"]
    found += [
        RelativeAngle(a if a != b else "ground", b, np.array([0.3, -0.5, 0.8])),
        RelativeAngle("ground", a, [0, 1, 0]),
    ]
    found += [MarkerAngle(f"m_{b}", angle) for angle in ("roll", "pitch", "yaw")]
    found += [Combination((found[0], found[1]), (0.5, -2.0))]
    found += [Combination((found[-3], found[-2]), (1.0, 0.25))] * (a != b)
    found += [WheelTravel(wheel.name) for wheel in mechanism.wheels]
    found += [BodySpin(b, axis) for axis in (np.array([0.6, 0.0, 0.8]), np.array([0.0, -1.0, 0.0]))]
    found += [
        JointCoordinate(j.name, i) for j in mechanism.joints for i, p in enumerate(j.primitives) if p.kind != "ball"
    ][:2]
    found.append(DirectionCosine("ground", b, [0.3, -0.4, 0.2], [0.1, 0.9, 0.3]))
    found.append(PlaneDistance(b, "ground", [0.3, -0.4, 0.2], [1.0, 0.2, 0.3], [0.5, 0.6, -0.7]))
    if a != b:
        found.append(DirectionCosine(b, a, [0.3, -0.4, 0.2], [0.1, 0.9, 0.3]))
        found.append(PlaneDistance(a, b, [0.7, -0.1, 0.2], [0.1, 0.2, 0.9], [0.5, -0.6, 0.7]))
    found.append(Following(found[1], found[0], CURVE))
    found.append(Combination((found[1], RelativeAngle("ground", a, [1, 0, 0])), (1.0, 0.2), winds=True))
    return found


def with_bushings(mechanism):
    """The mechanism with a bushing between the ground and its last body, and one between its first and last."""
    a, b = mechanism.bodies[0].name, mechanism.bodies[-1].name
    R = rotation(np.array([0.6, 0.0, 0.8]), 0.7)
    bushings = [Bushing("to_ground", "ground", b, np.array([0.3, -0.2, 0.5]), R)]
    if a != b:
        bushings.append(Bushing("between", b, a, np.array([-0.4, 0.1, 0.2]), R.T, law="cardan"))
    leaning = Axes(R[0], R[1], R[2])
    wheel = Wheel("left", b, np.array([0.2, 0.7, -0.3]), leaning.left, "left", 0.3)
    return replace(mechanism, bushings=tuple(bushings), axes=leaning, wheels=(wheel,))


@pytest.mark.parametrize("seed", range(12))
def test_gradients_and_second_derivatives_agree_with_differences(seed):
    s = Solved(with_bushings(random_mechanism(seed)))
    P, B, dB, W, dW = s.velocities(s.q[None])
    motion = Motion(P, B, W, dW, dB)
    around = s.stencil(STEP)
    for measure in all_measures(s.closure.mechanism):
        gradient = (measure.row(P) @ B[0])[0]
        hessian = measure.second(motion)[0]
        for j in range(s.dof):
            P_j, B_j, *_ = s.velocities(around[j])
            values = measure.value(P_j)
            rows = (measure.row(P_j)[:, None, :] @ B_j)[:, 0]
            scale = max(1.0, np.abs(gradient).max(), np.abs(hessian).max())
            assert abs(five_point(values, STEP) - gradient[j]) < 1e-5 * scale
            assert np.abs(five_point(rows, STEP) - hessian[:, j]).max() < 1e-5 * scale
        np.testing.assert_allclose(hessian, hessian.T, atol=1e-10 * max(1.0, np.abs(hessian).max()))


@pytest.mark.parametrize("seed", range(6))
def test_second_derivatives_without_dB_lack_just_the_row_times_dB(seed):
    s = Solved(with_bushings(random_mechanism(seed)))
    P, B, dB, W, dW = s.velocities(s.q[None])
    carried = np.einsum("bk,nck,nkij->nbcij", s.closure.topology.reach, P.S, dB)
    whole, bare = Motion(P, B, W, dW, dB), Motion(P, B, W, dW - carried, np.zeros_like(dB))
    for measure in all_measures(s.closure.mechanism):
        part = np.einsum("nk,nkij->nij", measure.row(P), dB)
        np.testing.assert_allclose(measure.second(bare) + part, measure.second(whole), atol=1e-9)
        if isinstance(measure, JointCoordinate):
            assert not measure.second(bare).any()  # its second derivative is dB itself


@pytest.mark.parametrize("seed", range(4))
def test_measures_are_what_they_measure(seed):
    s = Solved(with_bushings(random_mechanism(seed)))
    m, P = s.closure.mechanism, s.closure.poses(s.q[None])
    b = m.bodies[-1].name
    X = P.pose(b)
    there, ends = X.point(np.array([0.1, 0.2, -0.3]))[0], (np.array([1.0, 2, 3]), np.array([0.1, 0.2, -0.3]))
    assert Distance("ground", b, *ends).value(P)[0] == pytest.approx(np.linalg.norm(ends[0] - there), abs=1e-14)
    marker = m.marker(f"m_{b}")
    position = [MarkerCoordinate(marker.name, axis).value(P)[0] for axis in "xyz"]
    np.testing.assert_allclose(position, X.point(marker.p)[0], atol=1e-14)
    moved = [MarkerCoordinate(marker.name, axis).since_design.value(P)[0] for axis in "xyz"]
    np.testing.assert_allclose(moved, X.point(marker.p)[0] - marker.p, atol=1e-14)
    bushing = m.bushing("to_ground")
    delta = [BushingDeflection("to_ground", i).value(P)[0] for i in range(6)]
    np.testing.assert_allclose(bushing.R @ delta[:3], X.point(bushing.p)[0] - bushing.p, atol=1e-14)
    turned = quaternion_rotation(quaternion_exp(bushing.R @ delta[3:]))
    np.testing.assert_allclose(turned, X.R[0], atol=1e-12)


@pytest.mark.parametrize("axes", [Axes(), Axes([0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8]), Axes([-1, 0, 0], [0, -1, 0])])
def test_yaw_pitch_and_roll_are_turned_one_after_the_other(axes):
    """About up, then the left that it has taken, then the forward that it has taken: R = R_up R_left R_forward."""
    s, rng = Solved(replace(random_mechanism(0), axes=axes)), np.random.default_rng(7)
    body, P = s.closure.mechanism.bodies[-1].name, s.closure.poses(s.q[None])
    for roll, pitch, yaw in rng.uniform(-1, 1, (6, 3)) * [3.1, 1.5, 3.1]:
        R = rotation(axes.up, yaw) @ rotation(axes.left, pitch) @ rotation(axes.forward, roll)
        turned = replace(P, X=tuple(replace(X, R=R[None]) for X in P.X))
        found = [MarkerAngle(f"m_{body}", angle).value(turned)[0] for angle in ("roll", "pitch", "yaw")]
        np.testing.assert_allclose(found, [roll, pitch, yaw], atol=1e-13)


def test_at_design_deflections_and_spins_are_zero():
    s = Solved(with_bushings(random_mechanism(1)))
    P = Closure(s.closure.mechanism, s.closure.topology).poses(s.design.q[None])
    for measure in all_measures(s.closure.mechanism):
        if isinstance(measure, (BushingDeflection, BodySpin, MarkerAngle)):
            assert abs(measure.value(P)[0]) < 1e-12


def test_a_pure_spin_is_twice_the_sine_of_half_the_angle():
    s = Solved(random_mechanism(0))
    m, axis, angle = s.closure.mechanism, np.array([0.6, 0.0, 0.8]), 0.7
    body = m.bodies[0].name
    P = s.closure.poses(s.q[None])
    turned = [replace(X, R=rotation(axis, np.array([angle]))) for X in P.X]
    assert BodySpin(body, axis).value(replace(P, X=tuple(turned)))[0] == pytest.approx(2.0 * np.sin(0.5 * angle))


# -- what measures say of themselves ----------------------------------------------------------------------------------


def test_names_units_and_bodies():
    m = with_bushings(random_mechanism(2))
    a, b = m.bodies[0].name, m.bodies[-1].name
    pin = next(j for j in m.joints if j.primitives[0].kind == "rotation")
    cases = [
        (Distance(a, "ground", np.ones(3), np.zeros(3)), f"distance {a} to ground", "m", {a, "ground"}),
        (JointCoordinate(pin.name), f"joint {pin.name}", "rad", {pin.parent, pin.child}),
        (JointCoordinate("x", 2), "joint x [3]", None, None),
        (MarkerCoordinate(f"m_{b}", "y"), f"y of marker m_{b}", "m", {b}),
        (BushingDeflection("to_ground", 1), "bushing.to_ground[2]", "m", {"ground", b}),
        (BushingDeflection("to_ground", 4), "bushing.to_ground[5]", "rad", {"ground", b}),
        (BodySpin(b, np.eye(3)[0]), f"spin of {b}", "rad", {b}),
    ]
    for measure, name, unit, bodies in cases:
        assert measure.name == name and measure.label == name.replace(" ", "_")
        if unit:
            assert measure.unit(m) == unit and set(measure.bodies(m)) == bodies
            assert measure.shown(m, 0.01) == ("0.572958 deg" if unit == "rad" else "10 mm")


def test_the_same_measure_is_known_again():
    m = with_bushings(random_mechanism(2))
    first, second = all_measures(m), all_measures(m)
    for i, a in enumerate(first):
        assert [a.same(b) for b in second] == [i == k for k in range(len(second))]
    there, back = ("a", "b", np.zeros(3), np.ones(3)), ("b", "a", np.ones(3), np.zeros(3))
    assert Distance(*there).same(Distance(*there)) and not Distance(*there).same(Distance(*back))


def test_a_rod_holds_its_distance_at_its_length():
    rod = Rod("rod", "ground", "a", np.zeros(3), np.array([0.0, 3.0, 4.0]), 6.0)
    assert rod.distance.same(Distance("ground", "a", rod.p_P, rod.p_C))
    with pytest.raises(ValueError, match="both ends coincide at design"):
        Rod("rod", "ground", "a", np.ones(3), np.ones(3), 6.0)


def test_second_derivatives_along_some_coordinates_are_those_along_all():
    for seed in (2, 5):
        m = random_mechanism(seed)
        s = Solved(m)
        P, B, dB, W, dW = s.velocities(s.q[None])
        whole = Motion(P, B, W, dW, dB)
        for along in ([], [0], [s.dof - 1]):
            some = Motion(P, B, W, dW[..., along], dB[..., along], along)
            for measure in all_measures(m):
                expected = measure.second(whole)[..., along]
                np.testing.assert_allclose(measure.second(some), expected, rtol=1e-13, atol=1e-13)


def test_held_measures_are_in_metres():
    m = random_mechanism(2)
    s = Solved(m)
    P, length = s.closure.poses(s.q[None]), 7.0
    for measure in all_measures(m):
        held = hold(measure, 0.3, "name", m, length)
        factor = length if measure.is_angle(m) else 1.0
        assert held.gap(P)[0, 0] == factor * (measure.value(P)[0] - 0.3)
        np.testing.assert_array_equal(held.row(P)[0, 0], factor * measure.row(P)[0])


# -- one class in one place -------------------------------------------------------------------------------------------


def test_measures_are_abstract_or_final_and_each_has_a_module():
    assert inspect.isabstract(Measure)
    kinds = (*Measure.__subclasses__(), *Between.__subclasses__())
    ours = {kind for kind in kinds if kind.__module__.startswith("precompute.")} - {Between}
    assert ours == FINAL | HOLDING
    for kind in ours:
        assert not inspect.isabstract(kind) and not kind.__subclasses__() and kind.__final__
        assert kind.__module__.rpartition(".")[2] == re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


@final
@dataclass(frozen=True)
class MeanHeight(Measure):
    """A new kind of measure: it needs nothing but this class."""

    markers: tuple[str, str]
    name = "mean height"

    @property
    def refers(self):
        return tuple(("marker", marker) for marker in self.markers)

    def bodies(self, parts):
        return tuple(parts.marker(marker).body for marker in self.markers)

    def is_angle(self, parts):
        return False

    def value(self, at):
        return sum(0.5 * MarkerCoordinate(marker, "z").value(at) for marker in self.markers)

    def row(self, at):
        return sum(0.5 * MarkerCoordinate(marker, "z").row(at) for marker in self.markers)

    def second(self, motion):
        return sum(0.5 * MarkerCoordinate(marker, "z").second(motion) for marker in self.markers)


def test_a_new_measure_serves_forces_tables_and_coordinates():
    m = load(ROOT / "integration" / "mechanisms" / "double_wishbone_rigid.toml")
    one, other = (marker.name for marker in m.markers[:2])
    mean = MeanHeight((one, other))
    spring = Spring("new", mean, stiffness=1.0, free_length=0.0)
    with pytest.raises(MechanismError, match=r"springs\.new: there is no marker 'nothing'"):
        replace(m, springs=(replace(spring, on=MeanHeight((one, "nothing"))),))
    m = replace(m, springs=(*m.springs, spring), coordinates=(m.coordinates[0], Coordinate("height", mean)))
    with pytest.raises(PrecomputeError, match="a mechanism file has no words for 'mean height' here"):
        to_document(m)
    t = spanning_tree(m)
    design = close_loops(m, t)
    coordinates = choose_coordinates(m, t, design)
    dependence, _ = find_dependence(coordinates, design)
    fields = plan_fields(m, coordinates.names, dependence)
    assert fields.items[fields.find(mean)].name == "measure.spring.new"
    data = evaluate_fields(coordinates.full, fields, design.q[None])
    assert data.value[0, fields.find(mean)] == pytest.approx(coordinates.design[1])
    np.testing.assert_allclose(data.gradient[0, fields.find(mean)], [0.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(data.second[fields.find(mean)][0], 0.0, atol=1e-9)


def dispatches(file):
    """Lines that ask whether something is a certain kind of measure."""
    names = {kind.__name__ for kind in FINAL | HOLDING}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        asked = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in ("isinstance", "issubclass"):
            asked = ast.walk(node.args[1])
        elif isinstance(node, ast.MatchClass):
            asked = ast.walk(node.cls)
        elif isinstance(node, ast.Compare):
            asked = node.comparators
        if names & {getattr(part, "id", None) for part in asked}:
            yield node.lineno if hasattr(node, "lineno") else node.cls.lineno


def test_nobody_else_asks_a_measure_for_its_class():
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for half in ("precompute", "fmu_src", "kinetab", "integration", "benchmarks")
        for file in sorted((ROOT / half).rglob("*.py"))
        if file.parent != FOLDER
        for line in dispatches(file)
    ]
    assert not found
    assert list(dispatches(FOLDER / "body_spin.py"))  # the search finds what there is
