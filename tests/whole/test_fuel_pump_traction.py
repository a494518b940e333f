"""The fuel injection pump whose roller slips on the cam: a traction that follows from the cam's own normal force."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN, MECHANISMS
from helpers_baked import baked
from helpers_kernel import Pair, library
from scipy.optimize import brentq

from fmu_src.errors import StepError
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from precompute.errors import MechanismError
from precompute.mechanism_file import load, loads
from precompute.model.devices import Device, DeviceForce, DeviceLoad, DeviceNumber
from precompute.reference import accelerations, assemble, full_model
from precompute.reference.assembly import set_moving

FILE = MECHANISMS / "fuel_pump_traction.toml"
SPEED = 1000.0 * np.pi / 30.0
ROLLER, LENGTH, E = 12e-3, 10e-3, 2.26e11
ETA, ALPHA, TAU = 0.017, 1.85e-8, 5e6
ROWS = json.loads((GOLDEN / "fuel_pump.json").read_text(encoding="utf-8"))["rows"]
GIVEN = {  # vertical force [N], torque of the shaft while the roller rolls [N m], by cam angle
    110: (437.183509306, 1.810130349),
    130: (629.116752571, 11.108734054),
    145: (275.086196701, 3.448169978),
    150: (312.014248639, 2.268076118),
}
RADII = {50.0: 16.0, 120.0: np.inf, 140.0: 2.5, 180.0: 26.0, 240.0: np.inf}
"""Of the cam where the roller touches it [mm], by cam angle."""


def finely():
    """The shipped pump on tables that are finer than it asks for: forces are compared with golden ones."""
    mechanism = load(FILE)
    return replace(mechanism, tables=replace(mechanism.tables, tolerance=1e-8))


def gripping(force, **numbers):
    """The pump with another element between cam and roller, on its slip, that reads the normal force N."""
    mechanism = finely()
    (film,) = mechanism.devices
    grip = Device(
        "grip",
        on=film.on[:1],
        parameters=tuple(DeviceNumber(name, value) for name, value in numbers.items()),
        forces=(DeviceForce("slip", force),),
        loads=(DeviceLoad("N", "joint.cam.normal"),),
    )
    return replace(mechanism, devices=(grip,))


@pytest.fixture(scope="module")
def pump(tmp_path_factory):
    return Pair(baked(finely()), tmp_path_factory.mktemp("pump"))


@pytest.fixture(scope="module")
def dry(tmp_path_factory):
    """Dry friction that is smooth near zero, stiffer and stiffer as v becomes small."""
    return Pair(baked(gripping("-mu*max(N, 0)*tanh(slip_rate/v)", mu=0.3, v=0.1)), tmp_path_factory.mktemp("dry"))


def fresh(pair, number=1):
    """A new instance of one of the run-times."""
    return Instance(prepare(pair.model)) if number == 0 else KernelModel(load_library(library()), pair.file)()


def started(instance, names, degrees, w=SPEED, roller=None, **values):
    """An instance with its shaft at an angle and a speed; the roller rolls at first, unless its speed is given."""
    found = {f"element.{key.replace('__', '.')}": value for key, value in values.items()}
    found |= {"drive.shaft.q": np.radians(degrees), "drive.shaft.qd": w}
    found["qd_start.roller"] = rolling(degrees) * w / SPEED if roller is None else roller
    instance.setup(0.0)
    for name, value in found.items():
        instance.set([names.index(name)], [value])
    instance.enter_initialization()
    instance.exit_initialization()
    return instance


def rolling(degrees):
    """Speed on its pin of a roller that rolls, at 1000 rpm."""
    return np.interp(degrees, [r["cam_deg"] for r in ROWS], [r["q4d"] for r in ROWS]) - SPEED


def turned(instance, names, start, end, h):
    """Outputs by name at angles `end`, led there in steps of at most h."""
    instance.set([names.index("solver.step")], [h])
    t, found = 0.0, []
    for goal in end:
        left = np.radians(goal - start) / SPEED - t
        steps = max(int(np.ceil(left / h - 1e-9)), 1)
        for _ in range(steps):
            put(instance, names, np.radians(start) + SPEED * t)
            instance.step(t, left / steps)
            t += left / steps
        put(instance, names, np.radians(start) + SPEED * t)
        found.append(shown(instance, names))
    return found


def put(instance, names, angle):
    for name, value in (("q", angle), ("qd", SPEED)):
        instance.set([names.index(f"drive.shaft.{name}")], [value])


def shown(instance, names):
    first = next(i for i, name in enumerate(names) if name.startswith("q."))
    return dict(zip(names[first:], instance.get(range(first, len(names))), strict=True))


# -- at an instant ----------------------------------------------------------------------------------------------------


def pulled(N, slip, rolled, radius):
    """Traction and thickness by Hertz, Dowson and Higginson, and Eyring, written independently."""
    R = ROLLER if np.isinf(radius) else 1.0 / (1.0 / ROLLER + 1e3 / radius)
    half = np.sqrt(8.0 * N * R / (np.pi * LENGTH * E))
    speed = ETA * abs(R * rolled - slip / 2.0)
    h = 2.65 * speed**0.7 * ALPHA**0.54 * R**0.43 * E**-0.03 * (N / LENGTH) ** -0.13
    return 2.0 * half * LENGTH * TAU * np.arcsinh(ETA * np.exp(ALPHA * N / (2.0 * half * LENGTH)) * slip / (h * TAU)), h


@pytest.mark.parametrize("degrees", RADII)
@pytest.mark.parametrize("slip", [-0.3, 0.002, 0.1])
def test_traction_and_normal_force_solve_one_scalar_equation(pump, degrees, slip):
    """N = N_0 + N_1 T with N_0 and N_1 from two other slips, T(N) written independently; N is the cam's own."""
    names, speed = pump.names, rolling(degrees)

    def at(slip):
        return shown(started(fresh(pump), names, degrees, roller=speed - slip / ROLLER), names)

    found, (a, b) = at(slip), (at(s) for s in (0.0, 0.5))
    N_1 = (b["element.film.N"] - a["element.film.N"]) / (b["element.film.pull"] - a["element.film.pull"])
    N_0 = a["element.film.N"] - N_1 * a["element.film.pull"]
    slipping, rolled = found["element.film.slip_rate"], found["element.film.rolled_rate"]
    assert slipping == pytest.approx(slip, abs=2e-3)
    wanted = brentq(
        lambda N: N - N_0 - N_1 * pulled(N, slipping, rolled, RADII[degrees])[0], 50.0, 2000.0, xtol=1e-12, rtol=1e-14
    )
    T, h = pulled(wanted, slipping, rolled, RADII[degrees])
    assert found["element.film.N"] == pytest.approx(wanted, rel=1e-7)
    assert found["element.film.pull"] == pytest.approx(T, rel=1e-6)
    assert found["element.film.thickness"] == pytest.approx(h, rel=1e-6)
    assert found["joint.cam.normal"] == pytest.approx(found["element.film.N"], rel=1e-12)


