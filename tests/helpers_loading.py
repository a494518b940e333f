"""Small mechanisms whose loads along a motion have closed forms, and motions of them."""

import numpy as np

from precompute.loading.exact import exact_loads
from precompute.loading.motion import given_motion
from precompute.mechanism_file import loads

MASS, ARM, INERTIA, G = 2.0, 0.5, 0.03, 9.80665

PENDULUM = """
schema = 1
name = "Pendulum"
units = { length = "mm", mass = "kg", angle = "deg", force = "N" }
gravity = [0, 0, -9.80665]
CHASSIS

[bodies.arm]
mass = 2
com = [500, 0, 0]
inertia = [0, 30000, 30000]

[joints.pivot]
type = "revolute"
parent = "ground"
child = "arm"
at = [0, 0, 0]
axis = "-y" # positive lifts the arm from x towards z
JOINT

[markers.end]
body = "arm"
at = [500, 0, 0]

[ports.end]
marker = "end"

[coordinates.free.angle]
of = "joint.pivot"
from = -120
to = 120
driven = true
"""


def pendulum(chassis="", joint="", more=""):
    """An arm about a level axis, its angle driven."""
    return loads(PENDULUM.replace("CHASSIS", chassis).replace("JOINT", joint) + more)


def swing(n=201, amplitude=0.7, w=6.0, stop=1.0):
    """Time, and an angle that swings, with rate and acceleration."""
    t = np.linspace(0.0, stop, n)
    return t, amplitude * np.sin(w * t), amplitude * w * np.cos(w * t), -amplitude * w**2 * np.sin(w * t)


def arm_force(a, ad, add):
    """What the pivot exerts on the pendulum in the plane, (n, 3), and the moment about its axis."""
    along, across = np.stack([np.cos(a), 0 * a, np.sin(a)], -1), np.stack([-np.sin(a), 0 * a, np.cos(a)], -1)
    acceleration = ARM * (add[:, None] * across - (ad**2)[:, None] * along)
    return MASS * (acceleration + [0, 0, G]), (INERTIA + MASS * ARM**2) * add + MASS * G * ARM * np.cos(a)


def led(mechanism, axes=None, **columns):
    """Loads along columns; "_" in their names is "."."""
    return exact_loads(mechanism, given_motion({k.replace("__", "."): v for k, v in columns.items()}, mechanism), axes)


def vector(found, name):
    """(n, 3) of a load."""
    return np.stack([found.outputs[f"{name}[{i}]"] for i in (1, 2, 3)], axis=-1)


def csv_text(columns):
    """A CSV file with all digits."""
    rows = np.column_stack(list(columns.values())).tolist()
    return "\n".join([",".join(columns), *(",".join(repr(x) for x in row) for row in rows)]) + "\n"
