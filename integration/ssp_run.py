"""The quarter car and the full car in one SSP file, and such a file in libcosim or ecos.

python integration/ssp_run.py quarter_car build/quarter      puts its FMUs and quarter_car.toml into a folder; then
kinetab export build/quarter/quarter_car.toml -o QuarterCar.ssp
python integration/ssp_run.py full_car build/car             the full car in a sine steer, bakes for minutes
python integration/ssp_run.py ecos QuarterCar.ssp mass.z tyre.N      prints these variables after half a second
python integration/ssp_run.py libcosim QuarterCar.ssp mass.z tyre.N  the same
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from coupling.libcosim_master import leave
from ecos_run import load_tbb

from precompute.exporting import System
from precompute.exporting.ssp import START_VALUES
from precompute.exporting.system import read_system, split
from precompute.mechanism_file.schema.toml_text import key_text, value_text

STEP, STEPS = 1e-3, 500


def parts(description: Path, system: System, folder: Path) -> Path:
    """What `kinetab export` needs in one folder: the FMUs, and the description with the start values it leaves open.

    Args:
        description: quarter_car.toml or full_car.toml, which ends with its parameters.
        system: the same with its FMUs and all start values.
        folder: where it goes; made if it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    given = read_system(description)
    for name, path in system.fmus.items():
        shutil.copyfile(path, folder / given.fmus[name].name)
    starts = (f"{key_text(n)} = {value_text(value)}" for n, value in system.starts.items() if n not in given.starts)
    text = description.read_text(encoding="utf-8") + "\n".join(["", "# what follows from the rest", *starts, ""])
    written = folder / description.name
    written.write_text(text, encoding="utf-8")
    return written


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
    """Write parts or run a file."""
    if what in ("quarter_car", "full_car"):
        import full_car
        import quarter_car

        system = quarter_car.quarter_car() if what == "quarter_car" else full_car.full_car("sine steer")
        written = parts(Path(__file__).with_name(f"{what}.toml"), system, Path(path))
        print(f"next: kinetab export {written} -o {system.name}.ssp")
        return
    found = {"ecos": in_ecos, "libcosim": in_libcosim}[what](Path(path), names)
    for name, value in zip(names, found, strict=True):
        print(f"{name} = {value:.12g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
    if sys.argv[1] == "libcosim":
        leave()