@pytest.mark.parametrize("degrees", GIVEN)
def test_the_vertical_force_is_newton_s_whatever_the_slip(pump, degrees):
    for slip in (0.0, 0.2, -0.4):
        out = shown(started(fresh(pump), pump.names, degrees, roller=rolling(degrees) - slip / ROLLER), pump.names)
        lean = out["joint.cam.pressure_angle"]
        vertical = out["joint.cam.normal"] * np.cos(lean) - out["element.film.pull"] * np.sin(lean)
        assert vertical == pytest.approx(GIVEN[degrees][0], rel=1e-6)


@pytest.mark.parametrize(
    ("degrees", "w", "roller", "wd"), [(50, 104.0, 139.0, 0.0), (120, 104.7, 150.0, 100.0), (200, 30.0, 70.0, -500.0)]
)
def test_the_full_model_finds_the_same_by_its_multipliers(pump, degrees, w, roller, wd):
    instance = started(fresh(pump), pump.names, degrees, w, roller)
    instance.set([pump.names.index("drive.shaft.qdd")], [wd])
    ours, model = shown(instance, pump.names), full_model(load(FILE))
    state = assemble(model, {"shaft": np.radians(degrees), "roller": 0.0})
    state = set_moving(model, state, {"shaft": w, "roller": roller})
    found = accelerations(model, state, drives={"shaft": lambda t: (np.radians(degrees), w, wd)})
    for name, value in found.devices.items():
        assert ours[name] == pytest.approx(value, rel=1e-6, abs=1e-12)
    assert ours["joint.cam.normal"] == pytest.approx(found.loads["joint.cam.normal"], rel=1e-7)
    assert ours["drive.shaft.force"] == pytest.approx(found.drives["shaft"], rel=1e-6)
    assert ours["qdd.roller"] == pytest.approx(found.coordinates["roller"], rel=1e-6)


