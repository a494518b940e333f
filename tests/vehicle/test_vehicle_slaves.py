"""The small FMUs of the vehicles: every equation of their docstrings, in closed form or by what is conserved."""

import math

import numpy as np
import pytest
from corners.models import slave_fmu
from fmpy.validation import validate_fmu
from kinetab_chassis import KinetabChassis
from kinetab_driver import KinetabDriver
from kinetab_part import places, three
from kinetab_roll_control import KinetabRollControl
from kinetab_rotation import cross, rotation, turned, turned_back, turning, unit
from kinetab_sprung_mass import KinetabSprungMass
from kinetab_tyre import KinetabTyre
from scipy.spatial.transform import Rotation

ROUNDING = 1e-12
G = 9.80665
SLAVES = ("chassis", "tyre", "sprung_mass", "driver", "roll_control")


class Slave:
    """A slave by the names of its variables; a vector by its name alone."""

    def __init__(self, kind, **values):
        self.part = kind(instance_name="part")
        self.names = [variable.name for variable in self.part.vars.values()]
        self.places = places(self.names)
        self.time = 0.0
        self.set(**values)

    def set(self, **values):
        for name, value in values.items():
            value = np.atleast_1d(value).tolist()
            where = range(*self.places[name.replace("__", ".")].indices(len(self.names)))
            self.part.set_real(list(where), value)

    def __getitem__(self, name):
        found = self.part.get_real(list(range(len(self.names))))[self.places[name]]
        return found[0] if len(found) == 1 else np.array(found)

    def step(self, size, n=1):
        for _ in range(n):
            assert self.part.do_step(self.time, size)
            self.time += size
        return self


# -- what they have in common --------------------------------------------------------------------------------------


@pytest.mark.fmu
@pytest.mark.parametrize("name", SLAVES)
def test_their_fmus_are_valid(name):
    assert validate_fmu(str(slave_fmu(name))) == []


def test_places_of_vectors_and_scalars():
    assert places(["a", *three("b"), "c.d"]) == {"a": slice(0, 1), "b": slice(1, 4), "c.d": slice(4, 5)}


def test_outputs_follow_the_inputs_until_the_first_step_only():
    mass = Slave(KinetabSprungMass, mass=2.0, gravity=0.0, F=4.0)
    assert mass["vd"] == 2.0
    mass.set(F=6.0)
    assert mass["vd"] == 3.0
    mass.step(0.1).set(F=100.0)
    assert mass["vd"] == 3.0


def test_rotations_are_those_of_scipy():
    rng = np.random.default_rng(1)
    for _ in range(5):
        e, u, w = unit(rng.standard_normal(4)), rng.standard_normal(3), rng.standard_normal(3)
        R = Rotation.from_quat(e, scalar_first=True).as_matrix()
        np.testing.assert_allclose(rotation(*e), R, atol=ROUNDING)
        np.testing.assert_allclose(turned(rotation(*e), u), R @ u, atol=ROUNDING)
        np.testing.assert_allclose(turned_back(rotation(*e), u), R.T @ u, atol=ROUNDING)
        np.testing.assert_allclose(cross(u, w), np.cross(u, w), atol=ROUNDING)
        h = 1e-6
        after = (Rotation.from_matrix(R) * Rotation.from_rotvec(h * w)).as_quat(scalar_first=True)
        after *= np.sign(after @ e)
        np.testing.assert_allclose(turning(e, w), (after - e) / h, atol=1e-5)


# -- sprung mass and driver ----------------------------------------------------------------------------------------


def test_the_sprung_mass_falls_exactly():
    mass = Slave(KinetabSprungMass, mass=100.0, F=100.0 * (G - 2.0)).step(0.01, 50)
    assert mass["v"] == pytest.approx(-2.0 * 0.5, rel=ROUNDING)
    assert mass["z"] == pytest.approx(-0.5 * 2.0 * 0.5**2, rel=ROUNDING)


