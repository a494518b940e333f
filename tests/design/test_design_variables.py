"""Design variables: which there are, and what the mechanism is with them changed: that of the edited file."""

import re
import tomllib
from copy import deepcopy

import numpy as np
import pytest
from helpers import MECHANISMS, ON_DISCS
from scipy.spatial.transform import Rotation

from precompute.design import Design, moved
from precompute.errors import MechanismError
from precompute.mechanism_file import load, loads, source_hash
from precompute.mechanism_file.schema.toml_text import dumps

FILES = sorted(path for path in MECHANISMS.glob("*.toml") if path.stem not in ON_DISCS)
SOME = ("crank_slider", "double_wishbone", "front_axle", "macpherson_rigid", "maxwell_mass")
SIDES = {"parent": 0, "child": 1}
SECTIONS = {"point": "points", "body": "bodies", "rod": "joints", "anti_roll_bar": "anti_roll_bars"}
SIX = ("x", "y", "z", "rx", "ry", "rz")
CHANGE = 0.25  # in the unit of the file

CORNER = """
schema = 1
name = "Axle"
units = { length = "mm", angle = "deg" }
mirror = { from = "left", to = "right" }
[points]
front_left = [100, 300, 0]
rear_left = [-120, 310, 5]
ball_left = [0, 700, 10]
[bodies.arm_left]
mass = 2
com = "ball_left"
[bodies.hub_left]
mass = 20
com = [0, 720, 20]
[joints.ball_left]
type = "spherical"
parent = "arm_left"
child = "hub_left"
at = "ball_left"
[joints.strut_left]
type = "prismatic"
parent = "ground"
child = "hub_left"
axis = "z"
[bushings.front_left]
parent = "ground"
child = "arm_left"
at = "front_left"
axis = ["front_left", "rear_left"]
stiffness = [500, 5000, 5000, 1000, 20000, 20000]
[bushings.rear_left]
parent = "ground"
child = "arm_left"
at = "rear_left"
axis = ["front_left", "rear_left"]
second = ["front_left", "ball_right"]
stiffness = [500, 5000, 5000, 1000, 20000, 20000]
"""


def edited(document, variable, unit):
    """What a user would write: by hand, from the name alone, in the units of the file."""
    new = deepcopy(document)
    kind, name, *keys = variable.name.split(".")
    entry = new[SECTIONS.get(kind, f"{kind}s")][name]
    axis = entry.get("axis", "") if kind == "joint" else ""
    place = entry.get("at", axis[0] if len(axis) == 2 else [0, 0, 0]) if kind in ("joint", "rod") else None

    def numbers(p, axis=None):
        p = list(document["points"][p]) if isinstance(p, str) else list(p)
        return p if axis is None else [x + unit * (i == "xyz".index(axis)) for i, x in enumerate(p)]

    pair = lambda p: not isinstance(p, str) and len(p) == 2  # noqa: E731
    match (kind, *keys):
        case "point", axis:
            new["points"][name] = numbers(name, axis)
        case "joint", "at", axis:
            entry["at"] = [numbers(p, axis) for p in place] if pair(place) else numbers(place, axis)
        case (("joint" | "rod"), ("parent" | "child") as side, axis):
            entry["at"] = list(place) if pair(place) else [place, place]
            entry["at"][SIDES[side]] = numbers(entry["at"][SIDES[side]], axis)
        case "joint", ("rx" | "ry" | "rz") as turn:
            turned(new, entry, place, turn, unit)
        case "rod", "length":
            p, q = (scaled(document, numbers(end)) for end in entry["at"])
            entry["length"] = entry.get("length", unscaled(document, float(np.linalg.norm(q - p)))) + unit
        case "wheel", "radius" if "radius" not in entry:
            radius = loads(dumps(document)).wheel(name).radius
            del entry["contact"]
            entry["radius"] = unscaled(document, radius) + unit
        case _, "inertia", moment:
            entry["inertia"][("xx", "yy", "zz", "xy", "xz", "yz").index(moment)] += unit
        case "bushing", ("rx" | "ry" | "rz") as turn:
            turned(new, entry, entry["at"], turn, unit)
        case _, ("com" | "at" | "centre") as key, axis:
            entry[key] = numbers(entry[key], axis)
        case _, ("at[1]" | "at[2]") as key, axis:
            entry["at"][int(key[3]) - 1] = numbers(entry["at"][int(key[3]) - 1], axis)
        case "bushing", key, direction:
            row, i = entry[key], SIX.index(direction)
            (row[i] if isinstance(row[i], list) else row)[i] += unit
        case _, key:
            entry[key] += unit
        case _, stop, key:
            entry[stop][key] += unit
    return new


