"""Stiff, quasi-static, moving and driven models as FMI sees them."""

import logging
from dataclasses import replace

import numpy as np
import pytest
from fmpy.validation import validate_fmu
from helpers_fmu import Host, choose_runtime, make_resources
from helpers_model import double_pendulum
from helpers_stiff import stiff_pendulum
from pythonfmu.enums import Fmi2Status

from fmu_src.build.model_writer import to_bytes
from fmu_src.build.python_fmu import build_fmu
from fmu_src.errors import StepError, TableFormatError
from fmu_src.interface.variables import SOLVER_STATIC, variables
from fmu_src.model.model_checks import check_model
from fmu_src.model.model_file import from_bytes
from fmu_src.model.reduced_model import Coupling
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from fmu_src.slave.slave import MechanismSlave

WAYS = {
    "stiff": {},
    "quasistatic": {"quasistatic": True},
    "moving": {"moving": True},
    "direct": {"driven": "direct"},
    "filtered": {"driven": "filtered", "moving": True},
    "all": {"driven": "direct", "moving": True, "quasistatic": True},
}
MODELS = {way: stiff_pendulum(nodes=25, **changes) for way, changes in WAYS.items()}


@pytest.fixture(params=WAYS)
def model(request):
    return MODELS[request.param]


def table_of(model):
    return {variable.name: variable for variable in variables(model)}


class Named:
    """An instance by variable names."""

    def __init__(self, model):
        self.instance = Instance(prepare(model))
        self.references = {variable.name: i for i, variable in enumerate(self.instance.variables)}

    def start(self):
        self.instance.setup(0.0)
        self.instance.enter_initialization()
        self.instance.exit_initialization()
        return self

    def put(self, **values):
        names = [name.replace("__", ".") for name in values]
        self.instance.set([self.references[name] for name in names], list(values.values()))

    def get(self, *names):
        return self.instance.get([self.references[name] for name in names])

    def everything(self):
        return self.instance.get(range(len(self.references)))


# --- variables --------------------------------------------------------------------------------------------------------


def test_names_of_a_stiff_model():
    names = set(table_of(MODELS["stiff"]))
    assert {"q_start.mount.x", "qd_start.mount.y", "q.mount.x", "qd.mount.y", "qdd.theta", "table.inRange"} <= names
    bushing = {f"bushing.mount.{s}[{i}]" for s in ("deflection", "rate", "force") for i in (1, 2)}
    assert {"bushing.mount.k[2]", "bushing.mount.c[1,2]"} <= names
    assert bushing <= names and "qdd.mount.x" not in names and "Q.mount.x" not in names
    assert "q_start.mount.x" not in table_of(MODELS["quasistatic"])


def test_names_of_a_moving_model():
    table = table_of(MODELS["moving"])
    for symbol in ("w", "v", "wd", "vd"):
        assert table[f"chassis.{symbol}[2]"].causality == "input"
    assert table["gravity[2]"].causality == "input" and table["gravity[2]"].start == -9.81
    assert table["chassis.F[1]"].unit == "N" and table["chassis.M[3]"].unit == "N.m"
    assert table_of(MODELS["stiff"])["gravity[2]"].causality == "parameter"


def test_names_of_driven_models():
    direct, filtered = table_of(MODELS["direct"]), table_of(MODELS["filtered"])
    assert {f"drive.theta.{s}" for s in ("q", "qd", "qdd", "force")} <= set(direct)
    assert "q_start.theta" not in direct and "Q.theta" not in direct
    assert direct["drive.theta.q"].start == 0.7 and direct["drive.theta.qd"].start == 0.5
    assert "q_start.theta" in filtered and "drive.theta.qd" not in filtered


def test_dependencies_name_known_variables(model):
    table = table_of(model)
    for variable in table.values():
        assert all(table[name].causality == "input" for name in variable.depends_on)
        known = variable.depends_initially_on
        assert all(table[name].causality != "output" for name in known or ())
        assert (known is None or bool(known)) == (variable.causality == "output"), variable.name


