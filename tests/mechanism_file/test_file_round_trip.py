"""Any mechanism that is saved and loaded is exactly the same."""

import dataclasses
import math
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from precompute.mechanism_file import load, parse_document, save, source_hash, to_document
from precompute.mechanism_file.geometry import completed_frame, settled_frame
from precompute.mechanism_file.json_schema import json_schema
from precompute.model.mechanism import (
    JOINT_TYPES,
    LOCKED,
    Axes,
    Axle,
    Body,
    Bushing,
    BushingDeflection,
    Combination,
    ConstantForce,
    Coordinate,
    Damper,
    Distance,
    Experiment,
    ForceTable,
    Joint,
    JointCoordinate,
    JointType,
    Marker,
    MarkerCoordinate,
    Mechanism,
    Port,
    Primitive,
    ReadMeasure,
    RelativeAngle,
    Rod,
    Spring,
    Stop,
    TableSettings,
    Vehicle,
    Wheel,
    WheelTravel,
    joint_primitives,
    stiff_primitives,
)
from precompute.units import Units

VALIDATOR = jsonschema.Draft202012Validator(json_schema())


def same(a: Any, b: Any) -> bool:
    """Exact equality of what mechanisms are made of."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b)
    if dataclasses.is_dataclass(a):
        fields = [field.name for field in dataclasses.fields(a) if field.name != "source"]
        return type(a) is type(b) and all(same(getattr(a, name), getattr(b, name)) for name in fields)
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
positive = st.floats(1e-3, 1e6)
vectors = st.tuples(numbers, numbers, numbers)
directions = vectors.filter(lambda v: math.hypot(*v) > 1e-3 * max(1.0, *map(abs, v)))
level = directions.filter(lambda v: math.hypot(v[0], v[1]) > 1e-6)


@st.composite
def bodies(draw: st.DrawFn, name: str) -> Body:
    a, b = draw(positive), draw(positive)
    inertia = np.diag([a, b, a + b]) if draw(st.booleans()) else np.zeros((3, 3))
    return Body(name, draw(st.floats(0, 1e4)), np.array(draw(vectors)), inertia, draw(st.booleans()))


@st.composite
def frames(draw: st.DrawFn, x: Any = None, y: Any = None) -> np.ndarray:
    """Axes as the file gives them: x, and y made perpendicular to it."""
    x = np.array(draw(directions)) if x is None else x
    x = x / np.linalg.norm(x) if abs(np.linalg.norm(x) - 1.0) > 1e-15 else x
    if y is None:
        y = np.cross(x, np.eye(3)[np.argmin(np.abs(x))]) + draw(st.floats(-1.0, 1.0)) * x
    return settled_frame(completed_frame(x, y, None))


@st.composite
def bushings(draw: st.DrawFn, name: str, parent: str, child: str) -> Bushing:
    A = np.array(draw(st.lists(st.floats(-1e3, 1e3), min_size=36, max_size=36))).reshape(6, 6)
    K = A @ A.T if draw(st.booleans()) else np.diag(np.abs(A[0]))
    K = np.triu(K) + np.triu(K, 1).T + np.eye(6)
    table = draw(st.none() | tables())
    if table is not None:
        table = ForceTable(table.x, np.sort(table.force))
        K[2], K[:, 2] = 0.0, 0.0
    rows = (None, None, table, None, None, None)
    p, R = np.array(draw(vectors)), draw(frames())
    return Bushing(name, parent, child, p, R, K, np.diag(np.abs(A[1])), A[2] * draw(st.integers(0, 1)), rows)


@st.composite
def joints(draw: st.DrawFn, name: str, parent: str, child: str) -> Joint:
    kind = draw(
        st.sampled_from(["revolute", "prismatic", "cylindrical", "universal", "spherical", "planar"] + ["free"] * 2)
    )
    if draw(st.booleans()):
        kinds = draw(st.lists(st.sampled_from(["rotation", "translation", "ball"]), min_size=1, max_size=3))
        kind, primitives = "sequence", tuple(Primitive(k, None if k == "ball" else draw(directions)) for k in kinds)
    elif kind == "universal":
        axis = draw(directions)
        primitives = joint_primitives(kind, [axis, np.cross(axis, [axis[1], axis[2], -axis[0] - 1.0]) + 1e-3])
    else:
        primitives = joint_primitives(kind, [draw(directions)] if kind not in ("spherical", "free") else [])
    p = np.array(draw(vectors))
    ends = (p, p + draw(st.sampled_from([0.0, 0.125])))
    if kind in ("sequence", "free") or draw(st.booleans()):
        return Joint(name, kind, parent, child, *ends, primitives)
    axes = [primitive.axis for primitive in primitives if primitive.kind == "rotation"]
    R = draw(frames(axes[0] if axes else primitives[0].axis, axes[1] if kind == "universal" else None))
    stiff = stiff_primitives(draw(st.sets(st.sampled_from(LOCKED[kind]), min_size=1)), R)
    side = draw(st.sampled_from(["parent", "child"]))
    return Joint(name, kind, parent, child, *ends, (*primitives, *stiff), side, R)


@st.composite
def tables(draw: st.DrawFn, start: bool = False) -> ForceTable:
    x = np.cumsum(draw(st.lists(positive, min_size=2, max_size=4)))
    force = np.array(draw(st.lists(numbers, min_size=x.size, max_size=x.size)))
    return ForceTable(x - x[0], np.r_[0.0, force[1:]]) if start else ForceTable(x, force)


@st.composite
def stops(draw: st.DrawFn) -> Stop:
    return Stop(draw(numbers), table=draw(tables(start=True))) if draw(st.booleans()) else Stop(draw(numbers), 2.5)


@st.composite
def measures(draw: st.DrawFn, chain: list[Joint]) -> Distance | JointCoordinate:
    scalar = [JointCoordinate(j.name, i) for j in chain for i, p in enumerate(j.primitives) if p.kind != "ball"]
    if scalar and draw(st.booleans()):
        return draw(st.sampled_from(scalar))
    p = np.array(draw(vectors))
    return Distance("ground", draw(st.sampled_from([j.child for j in chain])), p, p + draw(positive))


@st.composite
def springs(draw: st.DrawFn, name: str, on: Distance | JointCoordinate) -> Spring:
    law = {"table": draw(tables())} if draw(st.booleans()) else {"stiffness": draw(positive)}
    law |= draw(st.sampled_from([{"static_preload": True}, {"free_length": 0.5}, {"preload": draw(numbers)}]))
    stop = st.none() | stops()
    return Spring(name, on, **law, bump_stop=draw(stop), rebound_stop=draw(stop))


@st.composite
def markers(draw: st.DrawFn, name: str, body: str) -> Marker:
    R, _ = np.linalg.qr(np.array(draw(st.tuples(level, level, level))) + 1e7 * np.eye(3))
    R = R * np.sign(np.linalg.det(R)) if draw(st.booleans()) else np.eye(3)
    return Marker(name, body, np.array(draw(vectors)), R, draw(st.none() | level))


@st.composite
def coordinates(draw: st.DrawFn, name: str, of: Any) -> Coordinate:
    lower = draw(st.none() | numbers)
    upper = None if lower is None else lower + draw(positive)
    start = draw(st.none() | st.just(lower))
    outside = draw(st.sampled_from(["error", "linear"]))
    drive = draw(st.sampled_from([(False, None), (True, None), ("filtered", 0.01)]))
    return Coordinate(name, of, lower, upper, False, start, draw(numbers), outside, *drive)


ends = st.sampled_from([None, "front", "rear"])


@st.composite
def vehicle_axes(draw: st.DrawFn) -> Axes:
    forward, left = (sign * np.eye(3)[i] for i, sign in draw(st.sampled_from(SIGNED)))
    return Axes(forward, left, np.cross(forward, left))


SIGNED = [((i, a), (j, b)) for i in range(3) for j in range(3) if i != j for a in (1.0, -1.0) for b in (1.0, -1.0)]


@st.composite
def vehicle_wheels(draw: st.DrawFn, body: str, axes: Axes) -> tuple[Wheel, ...]:
    spin = np.array([draw(st.floats(-0.5, 0.5)), 1.0, draw(st.floats(-0.5, 0.5))]) @ axes.R
    radius = draw(positive)
    sizes = radius, draw(st.none() | st.just(1.1 * radius)), draw(st.none() | positive)
    there = Wheel("w", body, np.array(draw(vectors)), spin, "left", *sizes)
    return there, Wheel("other", body, there.centre, axes.left, "right", 1.0)


@st.composite
def vehicles(draw: st.DrawFn) -> Vehicle:
    lengths = [draw(st.none() | positive) for _ in range(4)]
    share = draw(st.sampled_from([(), (("a", 0.25),)]))
    held = draw(st.sampled_from(["inboard", "outboard"]))
    return Vehicle(*lengths, (("a", draw(positive)),), share, share, held, held)


@st.composite
def mechanisms(draw: st.DrawFn) -> Mechanism:
    names = ["b1", "b2", "b3"][: draw(st.integers(1, 3))]
    chain = [draw(joints(f"j{n}", parent, n)) for parent, n in zip(["ground", *names], names, strict=False)]
    p = np.array(draw(vectors))
    spring = draw(springs("s", draw(measures(chain))))
    marker = draw(markers("m", names[-1]))
    of_marker = MarkerCoordinate("m", "y", relative=draw(st.booleans()))
    of = draw(st.sampled_from([spring.on, of_marker, draw(measures(chain))]))
    held = (draw(bushings("b", "ground", names[0])),) if not chain[0].stiff else ()
    read = [of, spring.on, *(BushingDeflection("b", i) for i in range(6 * len(held)))]
    turned = RelativeAngle("ground", names[-1], draw(directions))
    read += [
        turned,
        WheelTravel("w"),
        Combination((MarkerCoordinate("m", "x"), WheelTravel("w")), (draw(positive), -0.5)),
    ]
    axes = draw(vehicle_axes())
    wheels = draw(vehicle_wheels(names[-1], axes))
    return Mechanism(
        name="M_1",
        units=Units(),
        description=draw(
            st.text(st.characters(exclude_categories=["Cc", "Cn", "Cs"]) | st.sampled_from("\t\n\r"), max_size=5)
        ),
        bodies=tuple(draw(bodies(name)) for name in names),
        joints=tuple(chain),
        rods=(Rod("r", "ground", names[0], p, p + 1.0, draw(positive)),) if draw(st.booleans()) else (),
        springs=(
            spring,
            Spring("bar", turned, stiffness=draw(positive), preload=draw(numbers), role="anti_roll_bar"),
            Spring("stop", WheelTravel("w"), 0.0, preload=0.0, bump_stop=draw(stops()), role="stop"),
            Spring("top", turned, 0.0, preload=0.0, rebound_stop=draw(stops()), role="stop"),
        ),
        axes=axes,
        wheels=wheels,
        axles=(Axle("a", "w", steering=draw(st.sampled_from([None, turned, *read[-1:]])), end=draw(ends)),),
        vehicle=draw(st.none() | vehicles()),
        dampers=(
            Damper(
                "s",
                draw(st.sampled_from([MarkerCoordinate("m", "z"), draw(measures(chain))])),
                **draw(st.sampled_from([{"damping": 0.1}, {"table": draw(tables())}])),
            ),
        ),
        forces=(ConstantForce("f", draw(measures(chain)), draw(numbers)),),
        bushings=held,
        markers=(marker,),
        ports=(Port("p", "m"),),
        measures=tuple(ReadMeasure(f"r{i}", on) for i, on in enumerate(draw(st.lists(st.sampled_from(read))))),
        coordinates=draw(st.sampled_from([None, (), (draw(coordinates("c", of)),)])),
        gravity=np.array(draw(vectors)),
        tables=TableSettings(
            draw(st.floats(1e-11, 0.1)),
            draw(st.integers(17, 2001)),
            draw(st.integers(1, 3)),
            draw(st.integers(0, 2)),
            draw(st.sampled_from(["dynamic", "quasistatic"])),
            draw(st.floats(1e-9, 1.0)),
            draw(st.sampled_from(["zero", "static"])) if any(joint.stiff for joint in chain) else "zero",
        ),
        chassis=draw(st.sampled_from(["fixed", "moving"])),
        experiment=Experiment(
            draw(st.floats(1.0, 9.0)),
            draw(st.floats(1e-6, 1.0)),
            draw(st.booleans()),
            draw(st.sampled_from(["rk4", "midpoint"])) if not any(joint.stiff for joint in chain) else "rk4",
        ),
    )


@settings(max_examples=60, deadline=None)
@given(mechanisms())
def test_round_trip_is_exact(tmp_path_factory: pytest.TempPathFactory, mechanism: Mechanism) -> None:
    path = tmp_path_factory.getbasetemp() / "round_trip.toml"
    save(mechanism, path)
    again = load(path)
    assert same(again, mechanism)
    assert source_hash(again) == source_hash(mechanism)
    VALIDATOR.validate(to_document(mechanism))


@pytest.mark.parametrize("stiff", [False, True])
@pytest.mark.parametrize("kind", JOINT_TYPES.values(), ids=JOINT_TYPES)
def test_every_kind_of_joint_is_read_and_written(kind: JointType, stiff: bool) -> None:
    axes = {axis.key: direction for axis, direction in zip(kind.axes, ([0.6, 0, 0.8], [0, 1, 0]), strict=False)}
    own = {"stiff": list(kind.locked), "stiff_axes": "child"} if stiff and kind.locked else {}
    entry = {"type": kind.name, "parent": "ground", "child": "b", "at": [1, 2, 3]} | axes | own
    document = {"schema": 1, "name": "One", "bodies": {"b": {"mass": 1, "com": [0, 0, 0]}}, "joints": {"j": entry}}
    VALIDATOR.validate(document)
    mechanism = parse_document(document)
    (joint,) = mechanism.joints
    assert joint.kind == kind.name and joint.stiff_directions == (kind.locked if own else ())
    assert to_document(mechanism)["joints"]["j"]["type"] == kind.name
    assert same(parse_document(to_document(mechanism)), mechanism)
