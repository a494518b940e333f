"""Constraints and measures of the full model: derivatives, and joints against products of elementary motions."""

import ast
from dataclasses import replace

import numpy as np
import pytest
from helpers import ROOT
from scipy.spatial.transform import Rotation

from precompute.model.mechanism import (
    JOINT_TYPES,
    Body,
    Coordinate,
    Distance,
    Joint,
    JointCoordinate,
    Marker,
    MarkerCoordinate,
    Mechanism,
    Primitive,
    Rod,
    joint_primitives,
)
from precompute.reference.bodies import FullState, feature_motion, turned
from precompute.reference.constraints import row_gamma, row_jacobian, row_values
from precompute.reference.measures import measure_curvature, measure_motion
from precompute.reference.model import open_model

STEP = 1e-5
DERIVATIVE = 1e-8  # of a central difference with that step, on quantities of order one to ten
EXACT = 1e-12

P_AT = np.array([0.3, -0.2, 0.5])
AXIS, OTHER = np.array([0.48, -0.6, 0.64]), np.array([0.6, 0.0, 0.8])  # not perpendicular

PRIMITIVES = {
    **{name: joint_primitives(name, [AXIS, OTHER][: len(kind.axes)]) for name, kind in JOINT_TYPES.items()},
    "sequence": (
        Primitive("rotation", AXIS),
        Primitive("translation", OTHER),
        Primitive("rotation", np.array([0.0, 1.0, 0.0])),
        Primitive("ball"),
    ),
    "sequence of one": (Primitive("rotation", AXIS),),
    "sequence of two": (Primitive("translation", AXIS), Primitive("rotation", OTHER)),
}


def pair(kind: str, p_C: np.ndarray = P_AT, with_rod: bool = False) -> Mechanism:
    """Two floating bodies with one joint between them, and a coordinate for each of its scalar primitives."""
    primitives = PRIMITIVES[kind]
    free = [Joint(f"free_{b}", "free", "ground", b, np.zeros(3), np.zeros(3), joint_primitives("free")) for b in "ab"]
    joint = Joint("J", kind.split()[0], "a", "b", P_AT, p_C, primitives)
    measures = [JointCoordinate("J", k) for k, p in enumerate(primitives) if p.kind != "ball"]
    return Mechanism(
        name=kind,
        bodies=(Body("a", 1.0, [0.1, 0.2, 0.3], np.eye(3)), Body("b", 2.0, [0.7, -0.1, 0.2], np.eye(3))),
        joints=(*free, joint),
        rods=(Rod("rod", "a", "b", [1.0, 0.0, 0.0], [0.0, 0.5, 1.0], 1.5),) if with_rod else (),
        markers=(Marker("M", "b", [0.4, 0.5, -0.6]),),
        coordinates=(
            *(Coordinate(f"q{k}", measure) for k, measure in enumerate(measures)),
            Coordinate("length", Distance("a", "b", np.array([1.0, 1.0, 0.0]), np.array([-0.3, 0.2, 0.4]))),
            Coordinate("height", MarkerCoordinate("M", "z")),
        ),
    )


def random_state(model, seed: int) -> FullState:
    """Some positions and velocities that satisfy nothing."""
    rng = np.random.default_rng(seed)
    nb = len(model.bodies.names)
    quaternion = rng.normal(size=(nb, 4)) + np.array([2.0, 0.0, 0.0, 0.0])
    return FullState(
        r=rng.normal(size=(nb, 3)),
        quaternion=quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True),
        v=rng.normal(size=(nb, 3)),
        w=rng.normal(size=(nb, 3)),
        angles=model.design.angles,
    )


def later(state: FullState, time: float) -> FullState:
    """The state after a motion with constant v and constant w in body axes, that is with du/dt = 0."""
    return replace(state, r=state.r + time * state.v, quaternion=turned(state.quaternion, time * state.w))


def slope(function, state: FullState) -> np.ndarray:
    """Time derivative by a central difference."""
    return (function(later(state, STEP)) - function(later(state, -STEP))) / (2.0 * STEP)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", PRIMITIVES)