@pytest.mark.parametrize("phase", ["initially", "at rest", "running"])
def test_an_output_changes_only_with_what_it_depends_on(model, phase):
    """Every input, and at the start every parameter, is changed in turn."""
    running = Named(model)
    damped = [running.references[name] for name in ("bushing.mount.c[1]", "bushing.mount.c[2]")]
    running.instance.set(damped, [1.0] * len(damped))  # so that a coupling alone does not give energy away
    running.instance.set([SOLVER_STATIC], [float(phase == "at rest")])
    running = running.start() if phase == "running" else running
    outputs = [v for v in running.instance.variables if v.causality == "output"]
    before = dict(zip((v.name for v in outputs), running.get(*(v.name for v in outputs)), strict=True))
    missing, used = [], set()
    for known in running.instance.variables:
        if known.causality == "output" or (phase == "running" and known.causality != "input"):
            continue
        (old,) = running.get(known.name)
        new = old + 1e-3 * max(1.0, abs(old)) * (-1.0 if old == known.maximum else 1.0)
        running.instance.set([running.references[known.name]], [new])
        for v, value in zip(outputs, running.get(*(v.name for v in outputs)), strict=True):
            if abs(value - before[v.name]) > 1e-12 * max(1.0, abs(value)):
                named = v.depends_on if phase == "running" else v.depends_initially_on
                used.add((v.name, known.name))
                missing += [] if named is None or known.name in named else [(v.name, known.name)]
        running.instance.set([running.references[known.name]], [old])
    assert missing == [] and used


# --- a running instance -----------------------------------------------------------------------------------------------


def test_a_saved_state_repeats_a_step_exactly(model):
    running = Named(model).start()
    running.instance.set([running.references["port.bob.F[1]"]], [30.0])
    running.instance.step(0.0, 0.005)
    saved, at_save = running.instance.save(), running.everything()
    running.instance.step(0.005, 0.005)
    first = running.everything()
    running.instance.set([running.references["port.bob.F[1]"]], [-60.0])
    running.instance.step(0.01, 0.005)
    running.instance.restore(saved)
    assert running.everything() == at_save
    running.instance.step(0.005, 0.005)
    assert running.everything() == first
    other = Named(model)
    other.instance.restore(saved)
    other.instance.step(0.005, 0.005)
    assert other.everything() == first


def test_quasistatic_deflections_follow_a_load_at_once():
    running = Named(MODELS["quasistatic"]).start()
    rest = running.get("q.mount.x", "bushing.mount.deflection[1]")
    assert rest[0] == rest[1] != 0.0
    running.instance.set([running.references["port.bob.F[2]"]], [-500.0])
    assert running.get("q.mount.x")[0] > rest[0] + 1e-3
    assert running.get("bushing.mount.force[1]")[0] < -100.0


def test_a_drive_gives_the_start_and_takes_over_at_each_step():
    running = Named(MODELS["direct"])
    running.put(drive__theta__q=0.2, drive__theta__qd=-1.0)
    assert running.get("q.theta", "qd.theta") == [0.2, -1.0]
    running.start()
    running.put(drive__theta__q=0.3)
    assert running.get("q.theta") == [0.2]
    running.instance.step(0.0, 1e-3)
    assert running.get("q.theta")[0] == pytest.approx(0.299, abs=1e-12)


def test_gravity_as_an_input_acts():
    moving, fixed = Named(MODELS["moving"]).start(), Named(MODELS["stiff"]).start()
    assert moving.get("qdd.theta")[0] == pytest.approx(fixed.get("qdd.theta")[0], rel=1e-12)
    moving.instance.set([moving.references["gravity[2]"]], [0.0])
    fixed.instance.set([fixed.references["gravity[2]"]], [0.0])
    assert moving.get("qdd.theta", "energy.potential") == pytest.approx(fixed.get("qdd.theta", "energy.potential"))


# --- validity ---------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["numpy", "kernel"])
def slave(tmp_path, request, monkeypatch):
    choose_runtime(request.param, monkeypatch)
    make_resources(MODELS["stiff"], tmp_path, request.param)
    return MechanismSlave(instance_name="axle", resources=str(tmp_path))


def begin(slave):
    slave.setup_experiment(0.0, None, None)
    slave.enter_initialization_mode()
    slave.exit_initialization_mode()


def reference(slave, name):
    return [variable.name for variable in variables(MODELS["stiff"])].index(name)


def test_a_deflection_beyond_its_radius_is_said_once(slave, caplog):
    begin(slave)
    flag, load = reference(slave, "table.inRange"), reference(slave, "port.bob.F[2]")
    saved = slave._get_fmu_state()
    assert slave.get_real([flag]) == [1.0] and not slave.log_queue
    slave.set_real([load], [-2e4])
    with caplog.at_level(logging.WARNING, "kinetab"):
        for i in range(5):
            slave.do_step(i * 5e-3, 5e-3)
        assert slave.get_real([flag]) == [0.0]
        slave._set_fmu_state(saved)
        slave.set_real([load], [-2e4])
        slave.do_step(0.0, 5e-3)
    assert len(caplog.records) == len(slave.log_queue) == 1
    assert slave.log_queue[0].status == Fmi2Status.warning
    assert "'mount." in caplog.text and "is beyond 0.01 m" in caplog.text and "axle: at t = " in caplog.text


