"""A file on another assembly: the same text but for its places, and the mechanism that it should be."""

import re
import tomllib

import numpy as np
import pytest
from helpers import MECHANISMS, ON_DISCS, ROOT
from helpers_rough import rough_four_bar

from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load, loads, rewrite
from precompute.mechanism_file.retouch import equal, retouched
from precompute.mechanism_file.schema.toml_text import value_spans
from precompute.mechanism_file.writing import to_document
from precompute.report.assemblies import assemblies

FROM_DESIGN = ("maxwell_mass", "rotor_servo")
"""Their elements act on a joint coordinate, which counts from the design: elsewhere their formulas are others."""

FILES = sorted(
    file
    for folder in (MECHANISMS, MECHANISMS / "short", ROOT / "tests" / "mechanisms")
    for file in folder.glob("*.toml")
    if file.stem not in (*FROM_DESIGN, *ON_DISCS, "two_rockers")
)
"""Those whose places are all in their text."""

FAST = [file for file in FILES if file.stem not in ("front_axle", "pushrod_axle", "scissor_lift", "double_wishbone")]


def comments(text):
    return re.findall(r"#.*", text)


def elsewhere(file):
    m = load(file)
    here = assemblies(m)
    steps = [0.1 if c.of.is_angle(m) else 0.02 * here.closure.length for c in here.inputs]
    return assemblies(m, {c.name: float(z + d) for c, z, d in zip(here.inputs, here.z, steps, strict=True)})


def assert_says(file, result, number):
    text = file.read_text(encoding="utf-8")
    new = result.redrawn(number)
    changed = retouched(text, new.mechanism, new.poses)
    assert changed is not None
    assert comments(changed) == comments(text)
    found = loads(changed)
    assert found.units == new.mechanism.units
    design = close_loops(found, spanning_tree(found))
    assert design.iterations == 0 and design.residual < 1e-12
    assert tomllib.loads(changed).keys() == tomllib.loads(text).keys()


@pytest.mark.parametrize("file", FAST[::3], ids=lambda file: file.stem)
def test_places_are_changed_in_the_text_of_the_file(file):
    assert_says(file, elsewhere(file), 0)


@pytest.mark.parametrize("name", FROM_DESIGN)
def test_elements_that_count_from_the_design_are_written_anew(name, tmp_path):
    result = elsewhere(MECHANISMS / f"{name}.toml")
    new = result.redrawn(0)
    assert not rewrite(MECHANISMS / f"{name}.toml", tmp_path / "new.toml", new.mechanism, new.poses)
    assert to_document(load(tmp_path / "new.toml")) == to_document(new.mechanism)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_file_keeps_its_text_elsewhere_and_on_another_branch(file):
    assert_says(file, elsewhere(file), 0)
    ways = assemblies(load(file), branches=True)
    assert_says(file, ways, min(1, len(ways.found) - 1))


@pytest.mark.parametrize("file", [file for file in FAST if load(file).coordinates is not None], ids=lambda f: f.stem)
def test_a_file_that_is_closed_stays_as_it_is(file):
    new = assemblies(load(file)).redrawn()
    text = file.read_text(encoding="utf-8")
    assert retouched(text, new.mechanism, new.poses) == text


def test_images_have_no_place_in_the_text():
    file = ROOT / "tests" / "mechanisms" / "two_rockers.toml"
    new = assemblies(load(file)).redrawn()
    assert retouched(file.read_text(encoding="utf-8"), new.mechanism, new.poses) is None


def test_a_rough_drawing_becomes_a_closed_one():
    text = rough_four_bar(coupler_at=116.5, rocker_at=187.6)
    new = assemblies(loads(text)).redrawn()
    fixed = retouched(text, new.mechanism, new.poses)
    points = tomllib.loads(fixed)["points"]
    assert points["Q"] == points["Q_rocker"] and points["A"] == [0, 0, 0]
    assert "# where the coupler has its end" in fixed and "P = [0.5000000000000001" in fixed  # as it was
    again = loads(fixed)
    assert close_loops(again, spanning_tree(again)).given_gap == 0.0


