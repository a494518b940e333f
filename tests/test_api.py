"""`import kinetab`: the documented names, the commands as functions, and what an import leaves alone."""

import os
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT

import kinetab as kt
from kinetab.__main__ import main

CRANK = MECHANISMS / "crank_slider.toml"


def test_every_name_is_there_and_documented():
    for name in kt.__all__:
        assert getattr(kt, name).__doc__ or name == "__version__", name


def test_check_prints_what_the_command_prints(capsys):
    assert main(["check", str(CRANK)]) == 0
    assert str(kt.check(CRANK)).strip() == capsys.readouterr().out.strip()
    assert kt.check(kt.load(CRANK)).dof == 1


@pytest.mark.fmu
@pytest.mark.parametrize("native", [False, True])
def test_from_a_file_to_a_verified_run(tmp_path, baked, native):
    fmu = kt.build(baked("crank_slider"), tmp_path / "CrankSlider.fmu", native=native)
    run = kt.run(fmu, stop=0.01, values={"qd_start.crank": 1.0})
    assert run.outputs["q.crank"].shape == run.time.shape
    assert np.ptp(run.outputs["q.crank"]) > 0.0
    found = kt.verify(str(fmu), stop=0.5, free=True)
    assert found.passed and max(d.error for d in found.differences) < 1e-3
    assert not kt.verify(fmu, stop=0.5, free=True, limits=kt.Limits(mm=1e-12, relative=0.0)).passed


@pytest.mark.fmu
@pytest.mark.parametrize("native", [False, True])
def test_a_build_with_the_mechanism_has_its_page(tmp_path, baked, native):
    fmu = kt.build(baked("crank_slider"), tmp_path / "C.fmu", native=native, mechanism=CRANK)
    with zipfile.ZipFile(fmu) as archive:
        page = archive.read("documentation/index.html").decode()
        assert archive.read("model.png").startswith(b"\x89PNG")
    assert '<canvas id="scene"' in page and "crank_slider" not in page and "[bodies.crank]" in page
    assert (
        "<canvas"
        not in zipfile.ZipFile(kt.build(baked("crank_slider"), tmp_path / "D.fmu", native))
        .read("documentation/index.html")
        .decode()
    )


def test_an_import_changes_no_environment_variable_and_no_thread():
    script = (
        "import os, numpy, threadpoolctl\n"
        "before = dict(os.environ), threadpoolctl.threadpool_info()\n"
        "import kinetab, sys\n"
        "assert dict(os.environ) == before[0]\n"
        "known = {p['filepath']: p['num_threads'] for p in before[1]}\n"
        f"kinetab.check({str(CRANK)!r})\n"
        "for pool in threadpoolctl.threadpool_info():\n"
        "    assert known.get(pool['filepath'], pool['num_threads']) == pool['num_threads'], pool\n"
        "    assert pool['num_threads'] == 2, pool\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    env = {**kept, "OPENBLAS_NUM_THREADS": "2", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_python_m_kinetab():
    done = subprocess.run([sys.executable, "-m", "kinetab", "--version"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0 and done.stdout.strip() == f"kinetab {kt.__version__}"


def test_kinematics_and_compliance_in_five_lines():
    mechanism = kt.load(MECHANISMS / "macpherson.toml")
    kc = mechanism.kc(travel=(-40, 40), cases=["bump"], points=3)
    assert kc["toe"].unit == "deg" and kc.gradient("toe", "travel") == kc["toe"].gradient
    assert isinstance(kc, kt.Kc) and "toe.left" in repr(kc)
    assert kc.plot().axes
    assert isinstance(mechanism, kt.Mechanism) and mechanism.check().axles


def test_mechanisms_made_in_python_have_the_same_methods():
    described = kt.load(CRANK)
    made = kt.Mechanism("M", described.bodies, described.joints, described.rods, coordinates=described.coordinates)
    assert made.check().dof == 1
    with pytest.raises(kt.MechanismError, match="no wheel"):
        made.kc()


@pytest.mark.fmu
def test_a_model_and_an_fmu_simulate(tmp_path, baked):
    from kinetab.models import of

    reduced = of(baked("crank_slider"))
    assert isinstance(reduced, kt.ReducedModel)
    start = {"qd_start.crank": 1.0}
    one = reduced.simulate(stop=0.01, values=start)
    fmu = kt.Fmu(kt.build(reduced, tmp_path / "CrankSlider.fmu"))
    two = fmu.simulate(stop=0.01, values=start)
    np.testing.assert_array_equal(one.outputs["q.crank"], two.outputs["q.crank"])
    assert "q.crank" in fmu.outputs and fmu.name == "CrankSlider" and "CrankSlider" in repr(fmu)
    assert fmu.verify(stop=0.005).differences


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"port": [1.0]}, "a column named 'time'"),
        ({"time": [0.0, 1.0], "F": [1.0]}, "'F' has not one value for each of 2"),
    ],
)
def test_inputs_over_time_are_checked(inputs, message):
    from kinetab.models import structured

    with pytest.raises(kt.PrecomputeError, match=message):
        structured(inputs)


def test_the_public_names_are_those_of_the_page():
    """docs/api.md lists all names, each with what it is; a change of them is a change of the page."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = [name for row in re.findall(r"^\| (`.*?) \|", page, re.M) for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(kt.__all__) == kt.__all__


def test_design_variables():
    mechanism = kt.load(MECHANISMS / "four_bar.toml")
    point = next(name for name in mechanism.variables if name.startswith("point."))
    moved = mechanism.moved({point: 1e-3})
    assert isinstance(moved, kt.Mechanism) and isinstance(mechanism.variables[point], kt.Variable)
    assert abs(moved.variables[point].value - mechanism.variables[point].value - 1e-3) < 1e-15
