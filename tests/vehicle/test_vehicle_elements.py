"""The car with elements: struts that remember, friction, anti-roll actuators that the roll control commands.

Rigid joints: these corners bake in seconds; `make vehicle` shows the same on rubber.
"""

from dataclasses import replace
from functools import cache
from math import pi

import numpy as np
import pytest
from corners.car import CORNERS, GRAVITY, corner, loads
from corners.models import corner_fmu, corner_model
from coupling.fmpy_master import run
from coupling.system import Record, difference
from elements_plot import damper_loop, plot_elements
from energy import ending, full_car_balance
from full_car import DAMPERS, ELEMENTS, ENERGY, RECORDED, STEP, full_car
from helpers_fmu import Host
from vehicle_plots import angles

pytestmark = pytest.mark.fmu

REAR = "rear_left"
SHORT = 0.9  # [s] of a sine steer: half of it


# -- one corner ----------------------------------------------------------------------------------------------------


def hosted(elements=True, **starts):
    """A rear corner at rest under its load; names with __ for points."""
    host = Host(corner_fmu(REAR, "native", rigid=True, elements=elements))
    for name, value in {"solver__static": 1.0, **starts}.items():
        host.set(name.replace("__", "."), value)
    return host.start()


@pytest.mark.parametrize("name", CORNERS)
def test_elements_take_the_place_of_the_damper(name):
    plain, found = corner(name, rigid=True), corner(name, rigid=True, elements=True)
    assert [d.name for d in plain.dampers] == ["shock"] and not plain.devices
    assert not found.dampers and [d.name for d in found.devices] == ["damper", "friction", "roll"]
    (_, strut), (_, friction), (_, travel) = (device.on[0] for device in found.devices)
    assert strut.name == friction.name and travel.wheel == name


def test_it_starts_at_rest_with_the_gas_in_its_mount():
    host = hosted()
    F, mount, z, force, k = host.get(
        "element.damper.F",
        "element.damper.mount",
        "element.friction.z",
        "element.damper.force.s",
        "element.damper.mount_stiffness",
    )
    assert abs(F) < 1e-12 and z == 0.0
    assert 200.0 < force < 230.0 and mount == pytest.approx(-force / k, rel=1e-12)
    host.step(0.0, STEP)
    (rate,) = host.get("qd.wheel")
    host.close()
    assert abs(rate) < 1e-9 * GRAVITY * STEP


def test_it_goes_on_from_the_start_values_of_its_states():
    names = ("element.damper.F", "element.damper.mount", "element.friction.z")
    given = (-50.0, -4e-4, 1e-4)
    host = hosted(
        solver__static=0.0,
        **{n.replace("element.", "x_start.").replace(".", "__"): x for n, x in zip(names, given, strict=True)},
    )
    assert tuple(host.get(*names)) == given
    host.close()


@pytest.mark.parametrize(("command", "more"), [(400.0, 1.0), (-400.0, -1.0)])
def test_a_command_raises_the_wheel(command, more):
    """At rest the spring carries it: as much force at the wheel as the actuator gives."""
    host = hosted(element__roll__command=command)
    travel, force, ratio = host.get("element.roll.s", "element.roll.force.s", "element.roll.power")
    host.close()
    assert force == command and more * travel > 5e-3


def driven(elements):
    """The damper's rate and tension over a cycle of 3 Hz at the wheel, in steady motion."""
    host, rows = hosted(elements), []
    damper, rate, force = ("element.damper", "s_rate", "force.s") if elements else ("damper.shock", "rate", "force")
    load = loads(True)[REAR]
    for i in range(1000):
        host.set("port.contact.F[3]", load + 600.0 * np.sin(2.0 * pi * 3.0 * i * STEP))
        rows.append(host.get(f"{damper}.{rate}", f"{damper}.{force}"))
        host.step(i * STEP, STEP)
    host.close()
    rates, forces = np.array(rows).T
    return rates[667:], forces[667:]


def at_turns(v, f):
    """Forces where the rate vanishes: after lengthening, and after shortening."""
    turns = np.flatnonzero(np.diff(np.sign(v)))
    share = v[turns] / (v[turns] - v[turns + 1])
    forces = f[turns] + share * (f[turns + 1] - f[turns])
    return forces[v[turns] > 0.0][0], forces[v[turns] < 0.0][0]


