"""Traction through an elastohydrodynamic film: against Hertz, Dowson and Higginson, Eyring; pure rolling in steps."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN
from helpers_devices import Rig
from helpers_elements import element
from scipy.integrate import quad
from scipy.optimize import brentq

from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from precompute.device_types import KeyFaults, expand
from precompute.measures.joint_coordinate import JointCoordinate
from precompute.mechanism_file import loads
from precompute.pipeline import bake

R1, R2, L, E, N = 16e-3, 12e-3, 10e-3, 2.26e11, 600.0
R = R1 * R2 / (R1 + R2)
ETA, ALPHA, TAU = 0.017, 1.85e-8, 5e6
OIL = {"viscosity": ETA, "pressure_viscosity": ALPHA, "shear_stress": TAU}
VALUES = {"radius_1": R1, "radius_2": R2, "length": L, "normal": N} | OIL
RIG = Rig.of("traction", **VALUES)
W1 = 1000.0 * np.pi / 30.0
ROLLS = W1 * R1 / R2
"""Speed of the second roller that rolls on the first."""


def at(slip, rig=RIG, w=W1):
    """With the second roller slower by a slip [m/s]."""
    return rig.at([0.0, 0.0], [w, w * R1 / R2 - slip / R2])


def pulled(normal, slip, w=W1):
    """(3) with (1) and (2), written independently."""
    half = np.sqrt(8.0 * normal * R / (np.pi * L * E))
    h = film(normal, w * R1 - slip / 2.0)
    mean = normal / (2.0 * half * L)
    return 2.0 * half * L * TAU * np.arcsinh(ETA * np.exp(ALPHA * mean) * slip / h / TAU)


def film(normal, speed):
    """Dowson and Higginson's thickness by its powers, put together as h = c eta0^0.7 u^0.7 alpha^0.54 R^0.43 ..."""
    powers = (ETA * speed) ** 0.7 * ALPHA**0.54 * R**0.43
    return 2.65 * powers * E ** (-0.7 + 0.54 + 0.13) * (normal / L) ** -0.13


@pytest.mark.parametrize("slip", [1e-7, 1e-4, 0.01, 0.3, -0.3, -1e-5])
def test_traction_is_that_of_the_equations(slip):
    done = at(slip)
    np.testing.assert_allclose(done.outputs["pull"], pulled(N, slip), rtol=1e-6)
    np.testing.assert_allclose(done.force, done.outputs["pull"] * np.array([-R1, R2]), rtol=1e-14)
    np.testing.assert_allclose(done.force @ [W1, ROLLS - slip / R2], -done.outputs["loss"], rtol=1e-9, atol=1e-15)
    assert done.outputs["loss"] > 0.0


def test_rollers_that_roll_have_no_traction():
    done = at(0.0)
    assert abs(done.outputs["slipping"]) < 1e-15
    assert abs(done.outputs["pull"]) < 1e-8
    assert not RIG.at([0.0, 0.0], [0.0, 0.0]).force.any()


def test_the_pressure_of_hertz_carries_the_load_and_flattens_what_it_must():
    """The integral of its ellipse is the load; 4 p / (E b) is the curvature that it flattens."""
    out = at(0.0).outputs
    half, p = out["half_width"], out["pressure"]
    carried = L * quad(lambda x: p * np.sqrt(1.0 - (x / half) ** 2), -half, half)[0]
    assert carried == pytest.approx(N, rel=1e-9)
    assert 4.0 * p / (E * half) == pytest.approx(1.0 / R, rel=1e-12)


def test_small_slip_is_viscous_and_large_slip_grows_with_its_logarithm():
    small = [at(s).outputs["pull"] for s in (1e-7, 2e-7)]
    assert small[1] / small[0] == pytest.approx(2.0, rel=1e-3)
    ratio = [pulled(N, s) / N for s in (0.1, 1.0)]
    assert 0.02 < ratio[0] < ratio[1] < 0.1


def test_without_contact_there_is_nothing():
    lifted = Rig.of("traction", **{key: v for key, v in VALUES.items() if key != "normal"}, normal_start=-5.0)
    done = lifted.at([0.0, 0.0], [W1, 0.0], slopes=True)
    assert not done.force.any() and not done.F.any()
    assert lifted.at([0.0, 0.0], [W1, 0.0], normal=N).force == pytest.approx(RIG.at([0, 0], [W1, 0.0]).force)


@pytest.mark.parametrize("gain", [0.3, -0.4, 2.0])
def test_a_load_that_grows_with_the_traction_is_one_scalar_equation(gain):
    rig = Rig.of("traction", **VALUES, normal_gain=gain)
    for slip in (0.05, -0.05, 1e-6):
        wanted = brentq(lambda T, slip=slip: T - pulled(N + gain * T, slip), -200.0, 200.0, xtol=1e-14)
        done = at(slip, rig)
        assert done.outputs["pull"] == pytest.approx(wanted, rel=1e-6)
        assert done.outputs["pressed"] == pytest.approx(N + gain * wanted, rel=1e-9)


