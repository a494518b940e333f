"""An FMU against two independent models: its tables all over their range, and a motion through most of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from precompute.mechanism_file import from_document
from precompute.progress import Progress, stages, unheard
from precompute.running.model_reader import read_model
from precompute.threads import one_thread
from precompute.verify.dynamic_check import dynamic_check, manoeuvre
from precompute.verify.findings import Coverage, Difference, DynamicCheck, KinematicCheck
from precompute.verify.kinematic_check import kinematic_check
from precompute.verify.limits import Limits
from precompute.verify.mechanism_version import check_version

SHARES = (0.06, 0.92, 0.02)
"""About what of the whole the search for a motion, the motion and the tables take."""


@dataclass(frozen=True)
class Verification:
    """What was found, and whether it passes."""

    name: str
    limits: Limits  # of the motion
    kinematics: KinematicCheck
    dynamics: DynamicCheck

    @property
    def faults(self) -> tuple[str, ...]:
        """Why it does not pass, in words; none if it does."""
        return (*self.kinematics.faults, *self.dynamics.faults)

    @property
    def passed(self) -> bool:
        """The verdict."""
        return not self.faults

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Between the motions, of the tables: those of the run in fine steps."""
        return self.dynamics.differences

    def worst(self, unit: str) -> Difference | None:
        """The largest difference between the motions in that unit."""
        return self.dynamics.worst(unit)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: all fields, with shares, verdicts and the verdict."""
        found = {"passed": self.passed, "faults": self.faults, **asdict(self)}
        for check, key in (("kinematics", "coverage"), ("dynamics", "coverage")):
            found[check][key] = [coverage_dict(c) for c in getattr(self, check).coverage]
        for check, key in (("kinematics", "differences"), ("dynamics", "differences"), ("dynamics", "own")):
            found[check][key] = [difference_dict(d) for d in getattr(getattr(self, check), key)]
        return found


def coverage_dict(c: Coverage) -> dict[str, Any]:
    """With its share."""
    return {**asdict(c), "share": c.share}


def difference_dict(d: Difference) -> dict[str, Any]:
    """With its verdict."""
    return {**asdict(d), "passes": d.passes}


@one_thread
def verify(
    path: Path,
    stop: float | None = None,
    step: float | None = None,
    values: Mapping[str, float] | None = None,
    inputs: NDArray[Any] | None = None,
    free: bool = False,
    limits: Limits | None = None,
    mechanism_file: Path | None = None,
    progress: Progress = unheard,
) -> Verification:
    """Compare the tables of an FMU with kinematics in natural coordinates, and its motion with the full model.

    Args:
        path: the FMU.
        stop: how long the motion is to take [s]; default: as long as suits it, or the FMU's own under inputs or free.
        step: how long inputs are held [s]; the same.
        values: start values, parameters and constant inputs of the FMU; the full model gets the same.
        inputs: over time, as `read_inputs` gives; default: such as lead it through most of its range.
        free: let it move by itself instead.
        limits: of the differences between the motions.
        mechanism_file: the file that it should have been baked from.
        progress: called with what is being done, and which share of all is done.

    Raises:
        SimulationError: the FMU cannot be run as asked, leaves its tables under these inputs, or was baked from
            something else than the file.
    """
    model = read_model(path)
    if mechanism_file is not None:
        check_version(model, path.name, mechanism_file)
    mechanism = from_document(model.mechanism, f"the mechanism in {path.name}")
    limits = (limits or Limits()).of(model)
    values = dict(values or {})
    search, motion, tables = stages(progress, SHARES)
    search("looking for a motion", 0.0)
    course = manoeuvre(path, model, values, stop, step, inputs, free)
    dynamics = dynamic_check(path, model, mechanism, values, course, limits, motion)
    tables("tables at configurations all over them", 0.0)
    return Verification(model.name, limits, kinematic_check(model, mechanism), dynamics)
