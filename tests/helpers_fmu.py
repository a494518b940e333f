"""FMUs by variable names in FMPy, and scripts in a process of their own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

from fmu_src.build.compile import current_platform, library
from fmu_src.build.model_writer import save
from fmu_src.slave.kernel_library import library_name
from fmu_src.slave.runtimes import MODEL_FILE
from fmu_src.slave.slave import MechanismSlave

ROOT = Path(__file__).parent.parent
KERNELS = "kernels"


def make_resources(model, folder, runtime):
    """The resources of an FMU for the slave itself; `runtime` is kernel or numpy."""
    save(model, folder / MODEL_FILE)
    if runtime == "kernel":
        target = folder / KERNELS / library_name(current_platform())
        target.parent.mkdir(parents=True)
        shutil.copy(library(), target)
    return folder


def choose_runtime(runtime, monkeypatch):
    """Let the slave look for kernels where `make_resources` puts them; with numpy it says nothing about it."""
    monkeypatch.setattr(MechanismSlave, "kernels", KERNELS if runtime == "kernel" else "")
    monkeypatch.setattr(MechanismSlave, "_say_note", lambda slave: None)


class Host:
    """An FMU instance in FMPy, by variable names."""

    def __init__(self, path, logging=False):
        description = read_model_description(path)
        self.references = {variable.name: variable.valueReference for variable in description.modelVariables}
        self.folder = extract(path)
        self.fmu = FMU2Slave(
            guid=description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="axle",
        )
        self.fmu.instantiate(loggingOn=logging)

    def start(self):
        self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        return self

    def get(self, *names):
        return self.fmu.getReal([self.references[name] for name in names])

    def set(self, name, value):
        self.fmu.setReal([self.references[name]], [value])

    def step(self, time, size):
        self.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=size)

    def close(self):
        self.fmu.terminate()
        self.fmu.freeInstance()
        shutil.rmtree(self.folder)


def side_by_side(crank, pendulum):
    """Two FMUs, one of them twice, disturb neither each other nor themselves."""
    alone = []
    for path, name in ((crank, "q.theta"), (pendulum, "q.alpha")):
        host = Host(path).start()
        host.step(0.0, 0.05)
        alone += host.get(name)
        host.close()
    one, two, again = Host(crank).start(), Host(pendulum).start(), Host(crank).start()
    two.step(0.0, 0.05)
    one.step(0.0, 0.05)
    again.set("spring.slider.k", 0.0)
    again.step(0.0, 0.05)
    assert one.get("q.theta") + two.get("q.alpha") == alone
    assert again.get("q.theta") != one.get("q.theta")
    for host in (one, two, again):
        host.close()


def python(script, *arguments, path=None):
    """Run a script in a process of its own."""
    search = os.pathsep.join([*([str(path)] if path else []), str(ROOT), str(ROOT / "tests")])
    return subprocess.run(
        [sys.executable, "-P", "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": search, "PYTHONDONTWRITEBYTECODE": "1"},
    )
