"""Motor and servo on a rotor against the golden data of section 3.5 of the thesis."""

import json

import numpy as np
from helpers import GOLDEN
from helpers_devices import Rig

DATA = json.loads((GOLDEN / "active_and_singular.json").read_text(encoding="utf-8"))
SERVO, MOTOR = DATA["servo"], DATA["motor"]
J = SERVO["J"]
WINDING = {"constant": SERVO["c"], "resistance": SERVO["r"], "inductance": SERVO["l"]}


def test_a_rotor_with_a_servo_moves_as_the_golden_rows_say():
    rows = np.array(SERVO["rows"])
    rig = Rig.of("servo", "rad", gain=SERVO["b"], target_start=SERVO["setpoint"], **WINDING)
    found = rig.moved(J, 0.0, 0.0, np.concatenate(([0.0], rows[:, 0])))
    np.testing.assert_allclose(found[1:], rows[:, 1:], atol=1e-7)


def test_a_rotor_with_a_motor_moves_as_the_golden_rows_say():
    rows = np.array(MOTOR["rows"])
    rig = Rig.of("dc_motor", "rad", voltage_start=MOTOR["V"], **WINDING)
    found = rig.moved(J, 0.0, 0.0, np.concatenate(([0.0], rows[:, 0])))
    np.testing.assert_allclose(found[1:, 1:], rows[:, 1:], atol=1e-6)


def test_without_load_a_motor_takes_no_current_at_voltage_over_constant():
    rig = Rig.of("dc_motor", "rad", voltage_start=MOTOR["V"], **WINDING)
    assert rig.at(0.0, MOTOR["no_load_speed"]).rate[0] == 0.0


def test_a_servo_of_too_much_gain_is_unstable():
    """Stable if and only if resistance * constant > gain * inductance."""
    for gain, stable in ((0.99 * 10.0, True), (1.01 * 10.0, False)):
        rig = Rig.of("servo", "rad", gain=gain, **WINDING)
        done = rig.at(0.0, 0.0, slopes=True)
        A = np.vstack(([0.0, 1.0, 0.0], done.F / J, done.R))
        assert (np.linalg.eigvals(A).real < 0.0).all() == stable


def test_power_is_heat_energy_of_the_winding_and_work():
    rig = Rig.of("dc_motor", "rad", voltage_start=10.0, **WINDING)
    done = rig.at(0.3, 2.0, np.array([4.0]))
    stored = WINDING["inductance"] * 4.0 * done.rate[0]
    np.testing.assert_allclose(done.outputs["power"], done.outputs["loss"] + stored + done.force[0] * 2.0)


def test_an_actuator_is_its_gain_times_its_command():
    rig = Rig.of("actuator", gain=250.0)
    assert rig.force(0.1, 0.2) == 0.0
    assert rig.force(0.1, 0.2, command=-2.0) == -500.0
    assert rig.at(0.1, 0.2, command=-2.0).outputs["power"] == -100.0