# -- in motion --------------------------------------------------------------------------------------------------------


def test_film_and_pressure_are_plausible(pump):
    """The text prints 0.06 to 0.26 um and 975 N/mm2, of a pump whose loads it does not print."""
    found = turned(started(fresh(pump), pump.names, 0.0), pump.names, 0.0, range(10, 361, 10), 5e-5)
    thickness, pressure = (np.array([row[f"element.film.{x}"] for row in found]) for x in ("thickness", "pressure"))
    assert 0.05e-6 < thickness.min() < 0.1e-6 and 0.2e-6 < thickness.max() < 0.5e-6
    assert 6e8 < pressure.max() < 1e9


def test_both_run_times_take_the_same_steps(pump):
    """Over two borders, where steps are cut, in explicit and implicit ones."""
    for start in (99.0, 134.0):
        a, b = (
            turned(started(fresh(pump, number), pump.names, start), pump.names, start, [start + 5.0], 1e-4)[0]
            for number in (0, 1)
        )
        for name, value in a.items():
            assert b[name] == pytest.approx(value, rel=1e-10, abs=1e-14), name


def test_a_saved_state_goes_on_as_the_first_did(pump):
    instance = started(fresh(pump), pump.names, 98.0)
    turned(instance, pump.names, 98.0, [104.0], 5e-5)
    block, found = instance.save(), []
    for _ in range(2):
        instance.restore(block)
        put(instance, pump.names, np.radians(104.0))
        for i in range(20):
            instance.step(1e-3 + 5e-5 * i, 5e-5)
        found.append(instance.save())
    assert found[0] == found[1]


def test_slip_to_zero_gives_pure_rolling(dry):
    """Torque of the shaft and motion of the roller come to those of `rolls`, in proportion to the slip."""
    errors = []
    for v, h in ((0.1, 1e-5), (0.01, 2e-6), (0.001, 5e-7)):
        instance = started(fresh(dry), dry.names, 95.0, grip__v=v)
        found = turned(instance, dry.names, 95.0, GIVEN, h)
        torque = [row["drive.shaft.force"] - GIVEN[degrees][1] for degrees, row in zip(GIVEN, found, strict=True)]
        speed = [row["qd.roller"] - (row["joint.cam.rolled.rate"] - SPEED) for row in found]
        errors.append([np.abs(torque).max(), np.abs(speed).max()])
    assert (np.array(errors[0]) > 5.0 * np.array(errors[1])).all()
    assert (np.array(errors[1]) > 5.0 * np.array(errors[2])).all()
    assert errors[2][0] < 1e-4 * 11.1 and errors[2][1] < 1e-4 * 140.0


