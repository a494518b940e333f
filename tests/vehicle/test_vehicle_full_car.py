"""The full car in its three manoeuvres: loads, symmetry, energy, balance of forces, masters and kinds of FMU, speed.

The car without elements, with rigid joints: it bakes in seconds.  `make vehicle` shows the same with rubber; see
`test_vehicle_elements.py` for the car with elements.
"""

from dataclasses import replace
from functools import cache
from math import atan

import full_car as script
import numpy as np
import pytest
import vehicle
from convergence import Convergence
from corners.car import CHASSIS, CORNERS, GRAVITY, WHEELBASE, corner, loads
from corners.models import corner_model
from coupling.fmpy_master import run
from coupling.libcosim_master import run_apart
from coupling.system import Record, difference
from energy import full_car_balance
from full_car import DAMPERS, ENERGY, MANOEUVRES, RECORDED, STEP, full_car
from scipy.spatial.transform import Rotation
from vehicle_plots import accelerations, angles

from precompute.exporting import joined

pytestmark = pytest.mark.fmu

MASTERS, KINDS, SYMMETRY = 1e-6, 1e-9, 1e-9  # relative to the range of a variable
SHORT = 0.6  # [s] of a manoeuvre in which everything has begun to move


@cache
def system(manoeuvre, kind="native"):
    return full_car(manoeuvre, kind, rigid=True, elements=False)


@cache
def record(manoeuvre, kind="native", step=STEP, stop=None):
    return run(system(manoeuvre, kind), stop or MANOEUVRES[manoeuvre].stop, step, (*RECORDED, *ENERGY, *DAMPERS))


def weighed():
    """Mass and centre of mass of the whole car at rest [kg, m]."""
    bodies = [(CHASSIS.mass, np.array(CHASSIS.com))]
    bodies += [(body.mass, body.com) for name in CORNERS for body in corner(name, rigid=True).bodies]
    mass = sum(m for m, _ in bodies)
    return mass, sum(m * p for m, p in bodies) / mass


# -- its parts -----------------------------------------------------------------------------------------------------


def test_its_parts_fit_together():
    """As `kinetab export` checks it; the file that is shipped names all of them."""
    found = joined(system("sine steer"))
    assert set(found.system.fmus) == set(script.SYSTEM.fmus) - {"control"}
    assert len(found.system.connections) == 194 and "chassis" not in found.open and "driver" not in found.open
    sent = [pair for pair in script.SYSTEM.connections if "control" in (pair[0].split(".")[0], pair[1].split(".")[0])]
    assert len(sent) == 20


# -- at rest -------------------------------------------------------------------------------------------------------


def test_it_rolls_straight_on_at_rest_until_something_happens():
    found = record("brake dive")
    before = found.time < 0.29
    for name in CORNERS:
        assert np.ptp(found[f"tyre_{name}.N"][before]) < 1e-4 * loads(True)[name]
    assert np.ptp(found["chassis.v[1]"][before]) < 1e-8


def test_a_load_in_the_boot_is_carried_by_the_axles_as_by_a_beam():
    """Settled while rolling, with 150 kg more over the rear axle, a little to the left."""
    more, place = 150.0, np.array([-2.8, 0.1, CHASSIS.com[2]])
    mass = CHASSIS.mass + more
    com = (CHASSIS.mass * np.array(CHASSIS.com) + more * place) / mass
    loaded = {"chassis.mass": mass, "chassis.com[1]": com[0], "chassis.com[2]": com[1], "chassis.speed": 20.0}
    bare = {name: value for name, value in system("brake dive").starts.items() if not name.startswith("driver")}
    found = run(replace(system("brake dive"), starts=bare | loaded), 6.0, 2e-3, RECORDED)
    added = {name: found[f"tyre_{name}.N"][-1] - loads(True)[name] for name in CORNERS}
    assert sum(added.values()) == pytest.approx(more * GRAVITY, rel=2e-3)
    assert added["rear_left"] + added["rear_right"] == pytest.approx(
        more * GRAVITY, rel=0.03
    )  # the car pitches a little
    assert added["rear_left"] > added["rear_right"] and added["front_left"] > added["front_right"]


# -- manoeuvres ----------------------------------------------------------------------------------------------------