def test_its_damper_has_a_loop_where_the_one_before_has_none():
    """After lengthening it still pulls."""
    lengthened, shortened = at_turns(*driven(elements=True))
    assert lengthened < shortened - 80.0
    assert np.abs(at_turns(*driven(elements=False))).max() < 3.0


# -- the car -------------------------------------------------------------------------------------------------------


@cache
def record(manoeuvre="sine steer", kind="native", step=STEP, stop=SHORT, **starts):
    system = full_car(manoeuvre, kind, rigid=True)
    system = replace(system, starts=system.starts | {f"control.{name}": x for name, x in starts.items()})
    return run(system, stop, step, (*RECORDED, *ENERGY, *ELEMENTS))


def test_it_rolls_straight_on_at_rest_until_something_happens():
    found = record()
    before = found.time < 0.29
    for name in CORNERS:
        assert np.ptp(found[f"tyre_{name}.N"][before]) < 1e-4 * loads(True)[name]
        assert np.ptp(found[f"{name}.element.damper.force.s"][before]) < 0.01
    assert np.abs(np.diff(found["chassis.v[3]"][:50])).max() < 1e-6 * GRAVITY * STEP


def test_the_bars_hold_the_body_against_the_turn():
    on, off = record(), record(moment=0.0, damping=0.0)
    roll, free = angles(on)[0], angles(off)[0]
    assert free.max() > 2.0 and 0.0 < roll.max() < 0.5 * free.max()
    turning = np.argmax(free)
    for end in ("front", "rear"):
        left, right = (on[f"{end}_{side}.element.roll.force.s"] for side in ("left", "right"))
        assert np.array_equal(left, -right) and left[turning] > 300.0
        assert not off[f"{end}_left.element.roll.force.s"].any()


def test_left_and_right_are_mirror_images_in_a_brake_dive():
    found = record("brake dive")
    for end in ("front", "rear"):
        for what in ("damper", "friction"):
            left, right = (found[f"{end}_{side}.element.{what}.force.s"] for side in ("left", "right"))
            assert np.ptp(left) > 20.0 and np.abs(left - right).max() < 1e-6 * np.ptp(left)


@pytest.mark.parametrize(("manoeuvre", "share"), [("kerb strike", 0.05), ("sine steer", 5e-3)])
def test_energy_is_stored_or_taken_and_the_rest_falls_with_the_step(manoeuvre, share):
    models = {name: corner_model(name, rigid=True, elements=True) for name in CORNERS}
    coarse = full_car_balance(record(manoeuvre, stop=0.8), models, every=20)
    fine = full_car_balance(record(manoeuvre, step=STEP / 2, stop=0.8), models, every=40)
    assert coarse.residual < share and fine.residual == pytest.approx(coarse.residual / 2, rel=0.2)


def test_dampers_take_most_of_a_kerb_and_actuators_are_counted():
    found = record("kerb strike", stop=0.8)
    assert len(ending(found, "element.roll.force.s")) == len(CORNERS)
    given = {
        what: sum(
            -np.trapezoid(found[f"{name}.element.{what}.force.s"] * found[f"{name}.element.{what}.s_rate"], found.time)
            for name in CORNERS
        )
        for what in ("damper", "friction", "roll")
    }
    assert given["damper"] > 5.0 * given["friction"] > 5.0


def test_both_kinds_of_fmu_agree():
    assert difference(record(stop=0.6), record(kind="python", stop=0.6)) < 1e-9


def test_the_picture_shows_both_cars(tmp_path):
    found, plain = record("kerb strike", stop=0.8), full_car("kerb strike", rigid=True, elements=False)
    before = run(plain, 0.8, STEP, (*RECORDED, *DAMPERS))
    for elements, one in ((False, before), (True, found)):
        rate, force = damper_loop(one, "front_left", elements)
        assert force[0] == pytest.approx(0.0, abs=1e-6) and force[np.argmin(rate)] < -300.0
    records = {("kerb strike", False): before, ("kerb strike", True): found, ("sine steer", True): record()}
    plot_elements(records, tmp_path / "both.png")
    assert (tmp_path / "both.png").stat().st_size > 20_000


def test_a_loop_is_drawn_as_tension_without_the_gas_at_rest():
    values = {"a.element.damper.s_rate": np.array([0.0, 1.0]), "a.element.damper.force.s": np.array([300.0, 100.0])}
    rate, force = damper_loop(Record(np.arange(2.0), values), "a", elements=True)
    assert rate.tolist() == [0.0, 1.0] and force.tolist() == [0.0, 200.0]
