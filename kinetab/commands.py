"""The commands as functions: each takes what the one before returns, or a path."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike, NDArray

from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.pages.about import NOTHING
from fmu_src.build.python_fmu import build_fmu
from fmu_src.model.reduced_model import ReducedModel
from kinetab.mechanism import load
from precompute.model.mechanism import Mechanism
from precompute.report.assemblies import Assemblies, assemblies
from precompute.report.inspection import Report, inspect
from precompute.running.samples import Samples
from precompute.running.simulation import Run, run_fmu
from precompute.solving.prescribed import prescribed
from precompute.solving.solution import solve_motion
from precompute.verify.limits import Limits
from precompute.verify.verification import Verification
from precompute.verify.verification import verify as verify_fmu


def check(mechanism: Mechanism | str | Path) -> Report:
    """What a mechanism is and what its ranges allow; `print` shows it as `kinetab check` does.

    Raises:
        PrecomputeError: the mechanism cannot be read, assembled or moved.
    """
    return inspect(mechanism if isinstance(mechanism, Mechanism) else load(Path(mechanism)))


def assemble(
    mechanism: Mechanism | str | Path, at: Mapping[str, float] | None = None, branches: bool = False
) -> Assemblies:
    """Close the loops with the inputs held, in one way or in all that are found; see `precompute.report.assemblies`.

    Args:
        mechanism: the mechanism, or the path of its file.
        at: values of independent coordinates by name, in SI; the others are where they are drawn.
        branches: find all assemblies.

    Raises:
        AssemblyError: the loops cannot be closed.
        ReachError: they can, but not with the inputs there.
        PrecomputeError: the mechanism cannot be read, or inputs and freedoms do not fit.
    """
    return assemblies(mechanism if isinstance(mechanism, Mechanism) else load(Path(mechanism)), at, branches)


def build(
    model: ReducedModel,
    path: str | Path,
    native: bool = False,
    platforms: Iterable[str] | None = None,
    mechanism: Mechanism | str | Path | None = None,
) -> Path:
    """Build the FMU of a baked model.

    Args:
        model: from `bake`.
        path: where to; a file that is there is replaced only when the new one is complete.
        native: without Python, by an FMI front of our own, instead of pythonfmu.
        platforms: names of `fmu_src.build.compile.PLATFORMS` to compile for; None is this one.
        mechanism: that it was baked from, or its file: then the page in the FMU has picture, 3D view, units and file.

    Raises:
        FmuError: the kernel cannot be compiled, or the file cannot be written.
    """
    known = NOTHING
    if mechanism is not None:
        from precompute.web.about import about

        known = about(mechanism if isinstance(mechanism, Mechanism) else load(Path(mechanism)), warnings.warn)
    if native:
        return build_native_fmu(model, path, platforms, about=known)
    return build_fmu(model, path, platforms, known)


def solve(
    mechanism: Mechanism | str | Path,
    time: ArrayLike,
    given: Mapping[str, ArrayLike | Sequence[ArrayLike | None]],
) -> Samples:
    """Exact motion of all markers along given coordinates, without a bake; all in SI.

    Args:
        mechanism: the mechanism, or its file.
        time: (n,) ascending [s].
        given: coordinate -> its values (n,), or a sequence of its values, rates, accelerations and jerks (None: from a
            spline of degree 5 through the samples); as many coordinates as there are freedoms.

    Raises:
        PrecomputeError: the coordinates are not known, too few, too many or clash, or the motion cannot be followed.
    """
    loaded = mechanism if isinstance(mechanism, Mechanism) else load(Path(mechanism))
    return solve_motion(loaded, prescribed(time, given))


def run(
    fmu: str | Path,
    stop: float | None = None,
    step: float | None = None,
    values: Mapping[str, float] | None = None,
    inputs: NDArray[Any] | None = None,
) -> Run:
    """Simulate an FMU with FMPy; see `precompute.running.simulation.run_fmu`."""
    return run_fmu(Path(fmu), stop, step, values, inputs)


def verify(
    fmu: str | Path,
    stop: float | None = None,
    step: float | None = None,
    values: Mapping[str, float] | None = None,
    inputs: NDArray[Any] | None = None,
    free: bool = False,
    limits: Limits | None = None,
    mechanism: str | Path | None = None,
) -> Verification:
    """Compare an FMU with two independent models; `passed` is the verdict.

    By default forces are found that lead it through most of its range; `inputs` over time, as `read_inputs` gives
    them, or `free` take their place.  See `precompute.verify.verification.verify`.
    """
    file = None if mechanism is None else Path(mechanism)
    return verify_fmu(Path(fmu), stop, step, values, inputs, free, limits, file)