def test_left_and_right_are_mirror_images_in_a_brake_dive():
    found = record("brake dive")
    for end in ("front", "rear"):
        for what, sign in (("N", 1), ("Fx", 1), ("Fy", -1)):
            left, right = found[f"tyre_{end}_left.{what}"], found[f"tyre_{end}_right.{what}"]
            assert np.abs(left - sign * right).max() < SYMMETRY * 5000.0
        for what in ("travel", "toe", "camber", "contact.gap"):
            left, right = (found[f"{end}_{side}.wheel.{end}_{side}.{what}"] for side in ("left", "right"))
            assert np.abs(left - right).max() < SYMMETRY
    assert np.abs(found["chassis.p[2]"]).max() < SYMMETRY


def test_braking_slows_the_car_by_the_sum_of_the_brake_forces_and_loads_the_front():
    found, (mass, centre) = record("brake dive"), weighed()
    brake = sum(found[f"tyre_{name}.Fx"] for name in CORNERS)
    impulse = np.sum(brake[:-1]) * STEP
    assert impulse < -5000.0
    assert mass * (found["chassis.v[1]"][-1] - 20.0) == pytest.approx(impulse, rel=2e-3)
    steady = np.argmin(np.abs(found.time - 1.4))
    front, rear = (sum(found[f"tyre_{end}_{side}.N"] for side in ("left", "right")) for end in ("front", "rear"))
    moved = -brake[steady] * centre[2] / WHEELBASE  # by the moment of the brake forces about the centre of mass
    assert front[steady] - front[0] == pytest.approx(moved, rel=0.1)
    assert rear[0] - rear[steady] == pytest.approx(moved, rel=0.1)


def test_a_sine_steer_turns_left_then_right_with_the_outer_wheels_loaded():
    found, (mass, centre) = record("sine steer"), weighed()
    yaw = found["chassis.w[3]"]
    first, second = found.time < 0.9, (found.time > 1.2) & (found.time < 1.8)
    assert yaw[first].max() > 0.1 and yaw[second].min() < -0.1
    side = found["chassis.vd[2]"] + yaw * found["chassis.v[1]"] + found["chassis.wd[3]"] * centre[0]
    side -= found["chassis.wd[1]"] * centre[2]
    turning = np.argmax(side)
    forces = sum(found[f"tyre_{name}.Fy"] for name in CORNERS)
    assert forces[turning] == pytest.approx(mass * side[turning], rel=0.05)
    for end in ("front", "rear"):
        assert found[f"tyre_{end}_right.N"][turning] > found[f"tyre_{end}_left.N"][turning] + 500.0


def test_a_kerb_lifts_the_left_wheels_only():
    found, height = record("kerb strike"), system("kerb strike").starts["tyre_front_left.kerb.height"]
    assert found["tyre_front_left.N"].max() > 1.5 * loads(True)["front_left"]
    assert found["tyre_front_right.N"].max() < 1.2 * loads(True)["front_right"]
    a, b, c, d = (found[f"chassis.e[{i}]"][-1] for i in (1, 2, 3, 4))
    roll = atan(2 * (a * b + c * d) / (1 - 2 * (b * b + c * c)))
    front, rear = (2.0 * corner(f"{end}_left", True).marker("contact").p[1] for end in ("front", "rear"))
    assert height / front < roll < 1.2 * height / rear  # the weight adds to the slope of the road
    assert found["chassis.p[3]"][-1] == pytest.approx(height / 2, rel=0.1)


def test_the_contact_is_as_far_from_the_road_as_the_tyre_is_pressed():
    """The road that the tyre tells is the plane from which the suspension has its contact, but for steps of delay."""
    starts = system("kerb strike").starts
    for name in CORNERS:
        apart = []
        for step in (STEP, STEP / 2):
            found = record("kerb strike", step=step, stop=0.8)
            pressed = found[f"tyre_{name}.compression"] - starts[f"tyre_{name}.height"]
            apart.append(np.abs(found[f"{name}.wheel.{name}.contact.gap"] + pressed).max())
        assert np.ptp(pressed) > 8 * apart[0] and apart[1] == pytest.approx(apart[0] / 2, rel=0.1)


# -- energy, masters, kinds, speed ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("manoeuvre", "share"), [("kerb strike", 0.05), ("sine steer", 5e-3), ("brake dive", 3e-3)])
def test_energy_is_stored_or_lost_and_the_rest_falls_with_the_step(manoeuvre, share):
    models = {name: corner_model(name, rigid=True) for name in CORNERS}
    stop = 0.8
    coarse = full_car_balance(record(manoeuvre, stop=stop), models, every=20)
    fine = full_car_balance(record(manoeuvre, step=STEP / 2, stop=stop), models, every=40)
    assert coarse.lost[-1] > 5.0
    assert coarse.residual < share and fine.residual == pytest.approx(coarse.residual / 2, rel=0.2)