def test_the_driver_steers_one_period_and_brakes_between_two_times():
    driver = Slave(
        KinetabDriver,
        **{"steer": 0.1, "frequency": 2.0, "steer.start": 0.2},
        **{
            "brake.front": 100.0,
            "brake.rear": 40.0,
            "brake.start": 0.1,
            "brake.end": 0.5,
            "brake.ramp": 0.1,
            "speed": 3.0,
        },
    )
    found = {}
    for i in range(100):
        driver.step(0.01)
        found[round(0.01 * (i + 1), 2)] = [driver[name] for name in ("left", "right", "front", "rear", "x")]
    steer = -0.1 * math.sin(2 * math.pi * 2.0 * 0.1)
    np.testing.assert_allclose(found[0.3], [steer, -steer, 100.0, 40.0, 0.9], atol=1e-9)
    np.testing.assert_allclose(found[0.15], [0.0, 0.0, 50.0, 20.0, 0.45], atol=1e-9)
    np.testing.assert_allclose(found[0.55][2:4], [50.0, 20.0], atol=1e-9)
    np.testing.assert_allclose(found[0.9], [0.0, 0.0, 0.0, 0.0, 2.7], atol=1e-9)


# -- roll control --------------------------------------------------------------------------------------------------

TRACKS = {"track.front": 1.6, "track.rear": 1.5}
CORNERS = ("front_left", "front_right", "rear_left", "rear_right")


def control(**values):
    return Slave(KinetabRollControl, **{"share": 0.0, "damping": 0.0, "moment": 500.0, **TRACKS, **values})


def settled(**values):
    return control(**values).step(1.0)  # fifty times its lag


def test_in_a_left_turn_the_left_wheels_are_pushed_up_and_the_right_ones_down():
    turning = settled(vd=[0.0, 3.0, 0.0])
    np.testing.assert_allclose(
        [turning[name] for name in CORNERS], [750.0 / 1.6, -750.0 / 1.6, 750.0 / 1.5, -750.0 / 1.5], rtol=ROUNDING
    )
    rising = settled(damping=4000.0, w=[0.2, 0.0, 0.0])  # the left side rises
    assert rising["front_left"] == pytest.approx(400.0 / 1.6) and rising["front_right"] == -rising["front_left"]
    steered = settled(share=1.0, ratio=0.9, steer=0.02, v=[20.0, 0.0, 0.0], wheelbase=2.8, understeer=0.003)
    ahead = 400.0 * 0.9 * 0.02 / (2.8 + 0.003 * 400.0)
    assert steered["rear_left"] == pytest.approx(250.0 * ahead / 1.5)


def test_its_accelerometer_reads_what_a_mass_there_would_feel():
    """Of a chassis whose sensor goes round in a banked circle: the rate of its velocity, less gravity."""
    rng = np.random.default_rng(4)
    c, v, w, vd, wd, g = rng.standard_normal((6, 3))
    found = settled(sensor=c, v=v, w=w, vd=vd, wd=wd, g=g, most=1e9)
    felt = vd + np.cross(w, v) + np.cross(wd, c) + np.cross(w, np.cross(w, c)) - g
    assert found["front_left"] == pytest.approx(250.0 * felt[1] / 1.6, rel=1e-12)


def test_its_bars_follow_with_their_lag_up_to_what_they_can():
    bars = control(lag=0.05, most=300.0)
    assert bars["front_left"] == 0.0
    bars.step(1e-3).set(vd=[0.0, 1.0, 0.0])
    bars.step(1e-3, 50)
    assert bars["front_left"] == pytest.approx(250.0 / 1.6 * (1.0 - math.exp(-1.0)), rel=1e-9)
    bars.set(vd=[0.0, -9.0, 0.0])
    bars.step(1e-3, 2000)
    assert bars["front_left"] == pytest.approx(-300.0) and bars["rear_right"] == pytest.approx(300.0)


# -- chassis -------------------------------------------------------------------------------------------------------

COM, INERTIA = (-1.3, 0.1, 0.5), (600.0, 2500.0, 3000.0)


def test_a_chassis_in_free_fall_keeps_its_speed_and_falls():
    chassis = Slave(KinetabChassis, mass=1500.0, com=COM, inertia=INERTIA, speed=10.0, height=2.0).step(1e-3, 500)
    np.testing.assert_allclose(chassis["p"], [5.0, 0.0, 2.0 - 0.5 * G * 0.25], atol=1e-10)
    np.testing.assert_allclose(chassis["v"], [10.0, 0.0, -G * 0.5], atol=1e-10)
    np.testing.assert_allclose(chassis["g"], [0.0, 0.0, -G])


def test_a_force_at_the_centre_of_mass_does_not_turn_it():
    F = np.array([300.0, -200.0, 15000.0])
    chassis = Slave(KinetabChassis, mass=1500.0, com=COM, inertia=INERTIA)
    chassis.set(F2=0.4 * F, M2=0.4 * np.cross(COM, F), F4=0.6 * F, M4=0.6 * np.cross(COM, F))
    chassis.step(1e-3, 200)
    np.testing.assert_allclose(chassis["w"], 0.0, atol=1e-12)
    np.testing.assert_allclose(chassis["v"], 0.2 * (F / 1500.0 - [0, 0, G]), atol=1e-10)


