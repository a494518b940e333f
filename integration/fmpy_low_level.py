"""An FMU in FMPy, call by call, as a master does it: this is the place to start your own co-simulation from.

python integration/fmpy_low_level.py CrankSlider.fmu         prints where its coordinates are after half a second
"""

import shutil
import sys

from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

STEP, STEPS = 1e-3, 500


def main(path: str) -> None:
    """Simulate half a second in steps of a millisecond."""
    description = read_model_description(path)
    references = {v.name: v.valueReference for v in description.modelVariables}
    coordinates = [v.name for v in description.modelVariables if v.causality == "output" and v.name.startswith("q.")]
    folder = extract(path)
    fmu = FMU2Slave(
        guid=description.guid,
        unzipDirectory=folder,
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="mechanism",
    )

    fmu.instantiate()
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()  # parameters and start values are set here: fmu.setReal([references[name]], [value])
    fmu.exitInitializationMode()
    for i in range(STEPS):  # inputs are set before each step, outputs read after it
        fmu.doStep(currentCommunicationPoint=i * STEP, communicationStepSize=STEP)
    values = fmu.getReal([references[name] for name in coordinates])
    fmu.terminate()
    fmu.freeInstance()
    shutil.rmtree(folder)

    for name, value in zip(coordinates, values, strict=True):
        print(f"{name} = {value:.12g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
