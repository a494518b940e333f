"""An FMU in FMPy, call by call, as a master does it: this is the place to start your own co-simulation from.

python integration/fmpy_low_level.py CrankSlider.fmu [Q.crank=10 solver.static=1 ...]
prints coordinates and accelerations after half a second, with parameters and inputs set before the start.
"""

import shutil
import sys

from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

STEP, STEPS = 1e-3, 500


def main(path: str, *settings: str) -> None:
    """Simulate half a second in steps of a millisecond."""
    values = {name: float(value) for name, _, value in (word.partition("=") for word in settings)}
    description = read_model_description(path)
    references = {v.name: v.valueReference for v in description.modelVariables}
    outputs = [v.name for v in description.modelVariables if v.causality == "output"]
    shown = [name for name in outputs if name.startswith(("q.", "qdd."))]
    folder = extract(path)
    fmu = FMU2Slave(
        guid=description.guid,
        unzipDirectory=folder,
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="mechanism",
    )

    fmu.instantiate()
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()  # parameters, start values and the first inputs are set here
    fmu.setReal([references[name] for name in values], list(values.values()))
    fmu.exitInitializationMode()
    for i in range(STEPS):  # inputs are set before each step, outputs read after it
        fmu.doStep(currentCommunicationPoint=i * STEP, communicationStepSize=STEP)
    found = fmu.getReal([references[name] for name in shown])
    fmu.terminate()
    fmu.freeInstance()
    shutil.rmtree(folder)

    for name, value in zip(shown, found, strict=True):
        print(f"{name} = {value:.12g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
