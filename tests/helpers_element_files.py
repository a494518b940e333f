"""A corner to which tests add elements, as a mechanism file."""

from precompute.mechanism_file import loads
from precompute.model.mechanism import Mechanism

CORNER = """
schema = 1
name = "Corner"
units = { length = "mm", mass = "kg", angle = "deg", force = "N" }

[points]
P = [0, 100, 0]
Q = [300, 100, 0]

[bodies.arm]
mass = 2
com = [100, 0, 0]

[bodies.hub]
mass = 5
com = [300, 0, 0]
inertia = [1e4, 1e4, 1e4]

[joints.pivot]
type = "revolute"
parent = "ground"
child = "arm"
at = [0, 0, 0]
axis = "x"

[joints.slide]
type = "prismatic"
parent = "arm"
child = "hub"
axis = "z"

[springs.shock]
between = ["ground", "hub"]
at = ["P", "Q"]
stiffness = 20
preload = 100

[dampers.guide]
joint = "slide"
damping = 0.1

[bushings.rubber]
parent = "ground"
child = "hub"
at = "Q"
axis = "x"
stiffness = [1, 1, 1, 1, 1, 1]

[markers.top]
body = "hub"
at = "Q"

[wheels.left]
body = "hub"
centre = [300, 500, 0]
radius = 300
"""


def corner(text: str) -> Mechanism:
    return loads(CORNER + text)