def scaled(document, p):
    return (
        np.array(p)
        * {"m": 1.0, "mm": 1.0, "in": 254.0}[length(document)]
        / {"mm": 1e3, "in": 1e4}.get(length(document), 1.0)
    )


def unscaled(document, x):
    return x * {"mm": 1e3, "in": 1e4}.get(length(document), 1.0) / {"in": 254.0}.get(length(document), 1.0)


def length(document):
    return document.get("units", {}).get("length", "m")


def turned(document, entry, place, turn, unit):
    angle = np.radians(unit) if document["units"].get("angle") == "deg" else unit
    R = Rotation.from_rotvec(angle * np.eye(3)[SIX.index(turn) - 3]).as_matrix()

    def direction(axis):
        if isinstance(axis, str):
            return np.eye(3)["xyz".index(axis[-1])] * (-1 if axis[0] == "-" else 1)
        if isinstance(axis[0], str):
            p, q, *r = (scaled(document, document["points"][name]) for name in axis)
            return np.cross(q - p, r[0] - p) if r else q - p
        return np.array(axis, dtype=float)

    if "primitives" not in entry:
        entry["at"] = place
    for part in entry.get("primitives", [entry]):
        found = {key: part[key] for key in ("axis", "axis2", "second", "rotation", "translation") if key in part}
        found = found or ({} if "primitives" in entry else {"axis": "x", "second": "y"})
        part.update({key: (R @ direction(axis)).tolist() for key, axis in found.items()})


def full(path):
    """A file with all points in it."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    assert not isinstance(document.get("points"), str)
    return document


def one_of_each(variables):
    """One variable of every sort, and a hardpoint more."""
    sorts = {re.sub(r"^(\w+)\.\w+", r"\1", name): name for name in variables}
    return [variables[name] for name in sorts.values()]


def check(path, some):
    mechanism, document = load(path), full(path)
    design = Design.of(mechanism)
    for variable in some(design.variables):
        change = float(variable.scale(CHANGE))
        found = design.moved({variable.name: change})
        wanted = loads(dumps(edited(document, variable, variable.scale.back(change))))
        if variable.kind == "turn":  # another library turns it, with other last digits
            same(found, wanted)
        else:
            assert source_hash(found) == source_hash(wanted), variable.name


def same(found, wanted):
    for a, b in zip(found.bushings, wanted.bushings, strict=True):
        np.testing.assert_allclose(a.R, b.R, atol=1e-14)
    for a, b in zip(found.joints, wanted.joints, strict=True):
        assert (a.name, a.kind) == (b.name, b.kind)
        np.testing.assert_allclose(a.R, b.R, atol=1e-14)
        assert (a.p_P == b.p_P).all() and (a.p_C == b.p_C).all()
        for p, q in zip(a.primitives, b.primitives, strict=True):
            assert p.axis is None or np.abs(p.axis - q.axis).max() < 1e-14


@pytest.mark.parametrize("path", [f for f in FILES if f.stem in SOME], ids=lambda path: path.stem)
def test_a_change_is_that_of_the_edited_file(path):
    check(path, one_of_each)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_change_is_that_of_the_edited_file(path):
    check(path, lambda variables: variables.values())


def test_what_is_named_by_a_point_moves_with_it_and_its_image_as_a_mirror_shows_it():
    mechanism = loads(CORNER)
    new = moved(mechanism, {"point.ball_left.x": 1e-3, "point.ball_left.y": 2e-3})
    step, image = np.array([1e-3, 2e-3, 0.0]), np.array([1e-3, -2e-3, 0.0])
    for name, shift in (("left", step), ("right", image)):
        for parts, field in (("bodies", "com"), ("joints", "p_P"), ("joints", "p_C")):
            called = f"{'arm' if parts == 'bodies' else 'ball'}_{name}"
            old, now = (next(x for x in getattr(m, parts) if x.name == called) for m in (mechanism, new))
            np.testing.assert_allclose(getattr(now, field) - getattr(old, field), shift, atol=1e-15)
    turned = new.bushing("rear_left").R[:, 1] @ mechanism.bushing("rear_left").R[:, 2]
    assert turned != 0.0  # its second axis leads to the image of the point


def test_of_what_has_an_image_the_image_changes_as_well():
    mechanism = loads(CORNER)
    new = moved(mechanism, {"bushing.front_left.stiffness.x": 1e3, "joint.ball_left.parent.y": 1e-3})
    assert new.bushing("front_right").stiffness[0, 0] == 501e3
    shift = new.joint("ball_right").p_P - mechanism.joint("ball_right").p_P
    np.testing.assert_allclose(shift, [0.0, -1e-3, 0.0], atol=1e-15)
    assert not [name for name in Design.of(mechanism).variables if "right" in name]


def test_points_of_a_file_of_their_own_are_variables_too(tmp_path):
    text = (MECHANISMS / "four_bar.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    rows = "\n".join(f"{name},{','.join(map(str, p))}" for name, p in document.pop("points").items())
    (tmp_path / "points.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "x.toml").write_text(dumps({**document, "points": "points.csv"}), encoding="utf-8")
    change = {next(name for name in Design.of(loads(text)).variables if name.startswith("point.")): 1e-3}
    assert source_hash(moved(load(tmp_path / "x.toml"), change)) == source_hash(moved(loads(text), change))


def test_a_rod_follows_its_points_unless_its_length_is_given():
    text = (MECHANISMS / "rssr.toml").read_text(encoding="utf-8")
    rods = """