def test_steps_bear_a_stiff_film(pump):
    """On the nose, where slip follows within a few microseconds: what steps of 0.1 ms err by."""
    fine, *coarse = (
        turned(started(fresh(pump), pump.names, 125.0), pump.names, 125.0, [146.0], h)[0]["element.film.pull"]
        for h in (5e-6, 1e-4, 5e-5)
    )
    assert fine == pytest.approx(-4.835, abs=0.01)
    assert np.abs(np.array(coarse) - fine).max() < 0.05


# -- what is refused --------------------------------------------------------------------------------------------------


def test_friction_that_locks_itself_is_an_error_of_both_run_times(tmp_path):
    """1 - N_1 mu < 0 on the flank: no solution that is not for ever larger."""
    pair, said = Pair(baked(gripping("-mu*N", mu=0.1)), tmp_path), []
    for number in (0, 1):
        good = shown(started(fresh(pair, number), pair.names, 120.0, roller=139.0), pair.names)
        assert good["element.grip.N"] > 0.0
        with pytest.raises(StepError) as caught:
            shown(started(fresh(pair, number), pair.names, 120.0, roller=139.0, grip__mu=50.0), pair.names)
        said.append(str(caught.value))
    assert said[0] == said[1] and "element 'grip': it locks itself: the load 'grip.N' is" in said[0]


def test_a_load_that_nothing_fits_is_an_error_of_both_run_times(tmp_path):
    pair, said = Pair(baked(gripping("-mu*exp(N/100)", mu=0.001)), tmp_path), []
    for number in (0, 1):
        with pytest.raises(StepError) as caught:
            shown(started(fresh(pair, number), pair.names, 120.0, roller=139.0, grip__mu=100.0), pair.names)
        said.append(str(caught.value).partition(", the search")[0])
    assert (
        said[0]
        == said[1]
        == "at t = 0 s: element 'grip': no value of the load 'grip.N' fits the forces that follow from it"
    )


def test_no_static_start(pump):
    for number in (0, 1):
        instance = fresh(pump, number)
        instance.setup(0.0)
        instance.set([pump.names.index("solver.static")], [1.0])
        instance.enter_initialization()
        with pytest.raises(StepError, match=r"'film.N' is a load that an element reads: .* set 'solver.static' = 0"):
            instance.exit_initialization()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('slips = "pin"', 'slips = "pin"\nrolls = "pin"', "has 'rolls', without slip, and 'slips'; keep one of them"),
        ('slips = "pin" #', "#", "joint 'cam' has no roller that slips; name its joint by slips"),
        ('"joint.cam.slip"', '"joint.pin"', "'cam_traction' acts on lengths"),
        ('"joint.cam.slip"', '"joint.guide"', "this type acts on the slip of a roller, joint.NAME.slip"),
        ('"joint.cam.slip"', '"joint.pin.slip"', "is of a cam, and joint 'pin' is none"),
    ],
)
def test_files_are_refused_with_a_reason(old, new, message):
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(MechanismError, match=message.replace("(", r"\(")):
        loads(text.replace(old, new, 1))


def test_stiff_directions_are_refused():
    text = FILE.read_text(encoding="utf-8")
    held = (
        '\n[bushings.b]\nparent = "ground"\nchild = "shaft"\nat = "shaft"\naxis = "y"\nstiffness = [9, 0, 0, 0, 0, 0]'
    )
    with pytest.raises(MechanismError, match="cannot read loads of a mechanism with stiff directions"):
        loads(text.replace('axis = "y"\n', 'axis = "y"\nstiff = ["x"]\n', 1) + held)


def test_loads_of_others_are_refused():
    own = '[elements.e]\non = { s = "joint.guide" }\nforces = { s = "0.1*N" }\nloads = { N = "joint.guide.%s" }\n'
    text = FILE.read_text(encoding="utf-8")
    with pytest.raises(MechanismError, match="elements read normal forces of cams"):
        loads(text + own % "F[1]")
    with pytest.raises(MechanismError, match="is of a cam, and joint 'guide' is none"):
        loads(text + own % "normal")
