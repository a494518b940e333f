"""The mechanism file: what it means, how it is read from disk and saved, and the documents it is made of."""

import dataclasses
import json
import math
import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import ROOT

from precompute import mechanism_file
from precompute.errors import MechanismError, PrecomputeError
from precompute.mechanism_file import from_document, load, loads, save, source_hash, to_document
from precompute.model.mechanism import (
    Distance,
    Experiment,
    Joint,
    JointCoordinate,
    MarkerCoordinate,
    Mechanism,
    Port,
    Primitive,
    TableSettings,
)

TEXT = (ROOT / "tests" / "demo.toml").read_text(encoding="utf-8")


def edited(*changes: tuple[str, str]) -> str:
    """TEXT with the first occurrence of each `old` replaced; it must be there."""
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


# -- meaning ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo() -> Mechanism:
    return loads(TEXT)


def test_bodies_are_in_si(demo: Mechanism) -> None:
    crank, slider = demo.bodies
    assert (crank.name, crank.mass) == ("crank", 1.2)
    assert np.array_equal(crank.inertia, [[8e-4, 1e-5, 2e-5], [1e-5, 9e-4, 3e-5], [2e-5, 3e-5, 1.5e-3]])
    assert np.array_equal(slider.com, [0.4, 0.01, 0.0])
    assert not slider.inertia.any()
    assert np.array_equal(demo.gravity, [0.0, 0.0, -9.80665])


def test_joints_and_rods(demo: Mechanism) -> None:
    pivot, guide = demo.joints
    assert (pivot.kind, pivot.parent, pivot.child) == ("revolute", "ground", "crank")
    assert np.array_equal(guide.p_P, [0.0, 0.0, 0.0])  # the first point of its axis
    assert [p.kind for p in guide.primitives] == ["translation", "rotation"]
    assert np.array_equal(guide.primitives[0].axis, [1.0, 0.0, 0.0])
    (rod,) = demo.rods
    assert rod.length == pytest.approx(0.3, rel=1e-15)


def test_springs_and_dampers(demo: Mechanism) -> None:
    shock, torsion = demo.springs
    assert isinstance(shock.on, Distance)
    assert (shock.stiffness, shock.free_length) == (20e3, 0.3)
    assert shock.bump_stop is not None and (shock.bump_stop.at, shock.bump_stop.stiffness) == (0.25, 500e3)
    assert shock.rebound_stop is not None and shock.rebound_stop.table is not None
    assert np.array_equal(shock.rebound_stop.table.x, [0.0, 0.01])
    assert torsion.on == JointCoordinate("pivot", 0)
    assert torsion.preload == 0.5  # 500 N mm
    assert torsion.table is not None
    assert np.allclose(torsion.table.x, [-math.pi / 2, math.pi / 2], rtol=1e-15)
    assert np.array_equal(torsion.table.force, [-1.0, 1.0])
    (slide,) = demo.dampers
    assert slide.on == JointCoordinate("guide", 1)
    assert slide.damping == pytest.approx(5e-3 / math.radians(1.0), rel=1e-15)  # N mm s/deg


def test_marker_port_coordinate_settings(demo: Mechanism) -> None:
    (wheel,) = demo.markers
    assert np.array_equal(wheel.R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])  # x to the left, z stays up
    assert np.array_equal(wheel.spin_axis, [0.0, -1.0, 0.0])
    assert demo.ports == (Port("load", "wheel"),)
    assert demo.coordinates is not None
    (crank,) = demo.coordinates
    assert (crank.lower, crank.upper, crank.periodic, crank.start) == (0.0, 2 * math.pi, True, None)
    assert crank.start_rate == pytest.approx(math.pi / 2, rel=1e-15)
    assert demo.tables == TableSettings(max_nodes=99)
    assert demo.experiment == Experiment(stop_time=5.0)


@pytest.mark.parametrize(
    "form", ["", 'coordinates = "auto"', 'coordinates.free = "auto"', "coordinates = {}", 'coordinates = {free="auto"}']
)
def test_automatic_coordinates(form: str) -> None:
    text = re.sub(r"\[coordinates.*?\n\n", "", TEXT, flags=re.DOTALL)
    assert loads(text.replace("gravity", f"{form}\ngravity", 1)).coordinates is None


