"""Small mechanisms with elements of formulas: a slider, a rotor, a pendulum on a bushing; all baked on the way."""

from dataclasses import replace
from functools import cache

from precompute.measures.bushing_deflection import BushingDeflection
from precompute.measures.joint_coordinate import JointCoordinate
from precompute.mechanism_file import loads
from precompute.model.devices import (
    Device,
    DeviceForce,
    DeviceNumber,
    DeviceOutput,
    DeviceState,
    DeviceTable,
    DeviceUnknown,
)
from precompute.pipeline import bake

ONE = """
schema = 1
name = "One"
[bodies.part]
mass = 1.0
com = [0, 0, 0]
inertia = [{inertia}, {inertia}, {inertia}]
[joints.slide]
type = "{joint}"
parent = "ground"
child = "part"
at = [0, 0, 0]
axis = "x"
[coordinates.free.x]
of = "joint.slide"
from = {lower}
to = {upper}
start = 0
rate = {rate}
[experiment]
method = "{method}"
"""

SLIDE = JointCoordinate("slide")


def slider(*devices, rate=0.0, reach=1.0, method="rk4"):
    """A mass of 1 kg along x."""
    text = ONE.format(inertia=1.0, joint="prismatic", lower=-reach, upper=reach, rate=rate, method=method)
    return replace(loads(text), devices=devices)


def rotor(*devices, inertia=0.01, rate=0.0):
    """A rotor about x."""
    text = ONE.format(inertia=inertia, joint="revolute", lower=-400.0, upper=400.0, rate=rate, method="rk4")
    return replace(loads(text), devices=devices)


def element(name="e", on=(("s", SLIDE),), force="", rates=None, starts=None, outputs=None, residuals=None, **numbers):
    """An element; numbers are parameters, those that begin with `in_` inputs."""
    return Device(
        name,
        on,
        parameters=tuple(DeviceNumber(k, float(v)) for k, v in numbers.items() if not k.startswith("in_")),
        inputs=tuple(DeviceNumber(k, float(v)) for k, v in numbers.items() if k.startswith("in_")),
        states=tuple(DeviceState(k, text, (starts or {}).get(k, 0.0)) for k, text in (rates or {}).items()),
        unknowns=tuple(DeviceUnknown(k, text) for k, text in (residuals or {}).items()),
        forces=(DeviceForce(on[0][0], force),) if force else (),
        outputs=tuple(DeviceOutput(k, text) for k, text in (outputs or {}).items()),
        tables=(DeviceTable("curve", [-1.0, 0.0, 2.0], [1.0, 0.5, 3.0]),),
    )


def maxwell(k=1000.0, c=50.0):
    """A spring and a damper in series; F is its tension."""
    return element("mx", force="-F", rates={"F": "k*(s_rate - F/c)"}, k=k, c=c)


SERVO = element("servo", force="c*i", rates={"i": "(-r*i + b*(1 - s) - c*s_rate)/l"}, r=1.0, l=0.01, b=5.0, c=0.1)
MOTOR = element("motor", force="c*i", rates={"i": "(-r*i + V - c*s_rate)/l"}, r=1.0, l=0.01, V=10.0, c=0.1)


@cache
def baked(mechanism):
    """Its model; a mechanism that is the same object is baked once."""
    return bake(mechanism)


BOB = """
schema = 1
name = "Bob"
gravity = [0, 0, -9.81]
[bodies.arm]
mass = 1.0
com = [0.3, 0, 0]
inertia = [0.01, 0.03, 0.03]
[bodies.bob]
mass = 2.0
com = [0.62, 0.01, 0.02]
inertia = [0.01, 0.02, 0.02]
[joints.slide]
type = "revolute"
parent = "ground"
child = "arm"
at = [0, 0, 0]
axis = "y"
[joints.mount]
type = "fixed"
parent = "arm"
child = "bob"
at = [0.6, 0, 0]
axis = "x"
stiff = ["x", "y", "z", "rx", "ry", "rz"]
[bushings.rubber]
parent = "arm"
child = "bob"
at = [0.6, 0, 0]
axis = "x"
stiffness = [2e5, 1e5, 1e5, 300, 400, 400]
damping = [200, 100, 100, 0.5, 0.5, 0.5]
[coordinates.free.x]
of = "joint.slide"
from = -0.6
to = 0.6
start = 0.2
rate = 0.5
[tables]
stiff = "{stiff}"
[experiment]
method = "{method}"
"""

ALONG = BushingDeflection("rubber", 0)
ACROSS = BushingDeflection("rubber", 2)


def bob(*devices, method="rk4", stiff="dynamic"):
    """A pendulum that carries a body on a bushing."""
    return replace(loads(BOB.format(method=method, stiff=stiff)), devices=devices)


BUSY = element(
    "busy",
    on=(("a", SLIDE), ("d", ALONG), ("e", ACROSS)),
    force="-30*sin(a)*F/50 - 2*a_rate - u",
    rates={"F": "k*(d_rate - F/(c*in_valve)) + 20*a_rate*cos(a)", "y": "-3*y + d*100 + tanh(F/100)"},
    residuals={"u": "u + 0.2*u^3 - 3*a - 0.01*F"},
    outputs={"loss": "F*F/(c*in_valve)"},
    starts={"F": 3.0},
    k=4e4,
    c=300.0,
    in_valve=1.0,
)
BUSY = replace(BUSY, forces=(*BUSY.forces, DeviceForce("d", "-F - 500*y*d"), DeviceForce("e", "-40*e_rate - 2*y*a")))
"""An element that has all that one can have: three measures, forces across, two states, an unknown, an input."""

HOLD = element("hold", force="-200*s + 6*(1 - 30*s^2)*s_rate")
"""With it a pendulum swings for ever inside its table."""