def test_an_axis_beyond_a_linear_table_is_said_once():
    running = Named(double_pendulum(nodes=15, outside="linear")).start()
    running.put(Q__alpha=100.0)
    said = [running.instance.step(i * 0.01, 0.01) for i in range(20)]
    (text,) = [line for line in said if line]
    assert "coordinate 'alpha' = 1.6" in text and "[-1.6, 1.6] rad" in text
    assert running.get("table.inRange") == [0.0]


# --- the model file ---------------------------------------------------------------------------------------------------


def test_the_model_survives_its_file(model):
    again = from_bytes(to_bytes(model))
    assert again.stiff == model.stiff and again.couplings == model.couplings
    assert again.charts[0].rows == model.charts[0].rows and again.charts[0].slopes == model.charts[0].slopes
    for block, same in zip(model.charts[0].blocks, again.charts[0].blocks, strict=True):
        np.testing.assert_array_equal(same.cells, block.cells)


STIFF = MODELS["stiff"]
CHART = STIFF.charts[0]
CELLS = CHART.blocks[-1].cells.tolist()


def with_cells(cells):
    block = replace(CHART.blocks[-1], cells=np.array(cells, dtype=np.int64))
    return replace(STIFF, charts=(replace(CHART, blocks=(*CHART.blocks[:-1], block)),))


FAULTS = {
    "monomial": (with_cells([*CELLS[:-1], [CELLS[-1][0], 2, -1, -1]]), "they must ascend"),
    "order": (with_cells([*CELLS[:-1], [CELLS[-1][0], 1, 0, -1]]), "they must ascend"),
    "second alone": (with_cells([*CELLS[:-1], [CELLS[-1][0], -1, 0, -1]]), "end with -1 for none"),
    "twice": (with_cells([*CELLS[:-1], CELLS[0]]), "contributes twice"),
    "starts": (replace(STIFF, starts=STIFF.starts[:1]), "1 start values for 3 coordinates"),
    "radius": (replace(STIFF, stiff=(STIFF.stiff[0], replace(STIFF.stiff[1], radius=0.0))), "'mount.y' is 0"),
    "names": (replace(STIFF, stiff=(STIFF.stiff[0],) * 2), "the same name"),
    "coupling": (replace(STIFF, couplings=(Coupling(0, 3, 3, 4),)), "number 3 of 3 elements"),
    "coupling with itself": (replace(STIFF, couplings=(Coupling(1, 1, 3, 4),)), "with itself"),
    "direction": (replace(STIFF, elements=(replace(STIFF.elements[0], direction=7),) * 3), "direction 7"),
    "nothing quasi-static": (double_pendulum(nodes=8, quasistatic=True), "there are none"),
    "filter": (
        replace(STIFF, coordinates=(replace(STIFF.coordinates[0], driven="filtered"),)),
        "filter time of coordinate 'theta' is 0",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_a_model_are_said_in_words(name):
    broken, match = FAULTS[name]
    with pytest.raises(TableFormatError, match=match):
        check_model(broken)


def test_a_stiff_coordinate_that_diverges_is_named():
    running = Named(STIFF).start()
    running.instance.set([running.references["bushing.mount.k[1]"]], [-4e5])
    with pytest.raises(StepError, match="mount"):
        for i in range(200):
            running.instance.step(i * 0.01, 0.01)


# --- FMUs -------------------------------------------------------------------------------------------------------------


@pytest.mark.fmu
@pytest.mark.parametrize("way", ["stiff", "filtered", "all"])
def test_the_fmu_is_valid_and_equals_the_instance(way, tmp_path):
    """In NumPy; `test_kernel_fmu` has the same with the kernel."""
    path = str(build_fmu(MODELS[way], tmp_path / "x.fmu", platforms=()))
    assert validate_fmu(path) == []
    host, running = Host(path).start(), Named(MODELS[way]).start()
    for i in range(5):
        host.step(i * 1e-3, 1e-3)
        running.instance.step(i * 1e-3, 1e-3)
    names = [variable.name for variable in variables(MODELS[way])]
    assert host.get(*names) == running.everything()
    host.close()