def spun(step):
    """Momentum and energy of a chassis that tumbles without gravity, at the start and after half a second."""
    chassis = Slave(KinetabChassis, mass=1500.0, com=COM, inertia=INERTIA, gravity=0.0, M1=[2000.0, 3000.0, 4000.0])
    chassis.step(step, round(0.5 / step))  # winds it up
    chassis.set(M1=np.zeros(3))
    rows = []
    for n in (1, round(0.5 / step)):
        chassis.step(step, n)
        R = np.array(rotation(*chassis["e"]))
        spin = np.array(INERTIA) * chassis["w"]
        u = chassis["v"] + np.cross(chassis["w"], COM)
        rows.append([*R @ spin, *1500.0 * R @ u, 0.5 * spin @ chassis["w"] + 750.0 * u @ u])
    return np.array(rows)


def test_a_tumbling_chassis_conserves_momentum_and_energy_to_second_order():
    coarse, fine = (np.abs(np.diff(rows, axis=0)[0]).max() / np.abs(rows).max() for rows in map(spun, (2e-3, 1e-3)))
    assert np.abs(spun(1e-3)[0]).max() > 1e3
    assert fine < 1e-5 and fine < coarse / 3.5


def test_rates_of_the_chassis_are_those_of_its_twist():
    chassis = Slave(KinetabChassis, mass=1500.0, com=COM, inertia=INERTIA, speed=10.0)
    chassis.set(F1=[500.0, 900.0, 14000.0], M1=[800.0, 1000.0, -700.0])
    chassis.step(1e-3, 300)
    before = np.concatenate([chassis["v"], chassis["w"]])
    rates = np.concatenate([chassis["vd"], chassis["wd"]])
    chassis.step(1e-6)
    np.testing.assert_allclose((np.concatenate([chassis["v"], chassis["w"]]) - before) / 1e-6, rates, atol=1e-4)


# -- tyre ----------------------------------------------------------------------------------------------------------


ROLLING = "slip.longitudinal"
SLIDING = "slip.lateral"


def tyre(**values):
    return Slave(KinetabTyre, **{"load": 4000.0, "k": 200e3, "c": 500.0, "sigma": 0.5, "cornering": 60e3, **values})


def test_the_tyre_is_a_spring_and_a_damper_that_never_pulls():
    assert tyre()["N"] == 4000.0
    assert tyre(p=[0.0, 0.0, -0.01])["N"] == pytest.approx(6000.0)
    assert tyre(r=[0.0, 0.0, -0.01])["N"] == pytest.approx(6000.0)
    assert tyre(height=0.002)["N"] == pytest.approx(4400.0)
    assert tyre(u=[0.0, 0.0, -0.2])["N"] == pytest.approx(4100.0)
    assert tyre(u=[0.0, 0.0, 20.0])["N"] == 0.0
    assert tyre(p=[0.0, 0.0, 0.021], u=[0.0, 0.0, -5.0])["N"] == 0.0


def test_the_tyre_follows_its_point_through_the_step():
    ahead = tyre(u=[0.0, 0.0, -0.1], c=0.0).step(0.01)
    assert ahead["N"] == pytest.approx(4000.0 + 200e3 * 0.001)


def test_the_kerb_has_its_height_and_pushes_back_along_its_slope():
    kerb = {"kerb.x": 2.0, "kerb.height": 0.04, "kerb.ramp": 0.2}
    assert tyre(p=[1.9, 0, 0], **kerb)["compression"] == 0.0
    assert tyre(p=[2.1, 0, 0], **kerb)["compression"] == pytest.approx(0.02)
    assert tyre(p=[2.5, 0, 0], **kerb)["compression"] == pytest.approx(0.04)
    middle = tyre(p=[2.1, 0, 0], c=0.0, **kerb)
    assert middle["F"][0] == pytest.approx(-1.5 * 0.04 / 0.2 * middle["N"])
    d = [tyre(p=[x, 0, 0], **kerb)["compression"] for x in (2.05, 2.05 + 1e-6)]
    moving = tyre(p=[2.05, 0, 0], u=[7.0, 0, 0], **kerb)
    assert moving["N"] - tyre(p=[2.05, 0, 0], **kerb)["N"] == pytest.approx(
        500.0 * 7.0 * (d[1] - d[0]) / 1e-6, rel=1e-4
    )