def test_a_point_that_two_bodies_want_in_two_places_stays_with_one():
    text = rough_four_bar(coupler_at=116.5, rocker_at=187.6)
    text = text.replace('[markers.P]\nbody = "crank"\nat = "P"', '[markers.P]\nbody = "ground"\nat = "Q"')
    new = assemblies(loads(text)).redrawn()
    document = tomllib.loads(retouched(text, new.mechanism, new.poses))
    assert document["points"]["Q"] == tomllib.loads(text)["points"]["Q"]  # where the ground has it
    assert document["markers"]["Q"]["at"] == document["joints"]["coupler_pin"]["at"][0]
    np.testing.assert_allclose(document["markers"]["Q"]["at"], [2.736794544674, 1.982605076228, 0.0], atol=1e-12)


def test_keys_are_added_where_a_frame_needs_them():
    """A marker with an x axis alone has z as close to the global z as it can; turned about x it needs another."""
    text = rough_four_bar(coupler_at=116.5, rocker_at=187.6).replace(
        'body = "coupler"\nat = "Q"', 'body = "coupler"\nat = "Q" # here\nx_axis = "z" # up'
    )
    new = assemblies(loads(text)).redrawn()
    fixed = retouched(text, new.mechanism, new.poses)
    entry = tomllib.loads(fixed)["markers"]["Q"]
    assert entry["x_axis"] == "z" and np.linalg.norm(entry["y_axis"]) == pytest.approx(1.0)
    assert 'x_axis = "z" # up\ny_axis = [' in fixed
    inline = text.replace('[markers.Q]\nbody = "coupler"\nat = "Q" # here\nx_axis = "z" # up', "").replace(
        "[markers.P]", '[markers]\nQ = { body = "coupler", at = "Q", x_axis = "z" }\n[markers.P]'
    )
    turned = assemblies(loads(inline)).redrawn()
    fixed = retouched(inline, turned.mechanism, turned.poses)
    assert tomllib.loads(fixed)["markers"]["Q"]["y_axis"] == entry["y_axis"]


ARMS = """
schema = 1
name = "Arms"
units = { length = "mm", angle = "deg" }

[bodies]
left = { mass = 20, com = [0, 600, 300] } # ours
right = { mass = 20, com = [0, -600, 300] }

[joints]
left = { type = "revolute", parent = "ground", child = "left", at = [0, 300, 300], axis = "x" }
right = { type = "revolute", parent = "ground", child = "right", at = [0, -300, 300], axis = "x" }

[springs]
tilted = { between = ["left", "ground"], axis = [1, 0, 0.5], stiffness = 2, free_length = 5 }

[anti_roll_bars]
bar = { between = ["left", "right"], axis = "x", stiffness = 3 } # the bar

[stops]
heave = { wheels = ["l", "r"], above = 60, stiffness = 4 }

[stops.sum]
on = { measures = ["joint.left", { between = ["left", "right"], axis = [0, 0.1, 1] }], factors = [1, 2] }
below = -9
stiffness = 4

[measures]
angle = { of = { between = ["left", "right"], axis = "x" } }

[wheels]
l = { body = "left", centre = [0, 700, 300], camber = 1, contact = [0, 700, 0] }
r = { body = "right", centre = [0, -700, 300], spin_axis = "y", radius = 300 }

[axles]
front = { left = "l", right = "r", steering = { between = ["left", "ground"], axis = "z" } }

[coordinates.free]
l = { of = "wheel.l.travel", from = -150, to = 150 }
r = { of = "joint.right", from = -20, to = 20 }
"""


