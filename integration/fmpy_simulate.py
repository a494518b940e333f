"""An FMU in FMPy, the short way: one call, all outputs as arrays.

python integration/fmpy_simulate.py CrankSlider.fmu [Q.crank=10 solver.static=1 ...]
prints coordinates and accelerations after half a second, with parameters and inputs set before the start.
"""

import sys

from fmpy import read_model_description, simulate_fmu


def main(path: str, *settings: str) -> None:
    """Simulate half a second in steps of a millisecond."""
    values = {name: float(value) for name, _, value in (word.partition("=") for word in settings)}
    variables = read_model_description(path).modelVariables
    shown = [v.name for v in variables if v.causality == "output" and v.name.startswith(("q.", "qdd."))]
    result = simulate_fmu(path, stop_time=0.5, output_interval=1e-3, start_values=values, output=shown)
    for name in shown:
        print(f"{name} = {result[name][-1]:.12g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
