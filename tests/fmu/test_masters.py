"""The scripts for masters in `integration`: in every one the same FMU, and the same system, end at the same place."""

import importlib.util
import subprocess
import sys
import zipfile

import fmpy
import numpy as np
import pytest
from coupling.fmpy_master import run
from helpers import ROOT
from helpers_model import crank_slider, double_pendulum
from quarter_car import quarter_car
from ssp_run import parts

from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from precompute.cli import main
from precompute.exporting.ssp import OMSIMULATOR

pytestmark = pytest.mark.fmu

INTEGRATION = ROOT / "integration"
SCRIPTS = ("fmpy_simulate", "fmpy_low_level", "libcosim_run", "ecos_run", "c_host_run")
RUNS = [(name, kind) for name in SCRIPTS for kind in ("native", "python")]

NEEDED = {"libcosim_run": "libcosimpy", "ecos_run": "ecospy"}
MISSING = {
    "libcosimpy": "libcosimpy has no wheels for this Python",
    "ecospy": "ecospy and tbb are installed on Linux x86-64 only",
}
END, SYSTEM = 1e-9, 1e-6  # how well FMUs and systems must agree
VARIABLES = ("mass.z", "tyre.N", "suspension.q.wheel")


def need(package):
    if package and importlib.util.find_spec(package) is None:
        pytest.skip(MISSING[package])


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    """(kind, model) -> path."""
    folder = tmp_path_factory.mktemp("masters")
    found = {}
    for name, model in (("crank", crank_slider()), ("pendulum", double_pendulum(nodes=15))):
        found["native", name] = build_native_fmu(model, folder / f"{name}_native.fmu")
        found["python", name] = build_fmu(model, folder / f"{name}_python.fmu")
    return found


def script(name, *words):
    """What it prints, as a dictionary."""
    command = [sys.executable, str(INTEGRATION / f"{name}.py"), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    pairs = (line.split(" = ") for line in done.stdout.splitlines() if " = " in line)
    return {variable: float(value) for variable, value in pairs}


@pytest.fixture(scope="module")
def ends(fmus):
    """model -> what the first script prints."""
    return {model: script(SCRIPTS[0], fmus["native", model]) for model in ("crank", "pendulum")}


@pytest.mark.parametrize(("name", "kind"), RUNS)
def test_every_master_ends_where_the_first_does(name, kind, fmus, ends):
    need(NEEDED.get(name))
    for model, expected in ends.items():
        found = script(name, fmus[kind, model])
        assert found.keys() == expected.keys() and len(found) == (2 if model == "crank" else 4)
        for variable, value in expected.items():
            assert found[variable] == pytest.approx(value, rel=END)


AT_REST = {
    "crank": ("Q.theta=30", "qd_start.theta=0", "solver.static=1"),
    "pendulum": ("port.tip.F[1]=12", "solver.static=1"),
}
GRAVITY = 9.81
STILL = ("fmpy_simulate", "fmpy_low_level", "libcosim_run", "c_host_run")


@pytest.fixture(scope="module")
def rest(fmus):
    """model -> what the NumPy run-time says of a start at rest under the same load."""
    found = {}
    for name, model in (("crank", crank_slider()), ("pendulum", double_pendulum(nodes=15))):
        instance = Instance(prepare(model))
        references = {variable.name: i for i, variable in enumerate(instance.variables)}
        for setting, _, value in (word.partition("=") for word in AT_REST[name]):
            instance.set([references[setting]], [float(value)])
        instance.enter_initialization()
        instance.exit_initialization()
        found[name] = {q: instance.get([i])[0] for q, i in references.items() if q.startswith("q.")}
    return found


@pytest.mark.parametrize("kind", ["native", "python"])
@pytest.mark.parametrize("name", STILL)
def test_a_load_before_initialization_starts_at_rest_in_every_master(name, kind, fmus, rest):
    """After half a second it is still there; a part of 1e-9 of gravity would have moved it by as much."""
    need(NEEDED.get(name))
    for model, words in AT_REST.items():
        found = script(name, fmus[kind, model], *words)
        for variable, value in rest[model].items():
            assert abs(value) > 0.1 and found[variable] == pytest.approx(value, abs=1e-11)  # as printed
            assert abs(found[variable.replace("q.", "qdd.")]) < 1e-9 * GRAVITY


@pytest.fixture(scope="module")
def ssp(tmp_path_factory):
    """What the command makes of the file that is shipped, with the start values that its script adds."""
    folder = tmp_path_factory.mktemp("ssp")
    written = parts(INTEGRATION / "quarter_car.toml", quarter_car(), folder / "parts")
    assert main(["export", str(written), "-o", str(folder / "QuarterCar.ssp")]) == 0
    return folder / "QuarterCar.ssp"


@pytest.mark.parametrize("master", ["libcosim", "ecos"])
def test_the_quarter_car_as_an_ssp_file(master, ssp):
    need(NEEDED[f"{master}_run"])
    found = script("ssp_run", master, ssp, *VARIABLES)
    expected = run(quarter_car(), 0.5, 1e-3, VARIABLES)
    for name in VARIABLES:
        assert abs(found[name] - expected[name][-1]) < SYSTEM * np.ptp(expected[name])


def test_the_ssp_file_follows_its_schema_and_tells_omsimulator_how_to_step(ssp):
    etree = pytest.importorskip("lxml.etree")
    with zipfile.ZipFile(ssp) as archive:
        root = etree.fromstring(archive.read("SystemStructure.ssd"))
    etree.XMLSchema(file=f"{fmpy.__path__[0]}/ssp/schema/SystemStructureDescription.xsd").assertValid(root)
    (master,) = root.iter(f"{{{OMSIMULATOR}}}FixedStepMaster")
    assert master.prefix == "oms" and master.attrib["stepSize"] == "0.001"


def test_the_script_writes_its_parts(ssp, tmp_path):
    """In a process of its own: the same file comes of them."""
    script("ssp_run", "quarter_car", tmp_path / "new")
    again = tmp_path / "again.ssp"
    assert main(["export", str(tmp_path / "new" / "quarter_car.toml"), "-o", str(again)]) == 0
    assert again.read_bytes() == ssp.read_bytes()


def test_fmpys_own_ssp_runner_settles_at_the_same_load(ssp):
    """It starts with every input at zero, so only what does not depend on the start can be compared."""
    from fmpy.ssp.simulation import simulate_ssp
    from fmpy.ssp.ssd import Parameter, ParameterSet, read_ssd

    read = {  # it reads parameter sets and leaves it to its caller to apply them
        f"{component.name}.{p.name}": p.value
        for component in read_ssd(str(ssp)).system.elements
        for binding in component.parameterBindings
        for values in binding.parameterValues
        for p in values.parameters
    }
    assert {name: float(value) for name, value in read.items()} == quarter_car().starts
    starts = ParameterSet(name="start")
    starts.parameters = [Parameter(name=name, type="Real", value=value) for name, value in read.items()]
    found = simulate_ssp(str(ssp), stop_time=2.0, step_size=1e-3, parameter_set=starts)
    assert found["tyre.F[3]"][-1] == pytest.approx(float(read["tyre.load"]), rel=0.01)
