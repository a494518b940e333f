"""An FMU in ecos, through ecospy (pip install ecospy tbb).

python integration/ecos_run.py CrankSlider.fmu
prints coordinates and accelerations after half a second.
"""

import ctypes
import importlib.metadata
import sys

from fmpy import read_model_description

STEP, STEPS = 1e-3, 500


def load_tbb() -> None:
    """Ecos needs a library that its wheel lacks and the one of tbb has; once loaded it is found."""
    for file in importlib.metadata.files("tbb") or []:
        if file.name == "libtbb.so.12":
            ctypes.CDLL(str(file.locate()), mode=ctypes.RTLD_GLOBAL)


def main(path: str) -> None:
    """Simulate half a second in steps of a millisecond."""
    load_tbb()
    from ecospy.EcosSimulation import EcosSimulation
    from ecospy.EcosSimulationStructure import EcosSimulationStructure

    variables = read_model_description(path).modelVariables
    with EcosSimulationStructure() as structure:
        structure.add_model("mechanism", path)
        with EcosSimulation(structure=structure, step_size=STEP) as simulation:
            simulation.init()
            simulation.step(STEPS)
            for variable in variables:
                if variable.causality == "output" and variable.name.startswith(("q.", "qdd.")):
                    print(f"{variable.name} = {simulation.get_real(f'mechanism::{variable.name}'):.12g}")
            simulation.terminate()


if __name__ == "__main__":
    main(*sys.argv[1:])
