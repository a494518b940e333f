"""Angles and travels of joints of every kind as outputs, dependent ones too; against the full model."""

import tomllib
from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_baked import baked
from helpers_corner import Corner

from fmu_src.numpy_runtime.state import State
from precompute.errors import MechanismError
from precompute.mechanism_file import from_document
from precompute.model.joint_types import JOINT_TYPES
from precompute.reference import simulate

BODY = {"mass": 1, "com": [0.5, 0, 0], "inertia": [1, 1, 1]}
PLANE = {
    "schema": 1,
    "name": "Plane",
    "units": {"length": "m", "mass": "kg", "angle": "rad", "force": "N"},
    "bodies": {"crank": BODY, "rod": BODY, "cap": BODY},
    "joints": {
        "crank": {"type": "revolute", "parent": "ground", "child": "crank", "at": [0, 0, 0], "axis": "z"},
        "pin": {"type": "revolute", "parent": "crank", "child": "rod", "at": [1, 0, 0], "axis": "z"},
        "plane": {"type": "planar", "parent": "ground", "child": "rod", "at": [2, 0, 0], "axis": "z"},
        "weld": {"type": "fixed", "parent": "rod", "child": "cap", "at": [2, 0, 0]},
        "loose": {"type": "free", "parent": "ground", "child": "cap", "at": [2, 0, 0]},
        "ball": {"type": "spherical", "parent": "crank", "child": "cap", "at": [1, 0, 0]},
    },
    "coordinates": {"free": {n: {"of": f"joint.{n}", "from": -0.5, "to": 0.7} for n in ("crank", "pin")}},
    "tables": {"tolerance": 1e-7},
    "measures": {
        **{f"plane_{i}": {"of": f"joint.plane[{i}]"} for i in (1, 2, 3)},
        **{f"loose_{i}": {"of": f"joint.loose[{i}]"} for i in (1, 2, 3)},
        "pin": {"of": "joint.pin"},
        "ball": {"of": {"between": ["crank", "cap"], "axis": "z"}},
    },
}


@cache
def plane():
    return Corner(baked(from_document(PLANE)))


@cache
def strut():
    found = tomllib.loads((MECHANISMS / "macpherson.toml").read_text(encoding="utf-8"))
    joints = {name: joint for name, joint in found["joints"].items() if joint["type"] not in ("spherical", "rod")}
    read = {}
    for name, joint in joints.items():
        for i, _ in enumerate(JOINT_TYPES[joint["type"]].motions, 1):
            read[f"{name}_{i}"] = {"of": f"joint.{name}[{i}]"}
    return Corner(baked(from_document(found | {"measures": read})))


@pytest.mark.parametrize(("model", "tolerance"), [(plane, 1e-7), (strut, 3e-6)])
def test_joints_turn_and_slide_as_in_the_full_model(model, tolerance):
    c, rng = model(), np.random.default_rng(4)
    for _ in range(3):
        axes, stiff = c.model.charts[0].axes, np.array([s.radius for s in c.model.stiff])
        z = np.array([rng.uniform(0.9 * a.lower + 0.1 * a.upper, 0.1 * a.lower + 0.9 * a.upper) for a in axes])
        zd = rng.uniform(-1, 1, len(z)) * [a.upper - a.lower for a in axes]
        z, zd = (np.concatenate((x, 0.5 * stiff * rng.uniform(-1, 1, stiff.size))) for x in (z, zd))
        out = c.outputs(State(0.0, 0, 0, z, zd), c.inputs)
        theirs = simulate(c.full, c.full_state(z, zd), [0.0]).measures
        assert theirs
        for name, found in theirs.items():
            assert out[f"measure.{name}"] == pytest.approx(found.value[0], abs=tolerance), name
            assert out[f"measure.{name}.rate"] == pytest.approx(found.rate[0], abs=30 * tolerance), name


def test_in_a_plane_they_are_what_one_draws():
    c, (a, b) = plane(), (0.3, -0.2)
    out = c.outputs(State(0.0, 0, 0, np.array([a, b]), np.array([1.0, 0.0])), c.inputs)
    x, y = np.cos(a) + np.cos(a + b) - 2.0, np.sin(a) + np.sin(a + b)
    across = sorted([abs(out["measure.plane_1"]), abs(out["measure.plane_2"])])
    np.testing.assert_allclose(across, sorted([abs(x), abs(y)]), atol=1e-7)
    assert out["measure.plane_3"] == pytest.approx(a + b, abs=1e-7)
    assert out["measure.plane_3.rate"] == pytest.approx(1.0, abs=1e-6)
    loose = [out[f"measure.loose_{i}"] for i in (1, 2, 3)]
    np.testing.assert_allclose(loose, [x, y, 0.0], atol=1e-7)
    assert out["measure.pin"] == pytest.approx(b) and out["measure.ball"] == pytest.approx(b, abs=1e-7)


def test_every_kind_is_here():
    """One that is added wants its coordinates read here."""
    kinds = {j.kind for c in (plane(), strut()) for j in c.mechanism.joints}
    assert kinds >= {*JOINT_TYPES}
    read = {measure.name for c in (plane(), strut()) for measure in c.mechanism.measures}
    assert {"strut_1", "strut_2", "top_mount_1", "top_mount_2", "rack_1"} <= read


def test_a_ball_has_angles_about_axes_and_the_message_says_so():
    wrong = PLANE | {"measures": {"ball": {"of": "joint.ball"}}}
    with pytest.raises(MechanismError) as said:
        from_document(wrong)
    assert 'has no scalar coordinate [1]; it has none. Of a ball, { between = ["crank", "cap"], axis = "x" }' in str(
        said.value
    )