[joints.tie]
type = "rod"
parent = "ground"
child = "{body}"
at = [[0, 0, 0], "tip"]
{length}
"""
    body = load(MECHANISMS / "rssr.toml").bodies[-1].name
    text = text.replace("[points]", "[points]\ntip = [30, 0, 40]")
    free, given = (loads(text + rods.format(body=body, length=more)) for more in ("", "length = 50"))
    scale = free.units.measure()
    assert np.isclose(moved(free, {"point.tip.x": float(scale(3.0))}).rods[0].length, scale(np.hypot(33.0, 40.0)))
    assert moved(given, {"point.tip.x": 1e-3}).rods[0].length == given.rods[0].length
    both = moved(free, {"rod.tie.length": 1e-3, "point.tip.x": float(scale(3.0))})
    assert np.isclose(both.rods[0].length, scale(np.hypot(33.0, 40.0)) + 1e-3)


def test_values_and_units_are_those_of_the_file():
    variables = Design.of(load(MECHANISMS / "double_wishbone_rigid.toml")).variables
    assert variables["point.outer.z"].shown == "30.127 in"
    assert variables["spring.shock.stiffness"].shown == "3000 N/in"
    assert variables["damper.steering.damping"].shown == "120 N in s/deg"
    assert variables["body.hub.mass"].shown == "42 kg"
    assert variables["wheel.left.radius"].unit == "in"
    assert variables["joint.shock.rx"].change(np.radians(1.0)) == "+1 deg"


def test_a_mechanism_that_was_changed_after_it_was_read_has_the_numbers_that_it_has_now():
    from dataclasses import replace

    mechanism = load(MECHANISMS / "four_bar.toml")
    heavy = replace(mechanism, bodies=(replace(mechanism.bodies[0], mass=7.0), *mechanism.bodies[1:]))
    variable = f"body.{mechanism.bodies[0].name}.mass"
    assert moved(heavy, {variable: 1.0}).bodies[0].mass == 8.0
    assert "point.A.x" not in Design.of(heavy).variables


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("point.outr.z", "point.outer.z"),
        ("joint.lower_ball.parents.x", "joint.lower_ball.parent.x"),
        ("body.hub.masss", "body.hub.mass"),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest(name, nearest):
    with pytest.raises(MechanismError, match=rf"no design variable '{name}'; did you mean '{nearest}'\?"):
        moved(load(MECHANISMS / "double_wishbone_rigid.toml"), {name: 1e-3})


def test_for_a_name_that_is_far_from_all_there_are_the_objects():
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    with pytest.raises(MechanismError, match=r"'nonsense'; known: body.hub, body.idler_arm, .*, point.inner"):
        moved(mechanism, {"nonsense": 1e-3})
    with pytest.raises(MechanismError, match=r"'rod.tie.length'; did you mean 'body.tie_rod'\?"):
        moved(mechanism, {"rod.tie.length": 1e-3})


def test_all_that_is_wrong_is_told_at_once():
    mechanism = load(MECHANISMS / "double_wishbone_rigid.toml")
    with pytest.raises(MechanismError, match=r"2 problems(.|\n)*point.no(.|\n)*point.nor"):
        moved(mechanism, {"point.no.x": 1.0, "point.nor.x": 1.0})
    with pytest.raises(MechanismError, match=r"'point.p3.x' is nan; it must be a finite number"):
        moved(mechanism, {"point.p3.x": float("nan")})
    with pytest.raises(MechanismError, match=r"body.hub.mass changed by -50 kg(.|\n)*mass"):
        moved(mechanism, {"body.hub.mass": -50.0})
