"""The model that an FMU holds."""

from __future__ import annotations

from pathlib import Path

from fmu_src.errors import FmuError
from fmu_src.model import model_file
from fmu_src.model.reduced_model import ReducedModel
from precompute.running.fmu_archive import opened
from precompute.running.simulation import SimulationError, check_file


def read_model(path: Path) -> ReducedModel:
    """The model file inside an FMU."""
    check_file(path)
    with opened(path) as archive:
        inside = [n for n in archive.namelist() if n.startswith("resources/") and n.endswith(".kinetab")]
        if not inside:
            raise SimulationError(f"'{path}' holds no kinetab model; was it baked with kinetab?")
        data = archive.read(inside[0])
    try:
        return model_file.from_bytes(data)
    except FmuError as error:
        raise SimulationError(f"'{path}': model file '{inside[0]}': {error}") from None
