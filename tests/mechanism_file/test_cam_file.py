"""Cam joints in files: what is wrong is told with its line, in the units of the file; images on the other side."""

import numpy as np
import pytest
from helpers_cam_files import MACHINES, machine

from precompute.coordinates.independent import choose_coordinates
from precompute.errors import MechanismError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import loads

EGG = MACHINES["roller on egg"]
SQUARE = "profile = [{ to = [20, 0] }, { to = [0, 20] }, { to = [-20, 0] }, { to = [0, -20] }]"
BITTEN = (
    "profile = [{ to = [0, 20], centre = [20, 20], hollow = true }, { to = [0, -20], centre = [0, 0] }, "
    "{ to = [20, 0], centre = [0, 0] }]"
)
KNIFE = "knife", [0, 0, 20]


def changed(old, new):
    assert old in EGG
    return EGG.replace(old, new)


@pytest.mark.parametrize(
    "text, said",
    [
        (changed("radius = 6", 'radius = 6\nnormal = "z"'), "cam.normal: is only of a flat follower, and this one is"),
        (changed("radius = 6", ""), "cam: 'radius' is missing, which a roller follower needs"),
        (changed('"roller"', '"flat"').replace("radius = 6", ""), "cam: 'normal' is missing, which a flat follower"),
        (changed("follower =", "folower ="), "cam.folower: unknown key; did you mean 'follower'?"),
        (changed('"roller"', '"rolller"'), "cam.follower: is 'rolller'; did you mean 'roller'?"),
        (changed("radius = 6", "radius = 6\ntable = [[0, 1]]"), "cam: has 'profile' and 'table'; keep one of them"),
        (changed("radius = 6", 'radius = 6\nrolls = "pinn"'), "cam.rolls: there is no joint 'pinn'"),
        (changed("radius = 6", 'radius = 6\nrolls = "shaft"'), "must be on 'follower', which carries it"),
        (changed('zero = "x"', 'zero = "y"'), "cam.zero: is along its axis"),
        (changed("at = [3.0, 0.0, 25.0]", "at = [0, 3, 0]"), "cam.at: is on the cam's axis"),
        (changed('joint = "guide"', 'joint = "cam"'), "'cam' is a cam, which has no coordinate"),
        (changed('child = "follower"\ncentre', 'child = "cam"\ncentre'), "cam: joins body 'cam' to itself"),
        (MACHINES["face on egg"].replace('normal = "z"', 'normal = "y"'), "cam.normal: is not across its axis"),
        (
            machine(BITTEN, "roller", [0, 0, 30], "radius = 25"),
            "cam.profile: undercuts: side 1 is hollow with a radius of 20 mm, into which a roller of radius 25 mm does",
        ),
        (machine(SQUARE, "flat", [0, 0, 20], 'normal = "z"'), "side 1 is straight: a flat follower lies on all of it"),
        (machine("profile = []", *KNIFE), "cam.profile: is empty"),
        (
            machine("profile = [{ to = [20, 0], hollow = true }]", *KNIFE),
            "profile[1]: has 'hollow' without 'centre' or",
        ),
        (
            machine("profile = [{ to = [2, 0], centre = [0, 0], radius = 2 }]", *KNIFE),
            "has 'centre' and 'radius'; keep",
        ),
        (
            machine("profile = [{ to = [20, 0], centre = [0, 0] }, { to = [-21, 0], centre = [0, 0] }]", *KNIFE),
            "side 1 is an arc that begins 21 mm from its centre and ends 20 mm from it",
        ),
        (machine("table = [[0, 20], [90, 20]]", *KNIFE), "cam.table: has 2 points; a closed curve needs at least 8"),
        (
            machine("table = [[0, 20], [90, 20, 1]]", *KNIFE),
            "table[2]: is [90, 20, 1]; it must be a row of two numbers",
        ),
    ],
)
def test_problems_are_told_with_their_place(text, said):
    with pytest.raises(MechanismError) as error:
        loads(text)
    found = [problem for problem in error.value.problems if said in problem]
    assert len(found) == 1 and found[0].startswith("line "), error.value.problems


def test_a_follower_that_does_not_stay_in_the_plane_is_refused():
    text = EGG.replace('type = "prismatic"\nparent = "ground"\nchild = "follower"\naxis = "z"', BALL)
    with pytest.raises(MechanismError, match="are not joined by joints that turn about the cam's axis alone"):
        loads(text.replace('joint = "guide"', 'between = ["ground", "follower"]\nat = ["pivot", [20, 0, 40]]'))


BALL = 'type = "spherical"\nparent = "ground"\nchild = "follower"\nat = "pivot"'

MIRRORED = """
[mirror]
plane = "x"
to = "there"
"""


def led(mechanism, angles):
    """Poses with the coordinates at angles."""
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    closure = choose_coordinates(mechanism, topology, design).closure
    q, z = design.q[None], np.zeros((1, len(angles)))
    for share in np.linspace(0.0, 1.0, 21)[1:]:
        to = share * np.array([angles])
        done = follow(closure, q, z, to)
        assert done.reached.all()
        q, z = done.q, to
    return closure.poses(q)


@pytest.mark.parametrize("name", ["roller on egg", "face of a rocker on egg", "roller on table"])
def test_images_do_the_same_on_the_other_side(name):
    mechanism = loads(MACHINES[name].replace("load = true", "") + MIRRORED)
    assert [c.name for c in mechanism.cams] == ["cam", "cam_there"]
    flip, moved = np.diag([-1.0, 1.0, 1.0]), 0.0
    for angle in (-1.3, 0.7, 2.9):
        P = led(mechanism, [angle, angle])
        here, there = (P.pose(body) for body in ("follower", "follower_there"))
        assert there.p[0] == pytest.approx(flip @ here.p[0], abs=1e-12)
        assert there.R[0] == pytest.approx(flip @ here.R[0] @ flip, abs=1e-12)
        moved = max(moved, np.abs(here.p[0]).max(), np.abs(here.R[0] - np.eye(3)).max())
    assert moved > 1e-3
