"""A system in one SSP file, as `coupling.ssp` writes it, in libcosim or ecos.

python integration/ssp_run.py quarter_car QuarterCar.ssp             writes the quarter car into a file
python integration/ssp_run.py ecos QuarterCar.ssp mass.z tyre.N      prints these variables after half a second
python integration/ssp_run.py libcosim QuarterCar.ssp mass.z tyre.N  the same
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from coupling.libcosim_master import leave
from coupling.ssp import START_VALUES, write_ssp
from coupling.system import split
from ecos_run import load_tbb

STEP, STEPS = 1e-3, 500


def in_ecos(path: Path, names: Sequence[str]) -> list[float]:
    """Values in the end."""
    load_tbb()
    from ecospy.EcosSimulation import EcosSimulation

    with EcosSimulation(ssp_path=str(path), step_size=STEP) as simulation:
        simulation.init(parameter_set=START_VALUES)
        simulation.step(STEPS)
        values = [float(simulation.get_real("::".join(split(name)))) for name in names]
        simulation.terminate()
    return values


def in_libcosim(path: Path, names: Sequence[str]) -> list[float]:
    """Values in the end; libcosim reads an unpacked file."""
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimObserver import CosimObserver

    log_output_level(CosimLogLevel.WARNING)
    with tempfile.TemporaryDirectory(prefix="kinetab_") as folder:
        zipfile.ZipFile(path).extractall(folder)
        execution = CosimExecution.from_ssp_file(folder, step_size=round(1e9 * STEP))
        observer = CosimObserver.create_last_value()
        execution.add_observer(observer)
        execution.step(STEPS)
        values = []
        for instance, variable in map(split, names):
            slave = execution.slave_index_from_instance_name(instance)
            references = {v.name.decode(): v.reference for v in execution.slave_variables(slave)}
            values += observer.last_real_values(slave, [references[variable]])
    return values


def main(what: str, path: str, *names: str) -> None:
    """Write or run a file."""
    if what == "quarter_car":
        from quarter_car import quarter_car

        write_ssp(quarter_car(), "QuarterCar", Path(path))
        return
    found = {"ecos": in_ecos, "libcosim": in_libcosim}[what](Path(path), names)
    for name, value in zip(names, found, strict=True):
        print(f"{name} = {value:.12g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
    if sys.argv[1] == "libcosim":
        leave()