@pytest.mark.parametrize(
    ("keys", "kinds"),
    [
        ('type = "revolute"\nat = "A"\naxis = [0, 2, 0]', "r"),
        ('type = "prismatic"\naxis = "-x"', "t"),
        ('type = "universal"\nat = "A"\naxis = "x"\naxis2 = "y"', "rr"),
        ('type = "spherical"\nat = ["A", [1, 2, 3]]', "b"),
        ('type = "planar"\nat = "A"\naxis = ["A", "B", "D"]', "ttr"),
        ('type = "fixed"', ""),
        ('type = "free"', "tttb"),
        (
            'type = "sequence"\nat = "B"\nprimitives = [{translation = "z"}, {ball = true}, {rotation = [0, 1, 1]}]',
            "tbr",
        ),
    ],
)
def test_joint_types(keys: str, kinds: str) -> None:
    text = edited(('at = "A"\naxis = "z"\n', ""), ('type = "revolute"', keys)).partition("[springs.torsion]")[0]
    mechanism = loads(text)
    assert "".join(p.kind[0] for p in mechanism.joint("pivot").primitives) == kinds


def test_pair_of_points_and_explicit_rod_length() -> None:
    pivot = loads(edited(('at = "A"\n', 'at = ["A", [1, 0, 0]]\n'))).joint("pivot")
    assert np.array_equal(pivot.p_C - pivot.p_P, [0.001, 0.0, 0.0])
    assert loads(edited(('at = ["B", "C"]', 'at = ["B", "C"]\nlength = 310'))).rods[0].length == 0.31


def test_inertia_axes() -> None:
    """Given about axes that are turned by 90 degrees about z, xx and yy change places; the second axis is corrected."""
    turned = edited((", 10, 20, 30]", ']\ninertia_axes = ["y", [-5, 3, 0]]'))
    assert np.allclose(loads(turned).bodies[0].inertia, np.diag([9e-4, 8e-4, 1.5e-3]), atol=1e-18)