@pytest.mark.parametrize("manoeuvre", MANOEUVRES)
def test_both_kinds_of_fmu_agree(manoeuvre):
    ours = record(manoeuvre, stop=SHORT)
    assert difference(ours, record(manoeuvre, "python", stop=SHORT)) < KINDS


@pytest.mark.parametrize("manoeuvre", MANOEUVRES)
def test_libcosim_agrees_with_fmpy(manoeuvre):
    pytest.importorskip("libcosimpy", reason="libcosimpy has no wheels for this Python")
    theirs = run_apart(system(manoeuvre), SHORT, STEP, (*RECORDED, *ENERGY, *DAMPERS))
    assert difference(record(manoeuvre, stop=SHORT), theirs) < MASTERS


def test_it_runs_faster_than_real_time():
    assert record("kerb strike").speed > 1.0


# -- the report --------------------------------------------------------------------------------------------------------


def test_roll_and_pitch_have_the_signs_that_the_pictures_say():
    e = Rotation.from_euler("YX", [2.0, 3.0], degrees=True).as_quat(scalar_first=True)  # nose down, left side up
    values = {f"chassis.e[{i + 1}]": np.array([x]) for i, x in enumerate(e)}
    roll, pitch = angles(Record(np.zeros(1), values))
    assert roll[0] == pytest.approx(3.0) and pitch[0] == pytest.approx(2.0)


def test_the_accelerations_of_the_pictures_are_those_of_the_forces():
    found, (mass, _) = record("brake dive"), weighed()
    forward, left = accelerations(found)
    steady = np.argmin(np.abs(found.time - 1.4))
    brake = sum(found[f"tyre_{name}.Fx"][steady] for name in CORNERS)
    assert forward[steady] * GRAVITY == pytest.approx(brake / mass, rel=0.01) and np.abs(left).max() < SYMMETRY


def test_the_script_says_what_happened(monkeypatch, capsys):
    monkeypatch.setattr(script, "full_car", lambda name, elements: system(name))
    monkeypatch.setattr(script, "MANOEUVRES", {"brake dive": replace(MANOEUVRES["brake dive"], stop=0.4)})
    script.main()
    said = capsys.readouterr().out
    assert "brake dive, without: 0.4 s" in said and "brake dive, with elements: 0.4 s" in said
    assert f"front_left   load {loads(True)['front_left']:6.0f} N" in said


def test_the_report_prints_its_table_and_draws_its_pictures(monkeypatch, tmp_path, capsys):
    """Of the rigid car with elements, in a short manoeuvre; the order is tested with the quarter car."""
    steps = np.array([2e-3, 1e-3])
    monkeypatch.setattr(vehicle, "CARS", {True: vehicle.CARS[True]})
    monkeypatch.setattr(vehicle, "BUILD", tmp_path)
    monkeypatch.setattr(vehicle, "bake_all", lambda *_: None)
    monkeypatch.setattr(vehicle, "full_car", lambda *a, **k: full_car(*a, **{**k, "rigid": True}))
    monkeypatch.setattr(vehicle, "MANOEUVRES", {"brake dive": replace(MANOEUVRES["brake dive"], stop=0.4)})
    monkeypatch.setattr(vehicle, "convergence", lambda *_: Convergence(steps, 10.0 * steps))
    code = vehicle.main()
    said = capsys.readouterr().out
    assert code == ("WRONG" in said) and "differ" not in said
    assert f"{loads()['front_left']:13.1f}" in said and "brake dive" in said and "1.00" in said
    assert "  brake dive, with elements " in said and "  full car, with elements, brake dive " in said
    drawn = ["vehicle_brake_dive.png", "vehicle_coupling.png", "vehicle_elements.png"]
    assert sorted(p.name for p in tmp_path.iterdir()) == drawn


def test_the_report_says_what_does_not_agree(monkeypatch):
    time = np.array([0.0, 1.0])
    ours, theirs = (Record(time, {"z": np.array([0.0, 1.0 + error])}, seconds=2.0) for error in (0.0, 1e-5))
    monkeypatch.setattr(vehicle, "in_libcosim", lambda *_: 1e-5)
    wrong = []
    row = vehicle.agreement("car", None, ours, theirs, wrong)
    assert [problem.split()[1] for problem in wrong] == ["native", "FMPy", "seconds"]
    assert row.split() == ["0.50", "1e-05", "1e-05"]