def attitude(rng):
    R = Rotation.from_rotvec(0.3 * rng.standard_normal(3))
    return R.as_matrix(), R.as_quat(scalar_first=True)


def test_in_a_chassis_of_any_attitude_the_same_force_acts_on_the_road():
    rng = np.random.default_rng(2)
    M, e = attitude(rng)
    p, r, u = (0.1 * rng.standard_normal(3) for _ in range(3))
    x = np.array([math.cos(0.2), math.sin(0.2), 0.0])  # on the road
    same = {"brake": 100.0, "height": 0.3, ROLLING: 3.0, SLIDING: -0.2}
    one = tyre(p=p, e=e, r=r, u=u, x=M.T @ x, **same)
    two = tyre(p=p + M @ r, u=M @ u, x=x, **same)
    for slave in (one, two):
        slave.step(1e-3)
    np.testing.assert_allclose(M @ one["F"], two["F"], rtol=1e-10, atol=1e-8)
    np.testing.assert_allclose(M @ one["road.n"], two["road.n"], atol=1e-12)
    assert one["torque"] == pytest.approx(two["torque"], rel=1e-12) and np.abs(two["F"]).min() > 1.0


def test_the_plane_that_it_tells_is_the_road():
    """Through the point below the contact, along the slope of the kerb, seen from the chassis."""
    M, e = attitude(np.random.default_rng(3))
    p, r = np.array([0.0, 0.0, 0.4]), M.T @ [2.05, 0.7, -0.39]
    at = tyre(p=p, e=e, r=r, height=0.02, **{"kerb.x": 2.0, "kerb.height": 0.04, "kerb.ramp": 0.2})
    t = 0.25
    on_road = np.array([2.05, 0.7, 0.04 * (3 * t**2 - 2 * t**3)])
    slope = 6 * 0.04 * t * (1 - t) / 0.2
    n = np.array([-slope, 0.0, 1.0]) / math.hypot(slope, 1.0)
    np.testing.assert_allclose(M @ at["road.n"], n, atol=1e-12)
    assert at["road.d"] == pytest.approx(n @ (on_road - p), abs=1e-12)


def test_the_side_force_is_that_of_the_slip_angle_after_some_relaxation_lengths():
    slip = 0.01
    slow = tyre(mu=100.0, **{ROLLING: 10.0, SLIDING: -10.0 * slip})
    slow.step(1e-3, 50)  # one relaxation length of 0.5 m
    left = math.exp(-1.0)
    assert slow["Fy"] == pytest.approx(60e3 * slip * (1.0 - left) + 500.0 * 10.0 * slip * left, rel=1e-5)
    slow.step(1e-3, 1000)
    assert slow["Fy"] == pytest.approx(60e3 * slip, rel=1e-5)
    assert slow["F"][1] == slow["Fy"]  # it slides to the right, pushed to the left
    steered = {ROLLING: 10.0 * math.cos(slip), SLIDING: -10.0 * math.sin(slip)}
    steered = tyre(mu=100.0, x=[math.cos(slip), math.sin(slip), 0.0], **steered).step(1e-3, 1000)
    assert steered["Fy"] == pytest.approx(60e3 * math.tan(slip), rel=1e-5)
    np.testing.assert_allclose(steered["F"][:2], steered["Fy"] * np.array([-math.sin(slip), math.cos(slip)]))


def test_at_standstill_the_tyre_is_a_spring_and_a_damper_sideways():
    still = tyre(mu=100.0, **{SLIDING: -0.01}).step(1e-3, 100)
    assert still["Fy"] == pytest.approx(60e3 / 0.5 * 1e-3 + 500.0 * 0.01, rel=1e-4)


def test_friction_limits_brake_and_side_force_together():
    slide = tyre(brake=3000.0, mu=0.9, radius=0.31, **{ROLLING: 10.0, SLIDING: -5.0}).step(1e-3, 500)
    assert slide["Fx"] == -3000.0 and slide["torque"] == pytest.approx(-3000.0 * 0.31)
    assert slide["Fy"] == pytest.approx(math.sqrt((0.9 * 4000.0) ** 2 - 3000.0**2), rel=1e-6)
    assert tyre(brake=9000.0, mu=0.9, **{ROLLING: 10.0})["Fx"] == pytest.approx(-3600.0)
    assert tyre(brake=1000.0, **{ROLLING: -10.0})["Fx"] == 1000.0
    assert tyre(brake=1000.0, **{ROLLING: 0.05})["Fx"] == pytest.approx(-500.0)
