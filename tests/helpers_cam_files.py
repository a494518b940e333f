"""Small machines with a cam, as mechanism files."""

import numpy as np

HEAD = """
schema = 1
name = "Cam"
units = { length = "mm", mass = "kg", angle = "deg", force = "N" }

[points]
shaft = [0, 0, 0]
pivot = [60, 0, 20]

[bodies.cam]
mass = 1
com = "shaft"
inertia = [300, 300, 300]

[bodies.follower]
mass = 0.5
com = [20, 0, 40]
inertia = [100, 100, 100]

[joints.shaft]
type = "revolute"
parent = "ground"
child = "cam"
at = "shaft"
axis = "y"
load = true
"""
SLIDE = """
[joints.guide]
type = "prismatic"
parent = "ground"
child = "follower"
axis = "z"
"""
ROCKER = """
[joints.guide]
type = "revolute"
parent = "ground"
child = "follower"
at = "pivot"
axis = "y"
"""
SPRING = """
[springs.press]
joint = "guide"
stiffness = {stiffness}
preload = {preload}

[coordinates.free.shaft]
of = "joint.shaft"
from = -180
to = 180
periodic = true
rate = 600

[tables]
tolerance = 1e-7
"""


def egg():
    """Sides of an egg: base circle 20 mm, nose 8 mm at 18 mm, flanks of 60 mm, as `to` and `centre` [mm]."""
    base, nose, away, flank = 20.0, 8.0, 18.0, 60.0
    x = ((flank - base) ** 2 - (flank - nose) ** 2 + away**2) / (2.0 * away)
    y = -np.sqrt((flank - base) ** 2 - x**2)
    centre, tip = np.array([x, y]), np.array([away, 0.0])
    low, high = base * -centre / (flank - base), tip + nose * (tip - centre) / (flank - nose)
    m = np.array([1.0, -1.0])
    ends = [(high, tip), (low, centre), (low * m, [0.0, 0.0]), (high * m, centre * m)]
    rows = (f"{{ to = {pair(to)}, centre = {pair(c)} }}" for to, c in ends)
    return "profile = [" + ", ".join(rows) + "]"


def eccentric(radius=20.0, away=3.0):
    """One circle."""
    return f"profile = [{{ to = [{radius + away}, 0], centre = [{away}, 0] }}]"


def wavy(n=36):
    """A table."""
    angles = np.arange(0.0, 360.0, 360.0 / n)
    radii = 20.0 + 1.5 * np.cos(np.radians(2.0 * angles)) + np.sin(np.radians(angles))
    return "table = [" + ", ".join(map(pair, zip(angles, radii, strict=True))) + "]"


def pair(p):
    return f"[{float(p[0])!r}, {float(p[1])!r}]"


def cam(profile, follower, at, more=""):
    """The cam joint."""
    return f"""
[joints.cam]
type = "cam"
parent = "cam"
child = "follower"
centre = "shaft"
axis = "-y"
zero = "x"
{profile}
follower = "{follower}"
at = {at}
{more}
"""


def machine(profile, follower, at, more="", guide=SLIDE, stiffness=10, preload=-200):
    """A cam, its follower on a guide, and a spring that presses it."""
    return HEAD + guide + cam(profile, follower, at, more) + SPRING.format(stiffness=stiffness, preload=preload)


MACHINES = {
    "roller on egg": machine(egg(), "roller", [3.0, 0.0, 25.0], "radius = 6"),
    "knife on egg": machine(egg(), "knife", [0.0, 0.0, 20.0]),
    "face on egg": machine(egg(), "flat", [5.0, 0.0, 20.0], 'normal = "z"'),
    "face on circle": machine(eccentric(), "flat", [0.0, 0.0, 20.0], 'normal = "z"'),
    "roller on circle": machine(eccentric(), "roller", [0.0, 0.0, 28.0], "radius = 8"),
    "roller on table": machine(wavy(), "roller", [0.0, 0.0, 25.0], "radius = 5"),
    "face on table": machine(wavy(), "flat", [0.0, 0.0, 20.0], 'normal = "z"'),
    "rocker on egg": machine(egg(), "roller", [0.0, 0.0, 26.0], "radius = 6", ROCKER, 5000, 20000),
    "face of a rocker on egg": machine(egg(), "flat", [0.0, 0.0, 20.0], 'normal = "z"', ROCKER, 5000, 20000),
}
