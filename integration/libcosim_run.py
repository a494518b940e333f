"""An FMU in libcosim, through libcosimpy (pip install libcosimpy; wheels up to Python 3.12).

python integration/libcosim_run.py CrankSlider.fmu [Q.crank=10 solver.static=1 ...]
prints coordinates and accelerations after half a second, with parameters and inputs set before the start.
"""

import sys

from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

NANOSECONDS = 10**6  # the step, a millisecond
STEPS = 500


def main(path: str, *settings: str) -> None:
    """Simulate half a second in steps of a millisecond."""
    values = {name: float(value) for name, _, value in (word.partition("=") for word in settings)}
    log_output_level(CosimLogLevel.WARNING)
    execution = CosimExecution.from_step_size(step_size=NANOSECONDS)
    slave = execution.add_local_slave(CosimLocalSlave(fmu_path=path, instance_name="mechanism"))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)

    variables = [(v.name.decode(), v.reference) for v in execution.slave_variables(slave)]
    shown = {name: reference for name, reference in variables if name.startswith(("q.", "qdd."))}
    for name, value in values.items():
        execution.real_initial_value(slave, dict(variables)[name], value)
    execution.step(STEPS)

    for name, value in zip(shown, observer.last_real_values(slave, list(shown.values())), strict=True):
        print(f"{name} = {value:.12g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