@pytest.mark.parametrize(
    ("axes", "R"),
    [
        ('x_axis = "x"', np.eye(3)),
        ('x_axis = "z"', [[0, 0, -1], [0, 1, 0], [1, 0, 0]]),  # x is vertical: y stays
        ('x_axis = "y"\ny_axis = [-2, 7, 0]', [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ('x_axis = "y"\nz_axis = "x"', [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
        ('x_axis = "y"\ny_axis = "z"\nz_axis = "x"', [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
    ],
)
def test_marker_frames(axes: str, R: Any) -> None:
    assert np.array_equal(loads(edited(('x_axis = ["A", "D"]', axes))).markers[0].R, R)


@pytest.mark.parametrize(
    ("of", "measure", "upper"),
    [
        ("joint.guide", JointCoordinate("guide", 0), 0.09),
        ("joint.guide[2]", JointCoordinate("guide", 1), math.pi / 2),
        ("marker.wheel.z", MarkerCoordinate("wheel", "z"), 0.09),
        ("spring.torsion.length", JointCoordinate("pivot", 0), math.pi / 2),
        ("damper.slide.length", JointCoordinate("guide", 1), math.pi / 2),
    ],
)
def test_coordinate_measures_and_their_units(of: str, measure: Any, upper: float) -> None:
    text = edited(('of = "joint.pivot"', f'of = "{of}"'), ("to = 360", "to = 90"), ("periodic = true\n", ""))
    coordinates = loads(text).coordinates
    assert coordinates is not None and coordinates[0].of == measure
    assert coordinates[0].upper == pytest.approx(upper, rel=1e-15)


@pytest.mark.parametrize("section", ["coordinates", "measures"])
def test_a_marker_counted_from_design(section: str) -> None:
    text = edited(
        ('of = "joint.pivot"', 'of = "marker.wheel.z"\nrelative = true'),
        ("to = 360", "to = 90"),
        ("periodic = true\n", ""),
    )
    if section == "measures":
        text = edited() + '\n[measures.travel]\nof = "marker.wheel.z"\nrelative = true\n'
    found = loads(text)
    (item,) = getattr(found, section)
    assert item.of == MarkerCoordinate("wheel", "z", relative=True) and item.of.relative
    entries = to_document(found)[section]
    (entry,) = (entries["free"] if section == "coordinates" else entries).values()
    assert (entry["of"], entry["relative"]) == ("marker.wheel.z", True)
    assert to_document(from_document(to_document(found))) == to_document(found)


def test_only_markers_are_counted_from_design() -> None:
    text = edited(('of = "joint.pivot"', 'of = "joint.pivot"\nrelative = true'))
    with pytest.raises(MechanismError, match=r"relative: is true; the joint pivot is no coordinate of a marker"):
        loads(text)


def test_forces_on_a_marker_counted_from_design_have_no_words() -> None:
    m = loads(TEXT)
    spring = dataclasses.replace(m.springs[0], on=MarkerCoordinate("wheel", "z", relative=True))
    with pytest.raises(PrecomputeError, match="z of marker wheel since design cannot be written"):
        to_document(dataclasses.replace(m, springs=(spring, *m.springs[1:])))


def test_coordinate_on_a_distance() -> None:
    rest = [("to = 360", "to = 90"), ("periodic = true\n", "")]
    by_spring = loads(edited(('of = "joint.pivot"', 'of = "spring.shock.length"'), *rest))
    by_points = loads(
        edited(('of = "joint.pivot"', 'of = { between = ["ground", "slider"], at = [[0, 100, 0], "C"] }'), *rest)
    )
    assert by_spring.coordinates and by_spring.coordinates[0].of is by_spring.springs[0].on
    assert to_document(by_spring) == to_document(by_points)


def test_millimetres_and_metres_are_the_same_mechanism() -> None:
    numbers = {"100, 0, 0]": "0.1, 0, 0]", "400, 0, 0]": "0.4, 0, 0]", "0, 50, 0]": "0, 0.05, 0]"}
    metres = '[springs.s]\nbetween = ["ground", "slider"]\nat = ["D", "C"]\nstiffness = 2e4\nfree_length = 0.35\n'
    head = TEXT.split("[springs.shock]")[0].replace("inertia = [800, 900, 1500, 10, 20, 30]\n", "")
    head = head.replace("[400, 10, 0]", '"C"')
    text_mm = head + metres.replace("2e4", "20").replace("0.35", "350")
    for old, new in numbers.items():
        head = head.replace(old, new)
    text_m = head.replace('length = "mm"', 'length = "m"') + metres
    assert source_hash(loads(text_mm)) == source_hash(loads(text_m))


# -- files ------------------------------------------------------------------------------------------------------------


def load_problem(path: Path) -> str:
    with pytest.raises(MechanismError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path} has 1 problem")
    return caught.value.problems[0]


def test_load_says_why_it_cannot(tmp_path: Path) -> None:
    (tmp_path / "demo.toml").write_text(TEXT)
    assert load_problem(tmp_path / "dem.toml") == "there is no such file; did you mean 'demo.toml'?"
    assert load_problem(tmp_path / "no" / "demo.toml") == f"there is no directory '{tmp_path / 'no'}'"
    assert load_problem(tmp_path) == "is a directory; name the .toml file in it"
    (tmp_path / "latin.toml").write_bytes("schema = 1\nname = 'Käfer'".encode("latin-1"))
    assert load_problem(tmp_path / "latin.toml") == ("line 2: is not UTF-8 text (byte 0xe4); save the file as UTF-8")
    with pytest.raises(MechanismError, match="cannot be read: embedded null byte"):
        load("a\0b")


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path, demo: Mechanism) -> None:
    path = tmp_path / "demo.toml"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert to_document(load(path)) == to_document(demo)
    path.write_bytes(edited(("mass = 2", "mass = -2")).replace("\n", "\r\n").encode())
    assert load_problem(path).startswith("line 19, bodies.slider.mass")


def test_save_and_load(tmp_path: Path, demo: Mechanism) -> None:
    save(demo, tmp_path / "copy.toml")
    assert to_document(load(tmp_path / "copy.toml")) == to_document(demo)
    assert [path.name for path in tmp_path.iterdir()] == ["copy.toml"]


def test_save_a_document(tmp_path: Path, demo: Mechanism) -> None:
    save(tomllib.loads(TEXT), tmp_path / "copy.toml")
    assert to_document(load(tmp_path / "copy.toml")) == to_document(demo)
    with pytest.raises(MechanismError, match="the mechanism to be saved as"):
        save({"schema": 1}, tmp_path / "copy.toml")
    assert to_document(load(tmp_path / "copy.toml")) == to_document(demo)


def test_failed_save_leaves_the_old_file(tmp_path: Path, demo: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "demo.toml"
    path.write_text("old")

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(PrecomputeError, match=r"cannot write '.*demo\.toml': no space left on device"):
        save(demo, path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["demo.toml"]


def test_save_where_there_is_no_directory(tmp_path: Path, demo: Mechanism) -> None:
    with pytest.raises(PrecomputeError, match="cannot write"):
        save(demo, tmp_path / "no" / "demo.toml")


@pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")
def test_save_keeps_mode_and_link(tmp_path: Path, demo: Mechanism) -> None:
    path, link = tmp_path / "demo.toml", tmp_path / "link.toml"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    save(demo, link)
    assert link.is_symlink() and to_document(load(path)) == to_document(demo)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_mechanism_with_names_that_no_file_has_is_not_saved(tmp_path: Path, demo: Mechanism) -> None:
    with pytest.raises(MechanismError, match="'two words' is not a name"):
        save(dataclasses.replace(demo, name="two words"), tmp_path / "demo.toml")
    assert not list(tmp_path.iterdir())


# -- documents --------------------------------------------------------------------------------------------------------


def test_document_is_json(demo: Mechanism) -> None:
    document = to_document(demo)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert to_document(from_document(document)) == document


def test_source_hash(demo: Mechanism) -> None:
    assert re.fullmatch("[0-9a-f]{64}", source_hash(demo))
    assert source_hash(from_document(json.loads(json.dumps(to_document(demo), sort_keys=True)))) == source_hash(demo)
    assert source_hash(loads(edited(("mass = 2", "mass = 2.0000000001")))) != source_hash(demo)
    flipped = dataclasses.replace(demo, gravity=np.array([-0.0, 0.0, -9.80665]))
    assert source_hash(flipped) == source_hash(demo)


def test_joint_with_axes_of_its_own_is_written_as_a_sequence(demo: Mechanism) -> None:
    slides = (Primitive("translation", [1, 1, 0]), Primitive("translation", [-1, 1, 0]))
    odd = Joint(
        "pivot", "planar", "ground", "crank", np.zeros(3), np.zeros(3), (*slides, Primitive("rotation", [0, 0, 1]))
    )
    mechanism = dataclasses.replace(demo, joints=(odd, demo.joints[1]), springs=(), coordinates=None)
    document = to_document(mechanism)
    assert document["joints"]["pivot"]["type"] == "sequence"
    assert to_document(from_document(document)) == document


def test_public_names() -> None:
    assert all(callable(getattr(mechanism_file, name)) for name in mechanism_file.__all__)


def test_the_spatial_slider_crank_has_the_dimensions_of_the_benchmark_that_it_names():
    """Lengths, offsets and masses as in Haug, section 12.2, and the IFToMM library; [m], [kg], [kg m2]."""
    path = ROOT / "integration" / "mechanisms" / "spatial_slider_crank.toml"
    text = path.read_text(encoding="utf-8")
    assert "Haug" in text and "IFToMM" in text and "imensions are our own" not in text
    mechanism = load(path)
    joints = {joint.name: joint.p_P for joint in mechanism.joints}
    pivot, pin, slider = joints["crank"], joints["crank_ball"], joints["slide"]
    np.testing.assert_allclose(pivot, [0.0, 0.1, 0.12], atol=1e-15)
    np.testing.assert_allclose(slider[1:], 0.0, atol=1e-15)
    assert np.linalg.norm(pin - pivot) == pytest.approx(0.08, rel=1e-12)
    assert np.linalg.norm(slider - joints["crank_ball"]) == pytest.approx(0.3, rel=1e-12)
    assert {body.name: body.mass for body in mechanism.bodies} == {"crank": 0.12, "rod": 0.5, "slider": 2.0}
    inertias = {body.name: np.sort(np.linalg.eigvalsh(body.inertia)) for body in mechanism.bodies}
    np.testing.assert_allclose(inertias["crank"], [1e-5, 1e-4, 1e-4], rtol=1e-12)
    np.testing.assert_allclose(inertias["slider"], 1e-4, rtol=1e-12)