def test_wheels_bars_and_stops_are_counted_from_the_new_design():
    m = loads(ARMS)
    new = assemblies(m, {"l": 0.1, "r": 0.05}).redrawn()
    fixed = retouched(ARMS, new.mechanism, new.poses)
    assert fixed is not None and comments(fixed) == comments(ARMS)
    found, lean = tomllib.loads(fixed), np.degrees(np.arcsin(0.25))
    assert found["wheels"]["l"]["centre"][2] == pytest.approx(400.0)
    assert found["wheels"]["l"]["camber"] == pytest.approx(1.0 - lean)  # the arm swings up, the top of its wheel inward
    assert found["stops"]["heave"]["above"] == pytest.approx(60.0 - 0.5 * (100.0 - 400.0 * np.sin(0.05)))
    assert (found["coordinates"]["free"]["l"]["from"], found["coordinates"]["free"]["l"]["to"]) == (-250, 50)
    again = loads(fixed)
    assert [w.radius for w in again.wheels] == pytest.approx([w.radius for w in m.wheels])
    swung = assemblies(m, {"l": 0.1, "r": 0.05})
    P = swung.closure.poses(swung.found[0].q)
    for before, after in zip(m.springs, again.springs, strict=True):  # the same force there as before
        if before.role == "anti_roll_bar":
            force = -before.stiffness * float(before.on.value(P))
            assert after.preload == pytest.approx(force, rel=1e-9)


def test_a_mirrored_file_or_points_of_another_are_written_anew(tmp_path):
    text = ARMS.partition("right = {")[0] + '[joints.left]\ntype = "revolute"\nparent = "ground"\nchild = "left"\n'
    text += 'at = [0, 300, 300]\naxis = "x"\n[mirror]\nfrom = "left"\nto = "right"\n'
    source, target = tmp_path / "left.toml", tmp_path / "moved.toml"
    source.write_text(text)
    new = assemblies(load(source), {"left": 0.1, "right": 0.0}).redrawn()
    assert rewrite(source, target, new.mechanism, new.poses) is False
    assert equal(to_document(load(target)), to_document(new.mechanism))


def test_line_ends_of_other_systems_are_kept():
    text = rough_four_bar(coupler_at=116.5, rocker_at=187.6).replace("\n", "\r\n")
    new = assemblies(loads(text)).redrawn()
    fixed = retouched(text, new.mechanism, new.poses)
    assert fixed.count("\r\n") == fixed.count("\n") == text.count("\n")


def test_what_cannot_be_changed_in_its_place_is_written_anew(tmp_path, monkeypatch):
    source, target = tmp_path / "rough.toml", tmp_path / "fixed.toml"
    source.write_text(rough_four_bar(coupler_at=116.5, rocker_at=187.6))
    new = assemblies(load(source)).redrawn()
    monkeypatch.setattr("precompute.mechanism_file.retouch.apply", lambda *_: None)
    assert rewrite(source, target, new.mechanism, new.poses) is False
    assert equal(to_document(load(target)), to_document(new.mechanism))


def test_a_text_that_says_something_else_is_not_taken():
    text = rough_four_bar(coupler_at=116.5, rocker_at=187.6)
    new = assemblies(loads(text)).redrawn()
    other = text.replace("mass = 2\n", "mass = 3\n")  # whose mechanism `new` is not
    assert retouched(other, new.mechanism, new.poses) is None


def test_spans_of_values():
    text = 'a = [1, "x", { b = 2.5 }] # c\n[t.u]\nd = """two\nlines"""\ne.f = true\n'
    shown = {path: text[slice(*span)] for path, span in value_spans(text).items()}
    assert shown == {
        ("a",): '[1, "x", { b = 2.5 }]',
        ("a", 0): "1",
        ("a", 1): '"x"',
        ("a", 2): "{ b = 2.5 }",
        ("a", 2, "b"): "2.5",
        ("t", "u", "d"): '"""two\nlines"""',
        ("t", "u", "e", "f"): "true",
    }
