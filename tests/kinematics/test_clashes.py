"""'Cannot move' names the joints whose freedoms clash, and what is amiss among them."""

import numpy as np
import pytest
from helpers import joint
from helpers_chains import four_bars

from precompute.errors import TopologyError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.clashes import angle_between, equations, smallest_rigid
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.mobility import mobility
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import loads
from precompute.model.mechanism import Body, Joint, Mechanism, stiff_primitives
from precompute.units import Units

Y, X = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])
DEGREES = Units(length="mm", angle="deg")


def body(name, *p):
    return Body(name, 1.0, np.array(p), 1e-3 * np.eye(3))


def message(mechanism):
    topology = spanning_tree(mechanism)
    with pytest.raises(TopologyError) as raised:
        mobility(mechanism, topology, close_loops(mechanism, topology))
    return str(raised.value)


def crank_slider(pin=Y, slide=X, units=DEGREES):
    A, B, C = np.zeros(3), np.array([0.06, 0.0, 0.08]), np.array([0.3, 0.0, 0.0])
    joints = (
        joint("revolute", "bearing", "ground", "crank", A, Y),
        joint("revolute", "crank_pin", "crank", "rod", B, pin),
        joint("revolute", "wrist_pin", "rod", "slider", C, Y),
        joint("prismatic", "guide", "ground", "slider", A, slide),
    )
    bodies = (body("crank", 0.03, 0, 0.04), body("rod", 0.18, 0, 0.04), body("slider", *C))
    return Mechanism("Slider", bodies, joints, units=units)


def test_an_axis_that_is_not_parallel_is_named_with_its_angle():
    tilted = np.array([0.0, np.cos(0.02), np.sin(0.02)])
    said = message(crank_slider(pin=tilted))
    assert said.startswith("'Slider' cannot move: the freedoms of these joints clash: ")
    assert all(f"{name} (1)" in said for name in ("bearing", "crank_pin", "wrist_pin", "guide"))
    assert "Of 4 freedoms its loop takes all. " in said
    assert "The axes of bearing, wrist_pin are parallel, but one of 'crank_pin' is 1.15 deg off." in said
    assert "one of 'crank_pin' is 0.02 rad off." in message(crank_slider(pin=tilted, units=Units()))


def test_an_axis_that_is_off_by_rounding_only():
    said = message(crank_slider(pin=np.array([0.0, 1.0, 1e-6])))
    assert "one of 'crank_pin' is 5.73e-05 deg off" in said


def test_one_axis_of_a_joint_with_two_is_named():
    """A universal joint in place of the wrist pin, a weld in place of the crank pin."""
    slider = crank_slider()
    bearing, pin, wrist, guide = slider.joints
    weld = joint("fixed", "crank_pin", "crank", "rod", pin.p_P)
    universal = joint("universal", "wrist_pin", "rod", "slider", wrist.p_P, Y, np.array([0.0, 0.0, 1.0]))
    said = message(Mechanism("Slider", slider.bodies, (bearing, weld, universal, guide)))
    assert (
        "wrist_pin (2)" in said and "The axes of wrist_pin, bearing are parallel, but one of 'wrist_pin' is 90" in said
    )
    assert "crank_pin" not in said  # it has no freedom


def test_a_slide_out_of_the_plane_is_named_with_its_angle():
    said = message(crank_slider(slide=np.array([0.0, 1.0, 0.0])))
    assert "bearing" in said and "'guide' slides 90 deg out of their plane" in said
    slanted = np.array([np.cos(0.1), np.sin(0.1), 0.0])
    assert "'guide' slides 5.73 deg out of their plane" in message(crank_slider(slide=slanted))


def triangle():
    """Three bars that are a truss."""
    points = np.array([[0.0, 0, 0], [0.3, 0, 0], [0.1, 0, 0.2]])
    joints = tuple(
        joint("revolute", name, parent, child, p, Y)
        for (name, parent, child), p in zip(
            (("a", "ground", "left"), ("b", "ground", "right"), ("top", "left", "right")), points, strict=True
        )
    )
    return (body("left", 0.05, 0, 0.1), body("right", 0.2, 0, 0.1)), joints


def test_too_few_freedoms_are_counted():
    said = message(Mechanism("Truss", *triangle()))
    assert "top (1), a (1), b (1). Of 3 freedoms its loop takes all. A loop in a plane moves with 4" in said


def test_two_loops_that_hold_each_other():
    """A four-bar is held by a rod between coupler and ground."""
    text = four_bars(1, named=False) + '[joints.strut]\ntype = "rod"\nparent = "ground"\nchild = "coupler0"\n'
    said = message(loads(text + "at = [[0, 0, -100], [150, 0, 120]]\n"))
    assert "pivot (1)" in said and "rod strut" in said and "their 2 loops take all" in said
    assert "One of them holds what the others move. Free a joint, or take one out." in said


def test_a_smallest_set_of_loops_is_found():
    """Of four four-bars in series it is the last one, stopped by a strut, that clashes: the strut is always in it."""
    strut = '[joints.strut]\ntype = "rod"\nparent = "ground"\nchild = "rocker3"\nat = [[900, 0, -90], [1150, 0, 60]]\n'
    mechanism = loads(four_bars(4, named=False) + strut)
    topology = spanning_tree(mechanism)
    closure = Closure(mechanism, topology)
    found = equations(closure, close_loops(mechanism, topology).q)
    loops = [topology.loop_joints(mechanism, i) for i in range(topology.n_loops)]
    smallest = smallest_rigid(found, loops)
    assert found.rigid(loops) and found.rigid(smallest)
    assert [loop[0] for loop in smallest] == ["strut"]  # it holds the rocker by itself
    assert not found.rigid([loop for loop in loops if loop[0] != "strut"])
    said = message(mechanism)
    assert "clash: c3 (1), rod strut. Of 1 freedoms its loop takes all" in said and "pivot" not in said


def test_a_body_on_rubber_alone_needs_a_freedom():
    R = np.eye(3)
    six = Joint("m", "fixed", "ground", "engine", np.zeros(3), np.zeros(3), stiff_primitives(("x", "rz"), R))
    assert "cannot move: its joints have stiff directions only. Free at least one direction of a joint" in message(
        Mechanism("Engine", (body("engine", 0, 0, 0),), (six,))
    )
    fixed = Joint("m", "fixed", "ground", "engine", np.zeros(3), np.zeros(3), ())
    assert "all its joints are fixed. Free at least one" in message(
        Mechanism("Engine", (body("engine", 0, 0, 0),), (fixed,))
    )


def test_angles_between_lines():
    for angle in (1e-12, 0.3, 1.5):
        turned = np.array([np.sin(angle), np.cos(angle), 0.0])
        assert angle_between(Y, turned) == pytest.approx(angle) == angle_between(Y, -turned)


def test_a_mount_that_was_made_of_bushings_is_named():
    bushing = '{ parent = "ground", child = "engine", at = %s, axis = "z", stiffness = [3e5, 3e5, 3e5, 9, 9, 9] }'
    places = zip("abc", ([0, 0, 0], [1, 0, 0], [0, 1, 0]), strict=True)
    source = (
        'schema = 1\nname = "Engine"\n[bodies]\n'
        "engine = { mass = 9, com = [0, 0, 0], inertia = [1, 1, 1] }\n[bushings]\n"
    )
    said = message(loads(source + "".join(f"{name} = {bushing % at}\n" for name, at in places)))
    assert "Joints made for bushings (engine_mount) give way to those of the file between the same bodies" in said
