"""Over-constrained mechanisms: redundant equations are found and do no harm; inconsistent ones are named."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import joint, random_body

from precompute.errors import AssemblyError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Coordinate, JointCoordinate, Mechanism, Rod, TableSettings
from precompute.pipeline import bake
from precompute.report.inspection import inspect

Z = np.array([0.0, 0.0, 1.0])


def spherical_four_bar():
    """Four revolutes whose axes meet in the origin: three of the six loop equations repeat the others."""
    rng = np.random.default_rng(0)
    axes = [np.array(a, dtype=float) for a in ((0, 0, 1), (0.5, 0, 1), (0.6, 0.9, 1), (-0.4, 0.8, 1))]
    names = ["ground", "crank", "coupler", "rocker", "ground"]
    joints = [
        joint("revolute", f"j{i}", names[i], names[i + 1], axes[i] / np.linalg.norm(axes[i]), axes[i]) for i in range(4)
    ]
    return Mechanism(
        "Spherical",
        [random_body(rng, name) for name in names[1:4]],
        joints,
        coordinates=(Coordinate("crank", JointCoordinate("j0"), -0.3, 0.3),),
        tables=TableSettings(1e-5),
    )


def three_parallel_rods(length=1.0):
    """A platform in the plane on three parallel rods: two would do."""
    rods = [
        Rod(f"rod{i}", "ground", "platform", np.array([x, 0.0, 0.0]), np.array([x, 1.0, 0.0]), 1.0)
        for i, x in enumerate((0.0, 1.0, 2.5))
    ]
    rods[2] = replace(rods[2], length=length)
    return Mechanism(
        "Platform",
        [random_body(np.random.default_rng(1), "platform")],
        [joint("planar", "plane", "ground", "platform", np.zeros(3), Z)],
        rods,
        coordinates=(Coordinate("x", JointCoordinate("plane", 0), -0.4, 0.4),),
        tables=TableSettings(1e-5),
    )


@pytest.mark.parametrize(
    ("mechanism", "equations", "rank"), [(spherical_four_bar(), 6, 3), (three_parallel_rods(), 3, 2)]
)
def test_redundant_mechanisms_bake_without_being_told(mechanism, equations, rank):
    report = inspect(mechanism)
    assert (report.dof, report.equations, report.rank) == (1, equations, rank)
    assert bake(mechanism).certificate.worst_condition < 100


def test_a_rod_one_millimetre_too_long_is_an_error_with_loop_and_gap():
    m = three_parallel_rods(length=1.001)
    with pytest.raises(AssemblyError, match=r"loop 'rod\d' .* cannot be closed: a gap of 0\.\d+ mm is left"):
        close_loops(m, spanning_tree(m))


def test_a_drawing_with_a_slip_is_not_led_far_away():
    """A rod 1 mm too long closes only on the other side of the platform: that is not what was drawn."""
    m = three_parallel_rods(length=1.001)
    with pytest.raises(AssemblyError, match="restarts found it closed, but only far from the drawing"):
        close_loops(m, spanning_tree(m))


def test_revolute_axes_that_do_not_meet_are_an_error_with_loop_and_gap():
    """The spherical linkage with one axis moved by a millimetre has no motion left, and says so when it must move."""
    m = spherical_four_bar()
    off = [replace(j, p_C=j.p_C + [0.001, -0.002, 0.0005]) if j.name == "j2" else j for j in m.joints]
    bent = replace(m, joints=tuple(off))
    with pytest.raises(AssemblyError, match=r"loop 'j\d' .* cannot be closed: a gap of"):
        close_loops(bent, spanning_tree(bent))
