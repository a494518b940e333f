"""An FMU in libcosim, through libcosimpy (pip install libcosimpy; wheels up to Python 3.12).

python integration/libcosim_run.py CrankSlider.fmu           prints where its coordinates are after half a second
"""

import sys

from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

NANOSECONDS = 10**6  # the step, a millisecond
STEPS = 500


def main(path: str) -> None:
    """Simulate half a second in steps of a millisecond."""
    log_output_level(CosimLogLevel.WARNING)
    execution = CosimExecution.from_step_size(step_size=NANOSECONDS)
    slave = execution.add_local_slave(CosimLocalSlave(fmu_path=path, instance_name="mechanism"))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)

    variables = [(v.name.decode(), v.reference) for v in execution.slave_variables(slave)]
    coordinates = {name: reference for name, reference in variables if name.startswith("q.")}
    execution.step(STEPS)

    for name, value in zip(coordinates, observer.last_real_values(slave, list(coordinates.values())), strict=True):
        print(f"{name} = {value:.12g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
