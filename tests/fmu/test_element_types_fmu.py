"""Ready types inside of both FMUs: rubber that is shaken, a block on a slope, gas that is pressed and filled."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers_elements import ONE, SLIDE, baked, slider
from helpers_fmu import Host
from helpers_kinds import builder

from precompute.device_types import expand
from precompute.device_types.friction import cycle_loss
from precompute.device_types.prony_series import Series
from precompute.measures.bushing_deflection import BushingDeflection
from precompute.mechanism_file import loads

pytestmark = pytest.mark.fmu

KINDS = (pytest.param("native", marks=pytest.mark.slow), "python")  # they are the same to the bit: test_element_fmu.py
G = 9.81
SERIES = Series(8e5, (3e5, 2e5, 4e5), (0.1, 0.01, 0.001))
BUSHING = """
[bushings.rubber]
parent = "ground"
child = "part"
at = [0, 0, 0]
axis = "x"
stiffness = [8e5, 0, 0, 0, 0, 0]
"""
MU, NORMAL, PRESLIDING = 0.5, 10.0, 1e-4
RUBBED = {"coulomb": MU, "normal": NORMAL, "presliding": PRESLIDING, "damping": 0.0}
SHARE = 0.9
SLOPE = np.arctan(SHARE * MU)
HELD = {"coulomb": MU, "normal": G * np.cos(SLOPE), "presliding": PRESLIDING}
GAS = {"pressure": 6e5, "volume": 1.5e-3, "area": 5e-3, "reference": 0.0, "exponent": 1.3}


def shaken(*devices, more=""):
    """A mass of 1 kg whose motion is an input."""
    text = ONE.format(inertia=1.0, joint="prismatic", lower=-1, upper=1, rate=0, method="rk4")
    return replace(loads(text.replace("start = 0\nrate = 0\n", "driven = true\n") + more), devices=devices)


def on_a_slope():
    block = slider(expand("friction", "f", SLIDE, "m", HELD))
    return replace(block, gravity=G * np.array([np.sin(SLOPE), 0.0, -np.cos(SLOPE)]))


def on_gas():
    """A mass of 300 kg that hangs about where its air spring carries it; x points up."""
    mass = slider(expand("air_spring", "gas", SLIDE, "m", GAS), reach=0.2)
    return replace(
        mass,
        gravity=np.array([-G, 0.0, 0.0]),
        bodies=tuple(replace(body, mass=300.0) for body in mass.bodies),
    )


MADE = {
    "rubber": lambda: shaken(
        expand(
            "prony",
            "rubber",
            BushingDeflection("rubber", 0),
            "m",
            {"stiffness": 0.0, "rates": SERIES.rates, "times": SERIES.times},
        ),
        more=BUSHING,
    ),
    "friction": lambda: shaken(expand("friction", "f", SLIDE, "m", RUBBED)),
    "slope": on_a_slope,
    "gas": on_gas,
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The FMU of a name and a kind; each is built once."""
    folder = tmp_path_factory.mktemp("types")
    return cache(lambda name, kind: builder(kind)(baked(MADE[name]()), folder / f"{name}_{kind}.fmu"))


def started(path, **values):
    host = Host(path)
    for name, value in values.items():
        host.set(name.replace("__", "."), value)
    return host.start()


def driven(host, amplitude, w, steps, cycles, *names):
    """Values over some cycles of a sine, (cycles steps, names), at the ends of steps."""
    h, found = 2.0 * np.pi / (w * steps), []
    for i in range(cycles * steps):
        t = i * h
        host.set("drive.x.q", amplitude * np.sin(w * t))
        host.set("drive.x.qd", amplitude * w * np.cos(w * t))
        host.set("drive.x.qdd", -amplitude * w**2 * np.sin(w * t))
        host.step(t, h)
        found.append(host.get(*names))
    host.close()
    return np.array(found)


# --- a bushing with a Prony series ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("frequency", [1.0, 5.0, 20.0, 50.0])
def test_a_shaken_bushing_is_as_stiff_and_lossy_as_the_closed_form_says(frequency, kind, built):
    """To 0.1 %, by the force of the drive less that of inertia; states start in steady motion."""
    w, amplitude, steps = 2.0 * np.pi * frequency, 1e-3, 200
    branches = [k * 1j * w * T / (1.0 + 1j * w * T) for k, T in zip(SERIES.rates, SERIES.times, strict=True)]
    starts = {f"x_start__rubber__F_{i + 1}": amplitude * K.imag for i, K in enumerate(branches)}
    host = started(built("rubber", kind), **starts)
    drive, acceleration = driven(host, amplitude, w, steps, 2, "drive.x.force", "qdd.x")[steps:].T
    force = drive - 1.0 * acceleration
    turns = np.exp(-2j * np.pi * (np.arange(steps) + 1) / steps)
    found = 2j * np.mean(force * turns) / amplitude
    exact = SERIES.complex_stiffness(np.array([frequency]))[0]
    assert abs(found) == pytest.approx(abs(exact), rel=1e-3)
    assert np.angle(found) == pytest.approx(np.angle(exact), rel=1e-3)
    assert np.angle(exact) > 0.03


# --- friction ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_block_on_a_slope_stays_where_it_is_for_a_hundred_seconds(kind, built):
    """From where friction holds it elastically, without any motion before."""
    deflection = SHARE * PRESLIDING
    host = started(built("slope", kind), x_start__f__z=deflection, q_start__x=deflection)
    places = []
    for i in range(10_000):
        host.step(i * 0.01, 0.01)  # ten steps of 1 ms
        places += host.get("q.x")
    host.close()
    assert np.abs(np.array(places) - deflection).max() < 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_a_cycle_of_friction_loses_what_it_must(kind, built):
    X, w, steps = 5e-3, 4.0 * np.pi, 500
    found = driven(started(built("friction", kind)), X, w, steps, 2, "element.f.s", "element.f.force.s")
    s, force = found[steps - 1 :].T
    assert -np.trapezoid(force, s) == pytest.approx(cycle_loss(X, MU, NORMAL, PRESLIDING, 0.7), rel=1e-4)


# --- gas --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_gas_keeps_what_it_must_and_what_is_let_in(kind, built):
    """A mass bounces on it; then it is filled and emptied, while the mass goes on."""
    host, h, n = started(built("gas", kind)), 0.005, GAS["exponent"]
    names = ("element.gas.gas_pressure", "element.gas.gas_volume", "element.gas.mass", "q.x")
    values = []
    for i in range(400):
        host.step(i * h, h)
        values.append(host.get(*names))
    p, V, m, x = np.array(values).T
    np.testing.assert_allclose(p * V**n, GAS["pressure"] * GAS["volume"] ** n, rtol=1e-9)
    np.testing.assert_array_equal(m, m[0])
    assert np.ptp(x) > 0.02
    came = 0.0
    for i in range(400, 800):
        fill = 4e-4 * np.sin(0.03 * i)
        host.set("element.gas.fill", fill)
        host.step(i * h, h)
        came += fill * h
        assert host.get("element.gas.mass")[0] - m[0] == pytest.approx(came, abs=1e-15)
    host.close()
    assert abs(came) > 1e-5