@pytest.mark.parametrize("gain", [{}, {"normal_gain": 0.5}], ids=["given", "grows"])
@pytest.mark.parametrize("slip", [0.03, -0.4, 1e-4])
def test_slopes_are_those_of_the_formulas(gain, slip):
    rig = Rig.of("traction", **VALUES, **gain)
    v = np.array([W1, ROLLS - slip / R2])
    exact = rig.at([0.0, 0.0], v, slopes=True).F[:, 2:]
    steps = 1e-3 * abs(slip) / R2 * np.eye(2)
    found = [(rig.at([0.0, 0.0], v + d).force - rig.at([0.0, 0.0], v - d).force) / (2.0 * d.sum()) for d in steps]
    np.testing.assert_allclose(np.transpose(found), exact, rtol=1e-5)


def test_numbers_of_the_fuel_pump_are_plausible():
    """The text's 0.26 um on average and 975 N/mm2, of a pump whose loads it does not print (ERRATA 002-1)."""
    golden = json.loads((GOLDEN / "fuel_pump.json").read_text(encoding="utf-8"))
    base, roller = golden["assumed"]["Rb"] * 1e-3, golden["assumed"]["Rr"] * 1e-3
    w, q4d = golden["summary"]["w"], golden["summary"]["q4d_base"]
    assert (base, roller, w) == pytest.approx((R1, R2, W1))
    done = RIG.at([0.0, 0.0], [w, q4d - w], slopes=False).outputs
    assert abs(done["slipping"]) < 1e-12
    assert 0.15e-6 < done["thickness"] < 0.35e-6
    heavy = Rig.of("traction", **VALUES | {"normal": 1800.0})
    assert 850e6 < heavy.at([0.0, 0.0], [w, q4d - w]).outputs["pressure"] < 1050e6


# -- two rollers ------------------------------------------------------------------------------------------------------

ROLLERS = """
schema = 1
name = "Rollers"
units = { length = "mm", mass = "kg", angle = "rad", force = "N" }
[bodies.drum]
mass = 1
com = [0, 0, 0]
inertia = [100, 100, 100]
[bodies.roller]
mass = 0.1
com = [0, 0, 28]
inertia = [7.2, 7.2, 7.2]
[joints.drum]
type = "revolute"
parent = "ground"
child = "drum"
at = [0, 0, 0]
axis = "y"
[joints.roller]
type = "revolute"
parent = "ground"
child = "roller"
at = [0, 0, 28]
axis = "-y"
[coordinates.free.drum]
of = "joint.drum"
from = 0
to = 6.283185307179586
periodic = true
driven = true
[coordinates.free.roller]
of = "joint.roller"
from = 0
to = 6.283185307179586
periodic = true
[experiment]
step_size = 0.0001
[elements.contact]
type = "traction"
on = { first = "joint.drum", second = "joint.roller" }
radius_1 = 16
radius_2 = 12
length = 10
normal = 600
viscosity = "0.017 Pa.s"
pressure_viscosity = "1.85e-8 1/Pa"
"""


def rolled(brake, stop, more=""):
    """Slip and traction at the ends of steps, of a roller that rests at first on a drum that turns."""
    mechanism = loads(ROLLERS + more)
    made = Instance(prepare(bake(replace(mechanism, devices=(*mechanism.devices, *brake)))))
    number = {variable.name: i for i, variable in enumerate(made.variables)}
    names = ["drive.drum.q", "drive.drum.qd"]
    made.setup(0.0)
    made.enter_initialization()
    made.exit_initialization()
    found = []
    for i in range(round(stop / 1e-4)):
        made.set([number[name] for name in names], [W1 * i * 1e-4, W1])
        made.step(i * 1e-4, 1e-4)
        found.append(made.get([number[f"element.contact.{name}"] for name in ("slipping", "pull")]))
    return np.array(found)


def test_slip_goes_to_zero_which_is_pure_rolling():
    """From rest it slips, is pulled by the sheared oil, and then rolls: the ratio of speeds is that of the radii."""
    slip, pull = rolled((), 0.05).T
    assert slip[0] > 1.0 and 10.0 < pull[0] < 60.0
    assert abs(slip[-1]) < 1e-12 and abs(pull[-1]) < 1e-7


def test_a_torque_that_brakes_has_the_slip_of_eyring():
    """h tau sinh(x) / eta: the traction is the torque over the radius."""
    torque = 0.15
    brake = element("brake", on=(("s", JointCoordinate("roller")),), force="-torque", torque=torque)
    slip, pull = rolled((brake,), 0.1)[-1]
    assert pull == pytest.approx(torque / R2, rel=1e-9)
    wanted = brentq(lambda s: pulled(N, s) - torque / R2, 0.0, 1.0, xtol=1e-15)
    assert slip == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(
    ("values", "key", "message"),
    [
        ({"normal": 1.0, "normal_start": 1.0}, "", "needs either 'normal'"),
        ({"radius_1": -1.0, "normal": 1.0}, "radius_1", "must be positive"),
    ],
)
def test_values_that_make_no_element_are_refused(values, key, message):
    on = {symbol: JointCoordinate("slide", k) for k, symbol in enumerate(("first", "second"))}
    with pytest.raises(KeyFaults) as caught:
        own = {name: v for name, v in VALUES.items() if name != "normal"} | values
        expand("traction", "e", on, dict.fromkeys(on, "rad"), own)
    assert message in dict(caught.value.faults)[key]