def test_constraint_derivatives_are_those_of_central_differences(kind, seed):
    model = open_model(pair(kind, P_AT + 0.1, with_rod=True))
    rows, nb = model.constraints, len(model.bodies.names)
    state = random_state(model, seed)

    def motion(s):
        return feature_motion(rows.features, s)

    rate = row_jacobian(rows, motion(state), nb) @ state.u
    second = -row_gamma(rows, motion(state))

    np.testing.assert_allclose(rate, slope(lambda s: row_values(rows, motion(s)), state), atol=DERIVATIVE)
    np.testing.assert_allclose(
        second, slope(lambda s: row_jacobian(rows, motion(s), nb) @ s.u, state), atol=10 * DERIVATIVE
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", PRIMITIVES)
def test_measure_derivatives_are_those_of_central_differences(kind, seed):
    model = open_model(pair(kind, P_AT + 0.1))
    state = random_state(model, seed)
    near = measure_motion(model.measures, state)
    state = replace(state, angles=near.values[model.measures.is_angle])

    values = slope(lambda s: measure_motion(model.measures, s).values, state)
    rates = slope(lambda s: measure_motion(model.measures, s).gradients @ s.u, state)

    scale = 1.0 + np.abs(rates)  # a random angle may be near its singular position, with large derivatives
    assert (np.abs(near.gradients @ state.u - values) < 10 * DERIVATIVE * scale**2).all()
    assert (np.abs(measure_curvature(model.measures, state) - rates) < 10 * DERIVATIVE * scale**2).all()


def elementary(primitive: Primitive, q) -> tuple[np.ndarray, np.ndarray]:
    """R, p of one primitive at its coordinate (of a ball: a rotation vector)."""
    match primitive.kind:
        case "rotation":
            return Rotation.from_rotvec(q * primitive.axis).as_matrix(), np.zeros(3)
        case "translation":
            return np.eye(3), q * primitive.axis
        case _:
            return Rotation.from_rotvec(q).as_matrix(), np.zeros(3)


def posed(model, kind: str, p_C: np.ndarray, q: list) -> FullState:
    """Body a anywhere, body b and the bodies within the joint after a by the product of elementary motions."""
    R, a_com = Rotation.from_rotvec([0.3, -1.1, 0.7]).as_matrix(), model.bodies.com[0]
    p = np.array([0.2, 1.0, -0.4]) + R @ (P_AT - a_com)  # the joint's origin
    poses = [(R, np.array([0.2, 1.0, -0.4]))]
    between = []
    for primitive, value in zip(PRIMITIVES[kind], q, strict=True):
        R_k, p_k = elementary(primitive, value)
        p, R = p + R @ p_k, R @ R_k
        between.append((R, p))
    poses.append((R, p + R @ (model.bodies.com[1] - p_C)))
    poses += between[:-1] if kind.startswith("sequence") else []
    quaternion = [Rotation.from_matrix(pose[0]).as_quat()[[3, 0, 1, 2]] for pose in poses]
    zero = np.zeros((len(poses), 3))
    return FullState(np.array([pose[1] for pose in poses]), np.array(quaternion), zero, zero, model.design.angles)


@pytest.mark.parametrize("p_C", [P_AT, P_AT + [0.02, 0.03, -0.05]], ids=["exact design", "rough design"])
@pytest.mark.parametrize("kind", PRIMITIVES)
def test_a_joint_allows_and_measures_the_product_of_its_primitives(kind, p_C):
    model = open_model(pair(kind, p_C))
    q = [0.9, -0.4, 0.7, np.array([0.5, -0.2, 0.8])][: len(PRIMITIVES[kind])]
    q = [np.array([0.4, 0.3, -0.9]) if p.kind == "ball" else x for p, x in zip(PRIMITIVES[kind], q, strict=True)]
    state = posed(model, kind, p_C, q)

    phi = row_values(model.constraints, feature_motion(model.constraints.features, state))
    measured = measure_motion(model.measures, state).values[: sum(p.kind != "ball" for p in PRIMITIVES[kind])]

    np.testing.assert_allclose(phi, 0.0, atol=EXACT)
    expected = [x for p, x in zip(PRIMITIVES[kind], q, strict=True) if p.kind != "ball"]
    np.testing.assert_allclose(measured, expected, atol=EXACT)


@pytest.mark.parametrize("kind", PRIMITIVES)
def test_a_joint_leaves_as_many_freedoms_as_its_primitives_have(kind):
    model = open_model(pair(kind))
    primitives = PRIMITIVES[kind]
    q = [np.array([0.4, 0.3, -0.9]) if p.kind == "ball" else 0.3 for p in primitives]
    state = posed(model, kind, P_AT, q)
    phi_u = row_jacobian(model.constraints, feature_motion(model.constraints.features, state), len(model.bodies.names))

    rank = np.linalg.matrix_rank(phi_u, tol=1e-9) if phi_u.size else 0
    freedoms = sum(3 if p.kind == "ball" else 1 for p in primitives)

    assert rank == len(phi_u)  # no redundant rows within a joint
    assert phi_u.shape[1] - rank == 6 + freedoms


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_the_rows_of_a_kind_are_as_many_as_it_locks_at_any_pose(kind, seed):
    rng = np.random.default_rng(seed)
    model = open_model(pair(kind))
    q = [rng.normal(size=3) if p.kind == "ball" else rng.normal() for p in PRIMITIVES[kind]]
    motion = feature_motion(model.constraints.features, posed(model, kind, P_AT, q))
    phi_u = row_jacobian(model.constraints, motion, len(model.bodies.names))

    np.testing.assert_allclose(row_values(model.constraints, motion), 0.0, atol=EXACT)
    rank = np.linalg.matrix_rank(phi_u, tol=1e-9) if phi_u.size else 0
    assert rank == len(phi_u) == len(JOINT_TYPES[kind].locked)


def test_the_full_model_imports_nothing_that_it_certifies():
    """Data of the mechanism; of formulas how a text becomes a tree, of cams the data of outlines; not what is made."""
    allowed = {"precompute.model.mechanism", "precompute.model.devices", "precompute.arrays", "precompute.errors"}
    allowed |= {"precompute.formulas.syntax", "precompute.formulas.interfaces"}
    allowed |= {"precompute.cams.profile", "precompute.cams.polar_table"}
    files = sorted((ROOT / "precompute" / "reference").rglob("*.py"))
    own = {".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files}
    assert len(files) > 10
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        ours = {name for name in imported if name.split(".")[0] in ("precompute", "fmu_src")}
        assert ours <= allowed | own, f"{file.name} imports {sorted(ours - allowed - own)}"


def test_of_cams_the_full_model_takes_what_the_file_says():
    """Ends and centres of sides, angles and radii of tables; its outlines and splines are its own."""
    folder = ROOT / "precompute" / "reference" / "cams"
    trees = [ast.parse((folder / name).read_text(encoding="utf-8")) for name in ("outlines.py", "parts.py")]
    read = {
        node.attr
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and (
            (isinstance(node.value, ast.Name) and node.value.id == "side")
            or (isinstance(node.value, ast.Attribute) and node.value.attr == "table")
        )
    }
    assert read == {"start", "end", "centre", "hollow", "angles", "radii"}
