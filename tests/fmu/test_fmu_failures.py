"""FMUs that fail, in FMPy: each in a process of its own, which must survive."""

import pytest
from helpers_fmu import python
from helpers_model import crank_slider, double_pendulum

import fmu_src.build.python_fmu
from fmu_src.build.python_fmu import build_fmu

pytestmark = pytest.mark.fmu


@pytest.fixture(scope="module")
def crank(tmp_path_factory):
    return build_fmu(crank_slider(), tmp_path_factory.mktemp("fmus") / "crank.fmu")


@pytest.fixture(scope="module", params=["kernel", "numpy", "no front"])
def pendulum(tmp_path_factory, request):
    """Without our front, as on Windows, it is pythonfmu's library that the host talks to."""
    path = tmp_path_factory.mktemp("fmus") / "pendulum.fmu"
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "no front":
            patch.setattr(fmu_src.build.python_fmu, "_front", lambda: b"")
        return build_fmu(double_pendulum(nodes=15), path, {} if request.param == "numpy" else None), request.param


FAILURES = """
import sys
from helpers_fmu import Host
from fmpy.fmi1 import FMICallException

path, logging = sys.argv[1], sys.argv[2] == "1"

def refused(call, *arguments):
    try:
        call(*arguments)
    except FMICallException as error:
        print("status", error.status, error.function, flush=True)
    else:
        raise AssertionError(f"{call} was accepted")

host = Host(path, logging).start()
for round in range(3):
    refused(host.set, "Q.alpha", float("nan"))
    refused(host.step, 0.0, 0.0)
    refused(host.step, 0.0, -1.0)
    refused(host.fmu.getReal, [9999])
    refused(host.set, "q.alpha", 0.1)
    host.set("Q.alpha", 1e3)
    refused(host.step, 0.0, 1.0)
    host.set("Q.alpha", 0.0)
    host.step(0.0, 0.01)
    host.fmu.reset()
    host.start()
    assert host.get("q.alpha") == [0.5]
host.step(0.0, 0.01)
host.close()
print("alive", flush=True)
"""


@pytest.mark.parametrize("logging", [False, True])
def test_failures_are_fmi_errors_with_a_message_and_the_process_lives(pendulum, logging):
    path, kind = pendulum
    done = python(FAILURES, path, int(logging))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("alive")
    status, where = (4, done.stderr) if kind == "no front" else (3, done.stdout)
    assert done.stdout.count(f"status {status} fmi2DoStep") == 9
    assert done.stdout.count(f"status {status} fmi2SetReal") == 6
    assert "input 'Q.alpha' is set to nan; set a finite number" in where
    assert "the communication step is 0 s; it must be positive and finite" in where
    assert "between t = " in where
    if kind == "no front":
        assert ("[ERROR] input 'Q.alpha'" in done.stdout) == logging
    else:
        assert done.stdout.count("[ERROR] ") == 18 and not done.stderr


SIMULATE = """
import os, sys
from fmpy import simulate_fmu
try:
    simulate_fmu(sys.argv[1], stop_time=3.0, output_interval=0.01, start_values={"Q.alpha": 50.0})
except Exception as error:
    print("caught", error)
print(simulate_fmu(sys.argv[1], stop_time=0.1, output_interval=0.01)["q.alpha"][0], flush=True)
if sys.argv[2] == "no front":  # pythonfmu 0.7 frees its interpreter guard twice where a process ends by itself
    os._exit(0)
"""


def test_simulate_fmu_raises_shows_why_and_can_go_on(pendulum):
    path, kind = pendulum
    done = python(SIMULATE, path, kind)
    assert done.returncode == 0, done.stderr
    status = "4 (fatal)" if kind == "no front" else "3 (error)"
    assert f"caught fmi2DoStep failed with status {status}" in done.stdout
    where = done.stderr if kind == "no front" else done.stdout
    assert "between t = " in where and "'alpha'" in where
    assert done.stdout.strip().endswith("0.5")


MANY = """
import gc, sys
from helpers_fmu import Host
hosts = []
for i in range(60):
    host = Host(sys.argv[1]).start()
    host.step(0.0, 0.001)
    hosts.append(host)
    if i % 3 == 0:
        hosts.pop(0).close()
    gc.collect()
    if i == 0:
        path = list(sys.path)
assert sys.path == path
for host in hosts:
    host.step(0.001, 0.001)
    host.close()
print("alive")
"""


def test_many_instances(crank):
    done = python(MANY, crank)
    assert done.returncode == 0 and done.stdout.strip() == "alive", done.stderr


BROKEN = """
import sys, pathlib
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave
folder = extract(sys.argv[1])
model = pathlib.Path(folder) / "resources" / "model.kinetab"
data = bytearray(model.read_bytes())
data[-1] ^= 1
model.write_bytes(data)
description = read_model_description(sys.argv[1])
fmu = FMU2Slave(guid=description.guid, unzipDirectory=folder, instanceName="axle",
                modelIdentifier=description.coSimulation.modelIdentifier)
try:
    fmu.instantiate()
except Exception as error:
    print("caught", error)
"""


def test_a_damaged_fmu_is_not_instantiated_and_says_why(crank):
    done = python(BROKEN, crank)
    assert done.returncode == 0, done.stderr
    assert "caught" in done.stdout
    assert "[ERROR] model file" in done.stdout and "is damaged" in done.stdout
