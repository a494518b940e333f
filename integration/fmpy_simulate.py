"""An FMU in FMPy, the short way: one call, all outputs as arrays.

python integration/fmpy_simulate.py CrankSlider.fmu          prints where its coordinates are after half a second
"""

import sys

from fmpy import read_model_description, simulate_fmu


def main(path: str) -> None:
    """Simulate half a second in steps of a millisecond."""
    variables = read_model_description(path).modelVariables
    coordinates = [v.name for v in variables if v.causality == "output" and v.name.startswith("q.")]
    result = simulate_fmu(path, stop_time=0.5, output_interval=1e-3, output=coordinates)
    for name in coordinates:
        print(f"{name} = {result[name][-1]:.12g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
