"""What is written for other tools: MuJoCo's format against MuJoCo, parameter sets against the schema of SSP."""

import csv
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT

from precompute.cli import main
from precompute.exporting import mjcf
from precompute.mechanism_file import load


@pytest.mark.parametrize("name", ["four_bar", "rssr", "double_wishbone_rigid", "crank_slider", "spatial_slider_crank"])
def test_every_body_joint_and_loop_is_there(name):
    mechanism = load(MECHANISMS / f"{name}.toml")
    root = ElementTree.fromstring(mjcf(mechanism).text)
    bodies = {body.get("name") for body in root.iter("body")}
    assert {body.name for body in mechanism.bodies} <= bodies
    joints = [joint.get("name") for joint in root.iter("joint")]
    closures = [each.get("name") for each in root.find("equality")]
    for joint in mechanism.joints:
        assert joint.name in closures or any(own.partition("[")[0] == joint.name for own in joints)
    assert {marker.name for marker in mechanism.markers} <= {site.get("name") for site in root.iter("site")}
    assert len(set(closures)) == len(closures) and len(set(joints)) == len(joints)


def test_what_cannot_be_said_is_told():
    found = mjcf(load(MECHANISMS / "double_wishbone.toml")).left_out
    assert "bushing 'lower_front': its directions are locked" in found
    assert "spring 'shock': its bump stop" in found and "damper 'shock': its table" in found
    assert "load of port 'contact': apply it at the site 'contact'" in found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["four_bar", "rssr", "double_wishbone_rigid"])
def test_mujoco_converges_to_our_motion(name):
    pytest.importorskip("mujoco")
    from mujoco_export import errors

    span, found = errors(name)
    assert found[-1] < 0.01 * span
    assert all(later < 0.6 * earlier for earlier, later in zip(found, found[1:], strict=False))


def test_mujoco_starts_assembled_with_the_rates_of_the_file():
    mujoco = pytest.importorskip("mujoco")
    mechanism = load(MECHANISMS / "rssr.toml")
    (c,) = mechanism.coordinates
    moved = replace(c, start=(c.start or 0.0) + 0.4, start_rate=2.0, driven=False)
    mechanism = replace(mechanism, coordinates=(moved,))
    model = mujoco.MjModel.from_xml_string(mjcf(mechanism).text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos).max() < 1e-9  # loops are closed,
    assert np.abs(data.efc_vel).max() < 1e-9 and np.abs(data.qvel).max() > 1.0  # and stay so


def test_the_command(tmp_path, capsys, fmu):
    source, out = str(MECHANISMS / "double_wishbone_rigid.toml"), tmp_path / "a.xml"
    assert main(["export", source, "-o", str(out), "--step", "0.1ms"]) == 0
    assert "left out: spring 'shock': its bump stop" in capsys.readouterr().err
    assert 'timestep="0.0001"' in out.read_text()
    for words, said in (
        (["export", source, "-o", str(tmp_path / "a.ssv")], "a parameter set is of an FMU"),
        (["export", str(fmu("four_bar")), "-o", str(out)], "MJCF is of a mechanism file"),
        (["export", source, "-o", str(tmp_path / "a.txt")], "must end in .csv or .ssp or .ssv or .xml"),
    ):
        assert main(words) == 1 and said in capsys.readouterr().err


@pytest.mark.fmu
def test_a_parameter_set_is_valid(tmp_path, fmu):
    etree = pytest.importorskip("lxml.etree")
    import fmpy.ssp

    out = tmp_path / "a.ssv"
    assert main(["export", str(fmu("double_wishbone_rigid")), "-o", str(out)]) == 0
    schema = Path(fmpy.ssp.__file__).parent / "schema" / "SystemStructureParameterValues.xsd"
    etree.XMLSchema(etree.parse(str(schema))).assertValid(etree.parse(str(out)))
    found = {own.get("name"): own[0] for own in ElementTree.parse(out).getroot()[0]}
    assert found["spring.shock.k"].get("unit") == "N/m" and float(found["spring.shock.k"].get("value")) > 1e5


def test_curves_are_those_of_the_rig_with_the_columns_of_the_page(tmp_path, capsys):
    source, out, other = MECHANISMS / "macpherson_rigid.toml", tmp_path / "kc.csv", tmp_path / "rig.csv"
    assert main(["export", str(source), "-o", str(out)]) == 0
    assert main(["kc", str(source), "--csv", str(other)]) == 0
    assert out.read_bytes() == other.read_bytes()
    rows = list(csv.reader(out.read_text(encoding="utf-8").splitlines()))
    page = (ROOT / "docs" / "export.md").read_text(encoding="utf-8").partition("## MuJoCo")[0]
    named = re.findall(
        r"`([a-z_]+(?:\.left)?)(?: \[([^\]]+)\])?`", page.partition("The ones that are asked for first")[2]
    )
    assert len(named) > 12
    columns = [column.partition(" [")[0] for column in rows[0]]
    for name, unit in named:
        assert name in columns and (not unit or f"{name} [{unit}]" in rows[0]), (name, unit)
    assert rows[0][:3] == ["case", "input", "input_unit"]
    for name in re.findall(r"`([a-z_]+)`", page.partition("| `case` |")[2].partition("\n")[0]):
        assert any(row[0] == name for row in rows), name
    assert any(row[0].startswith("# ") for row in rows)


def test_without_wheels_there_are_no_curves(tmp_path, capsys):
    out = tmp_path / "kc.csv"
    assert main(["export", str(MECHANISMS / "four_bar.toml"), "-o", str(out)]) == 1 and not out.exists()
    assert "wheel" in capsys.readouterr().err
