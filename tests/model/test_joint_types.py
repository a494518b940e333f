"""The kinds of joint: what each is made of, that all six directions have a fate, and what the page says of them."""

import re
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from helpers import ROOT

from precompute.model.bushings import motion_axes
from precompute.model.joint_types import DIRECTIONS, JOINT_TYPES, LOCKED, ConstraintKind
from precompute.model.joints import Joint, Primitive, joint_primitives, stiff_primitives
from precompute.reference.constraints import HOLD

PAGE = (ROOT / "docs" / "mechanism-file.md").read_text(encoding="utf-8")

KNOWN = {
    "revolute": (1, "rotation", "x y z ry rz"),
    "prismatic": (1, "translation", "y z rx ry rz"),
    "cylindrical": (1, "translation rotation", "y z ry rz"),
    "universal": (2, "rotation rotation", "x y z rz"),
    "spherical": (0, "ball", "x y z"),
    "planar": (1, "translation translation rotation", "x ry rz"),
    "fixed": (0, "", "x y z rx ry rz"),
    "free": (0, "translation translation translation ball", ""),
}
"""Number of axes, primitives and locked directions of the kinds that files with schema = 1 know."""


@pytest.mark.parametrize("kind", KNOWN)
def test_kinds_keep_their_meaning(kind):
    spec = JOINT_TYPES[kind]
    assert (len(spec.axes), " ".join(spec.kinds), " ".join(spec.locked)) == KNOWN[kind]
    assert LOCKED[kind] == spec.locked


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_free_and_locked_directions_span_all_six(kind, seed):
    rng = np.random.default_rng(seed)
    spec = JOINT_TYPES[kind]
    axes = [axis / np.linalg.norm(axis) for axis in rng.standard_normal((len(spec.axes), 3))]
    R = np.linalg.qr(np.column_stack([*axes, *rng.standard_normal((3, 3))])[:, :3])[0]
    R *= np.sign([R[:, k] @ axes[k] if k < len(axes) else 1.0 for k in range(3)])  # x and y along the axes
    primitives = (*joint_primitives(kind, axes), *stiff_primitives(spec.locked, R))
    joint = Joint("J", kind, "ground", "b", np.zeros(3), np.zeros(3), primitives, R=R)
    V = motion_axes(joint, rng.standard_normal(3))
    assert V.shape == (6, 6) and np.linalg.matrix_rank(V, tol=1e-6) == 6
    assert {spec.fate(direction) for direction in DIRECTIONS} <= {"free", "locked"}


def test_a_ball_is_four_wide_and_has_three_rates():
    primitives = [Primitive("rotation", [1, 0, 0]), Primitive("translation", [1, 0, 0]), Primitive("ball")]
    assert [(p.width, p.rates) for p in primitives] == [(1, 1), (1, 1), (4, 3)]


def test_a_joint_gives_back_the_axes_it_was_made_of():
    for name, kind in JOINT_TYPES.items():
        axes = np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0]])[: len(kind.axes)]
        joint = Joint("J", name, "ground", "b", np.zeros(3), np.zeros(3), joint_primitives(name, axes))
        np.testing.assert_array_equal(np.reshape(joint.axes, (-1, 3)), axes)


def test_the_full_model_knows_every_constraint():
    assert set(HOLD) == set(get_args(ConstraintKind))


def test_a_faulty_kind_says_so():
    planar = JOINT_TYPES["planar"]
    with pytest.raises(ValueError, match="'planar' speaks of axis, not given"):
        replace(planar, axes=())
    with pytest.raises(ValueError, match="'planar' has other motions than free directions"):
        replace(planar, free=("y", "z"))


def test_an_unknown_kind_is_named():
    with pytest.raises(ValueError, match="a hinge joint has no standard primitives"):
        joint_primitives("hinge", [[1, 0, 0]])
    with pytest.raises(ValueError, match="is of kind 'hinge'; known: revolute, prismatic, .*, free, sequence"):
        Joint("J", "hinge", "ground", "b", np.zeros(3), np.zeros(3), ())


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_the_page_has_a_row_for_each_kind(kind):
    spec = JOINT_TYPES[kind]
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith(f"| `{kind}` |")]
    assert len(rows) == 1, f"docs/mechanism-file.md needs one row for '{kind}'"
    _, keys, coordinates, locks = rows[0]
    assert set(re.findall(r"`(\w+)`", keys)) == {"at", *(axis.key for axis in spec.axes)}
    assert ("the origin" in keys) == (spec.place == "origin")
    assert coordinates.replace("`", "") == spec.coordinates
    assert locks == (" ".join(f"`{direction}`" for direction in spec.locked) or "nothing")
