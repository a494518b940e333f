"""The result that users get in Python."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from precompute.errors import PrecomputeError
from precompute.kc.conventions import CONVENTIONS, Convention
from precompute.kc.record import Choices
from precompute.model.mechanism import Mechanism, nearest
from precompute.progress import Progress, unheard
from precompute.rig.curves import measured
from precompute.rig.quantities import Range, ranges_from
from precompute.rig.stand import Stand, stand
from precompute.sheets.columns import Sheet
from precompute.sheets.tables import frame, write_csv, write_json
from precompute.sheets.text import summary

if TYPE_CHECKING:  # optional, or slow to import
    from matplotlib.figure import Figure
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class Kc(Sheet):
    """Kinematics and compliance of an axle: `kc["toe"]` is a column over bump, `kc["roll"]["toe"]` over roll."""

    def to_pandas(self, case: str | None = None) -> DataFrame:
        """A table of pandas, over the input of a case (parallel bump, unless told); columns have their units.

        Raises:
            PrecomputeError: pandas is not installed.
        """
        return frame(self, case or self.main.name)

    def to_csv(self, path: str | Path) -> Path:
        """All cases in one CSV file, every column with its unit, what definitions leave open at its foot."""
        write_csv(self, Path(path))
        return Path(path)

    def to_json(self, path: str | Path) -> Path:
        """The same as JSON, with gradients and the compliance matrices at design."""
        write_json(self, Path(path))
        return Path(path)

    def plot(self, path: str | Path | None = None, others: Mapping[str, Any] | None = None) -> Figure:
        """The page with all curves; saved if there is a path.

        Args:
            path: of a picture.
            others: what is laid over it, by name: other results, or tables from `read_measured`.
        """
        from precompute.sheets.page import page  # matplotlib takes a third of a second to import

        return page(self, path, others or {})

    def __repr__(self) -> str:
        return summary(self)

    def __str__(self) -> str:
        return repr(self)


Given = float | tuple[float, float] | None
"""A range: two ends, or one number for both."""


def kc(
    mechanism: Mechanism,
    *,
    travel: Given = None,
    roll: Given = None,
    steer: Given = None,
    lateral: Given = None,
    braking: Given = None,
    traction: Given = None,
    aligning: Given = None,
    vertical: Given = None,
    cases: Sequence[str] | None = None,
    points: int = 41,
    axle: str | None = None,
    secant: Mapping[str, float] | None = None,
    convention: Convention = "iso",
    choices: Choices | None = None,
    elastic: bool = True,
    progress: Progress = unheard,
) -> Kc:
    """Kinematics and compliance of an axle: exact statics with all springs, stops, bars and bushings at every point.

    Args:
        mechanism: with [wheels]; with [axles] if one is steered or there are several.
        travel: range of wheel travel [mm], as (-80, 80), or 80 for both ways; by default that of the file.
        roll: of roll [deg].
        steer: of the steering, from design [mm or deg].
        lateral: of the lateral force on a wheel [N].
        braking: of the braking force on a wheel [N].
        traction: of the driving force on a wheel [N].
        aligning: of the torque about the vertical on a wheel [N m].
        vertical: of the change of a wheel's load [N].
        cases: "bump", "roll", "single_bump", "steering", "lateral", ...; by default all.
        points: of every curve.
        axle: which one, where there are several; by default the first.
        secant: gradients along these inputs are secants with such steps, as {"travel": 20, "lateral": 1000}; by default
            tangents.
        convention: of signs: "iso", "sae" or "adams".
        choices: what definitions leave open, see `Choices`.
        elastic: whether bushings give way; otherwise they are locked.
        progress: called with what is being done, and which share of all is done.

    Raises:
        PrecomputeError: the mechanism cannot be put on the rig, or a range, a case or an axle is none.
    """
    if convention not in CONVENTIONS:
        raise PrecomputeError(f"there is no convention '{convention}'; choose {', '.join(CONVENTIONS)}")
    given = {"travel": travel, "roll": roll, "steer": steer, "lateral": lateral, "braking": braking}
    given |= {"traction": traction, "aligning": aligning, "vertical": vertical}
    on = stand(mechanism, axle, choices, elastic)
    steps = {name: high for name, (_, high) in ranges_si(on, steps_from(secant or {}, tuple(given))).items()}
    return Kc(measured(on, ranges_si(on, ranges_from(given)), cases, points, steps, progress), convention)


def steps_from(given: Mapping[str, float], known: Sequence[str]) -> dict[str, Range]:
    """Steps of secants as ranges to both sides.

    Raises:
        PrecomputeError: a step is of no input, or not positive.
    """
    for name, step in given.items():
        if name not in known:
            raise PrecomputeError(f"there is no input '{name}' for secants; {nearest(name, list(known))}")
        if not (isinstance(step, int | float) and 0.0 < step < math.inf):
            raise PrecomputeError(f"the step of secants along {name} is {step!r}; give a positive number")
    return ranges_from(given)


def ranges_si(on: Stand, given: Mapping[str, Range]) -> dict[str, Range]:
    """Ranges in SI units of such in mm, deg, N and N m."""
    angular = on.steering is not None and on.rig.bench.closure.coordinates[on.steering].is_angle(on.mechanism)
    degree, milli = math.pi / 180.0, 1e-3
    scales = {"travel": milli, "roll": degree, "steer": degree if angular else milli}
    return {name: (low * scales.get(name, 1.0), high * scales.get(name, 1.0)) for name, (low, high) in given.items()}
