"""A mechanism with what is done to it as methods, and how it is read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from numpy.typing import ArrayLike

from precompute import mechanism_file
from precompute.design import Design, Variable, moved
from precompute.fitting import fit
from precompute.loading.exact import exact_loads
from precompute.loading.motion import given_motion, read_motion
from precompute.loading.record import JointLoads
from precompute.model.mechanism import Mechanism as Described
from precompute.modes import linearize
from precompute.redesign.asking import redesign
from precompute.report.inspection import Report, inspect
from precompute.sensitivity import sensitivity
from precompute.sheets.result import kc
from precompute.study.asking import study


class Mechanism(Described):
    """The whole mechanism, in SI units and radians.  `coordinates` None means that they are chosen automatically."""

    kc = kc
    sensitivity = sensitivity
    fit = fit
    linearize = linearize

    @property
    def variables(self) -> dict[str, Variable]:
        """Its design variables by name: every number of its file that may be changed, with present value and unit."""
        return Design.of(self).variables

    def moved(self, changes: Mapping[str, float]) -> Mechanism:
        """The mechanism with design variables changed by so much [SI], as if its file had been edited.

        Raises:
            MechanismError: a variable is unknown, or the mechanism is faulty with the changes.
        """
        return of(moved(self, changes))

    redesign = redesign
    study = study

    def check(self) -> Report:
        """What it is and what its ranges allow; `print` shows it as `kinetab check` does.

        Raises:
            PrecomputeError: it cannot be assembled or moved.
        """
        return inspect(self)

    def loads(self, motion: Mapping[str, ArrayLike] | str | Path, axes: str | None = None) -> JointLoads:
        """What every joint carries along a motion, by exact kinematics, as `kinetab loads` gives it; all in SI.

        Args:
            motion: "time", coordinates (with "NAME.rate" and "NAME.acceleration", if these are known better than by a
                spline) and forces such as "port.contact.F[3]", each (n,); or a CSV file with such columns.
            axes: of the loads: "ground", "joint" or the name of a body; by default as the file says.

        Raises:
            PrecomputeError: the motion has columns that are not known, lacks some, leaves ranges, cannot be followed
                or is not smooth enough to have accelerations.
        """
        if isinstance(motion, Mapping):
            return exact_loads(self, given_motion(motion, self), axes)
        return exact_loads(self, read_motion(Path(motion), self, f"'{self.name}'"), axes)


def of(described: Described) -> Mechanism:
    """The same mechanism, with methods."""
    if isinstance(described, Mechanism):
        return described
    return Mechanism(**{field.name: getattr(described, field.name) for field in fields(described)})


def load(path: str | os.PathLike[str]) -> Mechanism:
    """Read a mechanism file.

    Raises:
        MechanismError: the file cannot be read, or with every problem found in it.
    """
    return of(mechanism_file.load(path))


def loads(text: str, source: str = "the mechanism", folder: Path | None = None) -> Mechanism:
    """Read a mechanism from TOML text; `source` is its name in messages, files are named from its folder, if any."""
    return of(mechanism_file.loads(text, source, folder))
