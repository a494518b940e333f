"""A mechanism fitted to curves: what is asked for, checked, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from precompute.design import Design
from precompute.errors import PrecomputeError
from precompute.fitting.bounds import ranges
from precompute.fitting.curves import At, Curves
from precompute.fitting.fitted import Fitted
from precompute.fitting.search import Progress, Search
from precompute.fitting.slopes import apart
from precompute.fitting.targets import Source, measured_of, targets_of
from precompute.fitting.text import summary
from precompute.kc.conventions import Convention
from precompute.kc.record import Choices
from precompute.model.mechanism import Mechanism
from precompute.sensitivity.analytic import unfollowed
from precompute.sensitivity.variables import matching
from precompute.threads import one_thread


@dataclass(frozen=True, eq=False)
class Fit(Fitted):
    """The result that users get."""

    def __repr__(self) -> str:
        return summary(self)

    def __str__(self) -> str:
        return repr(self)


@one_thread
def fit(
    mechanism: Mechanism,
    targets: Source,
    vary: Sequence[str] | str,
    *,
    within: Sequence[str] | str | None = None,
    metrics: Sequence[str] | None = None,
    convention: Convention | None = None,
    axle: str | None = None,
    choices: Choices | None = None,
    elastic: bool = True,
    progress: Progress | None = None,
) -> Fit:
    """Find the changes of design variables that bring curves of kinematics and compliance nearest to targets.

    Args:
        mechanism: with [wheels]; where the search begins.
        targets: a CSV file as `read_measured` takes it, what that gives, or a result of `kc`.
        vary: variables, by patterns ("bushing.*.stiffness.x") or beginnings ("point.outer").
        within: how far they may go from where they are, as ["10mm", "2deg", "50%"]; by default 20 mm, 5 deg and, of
            what is neither, 80 % of its value.
        metrics: of the targets, those that count; by default all.
        convention: of the signs of the targets; by default what they say, or "iso".
        axle: which one, where there are several; by default the first.
        choices: what definitions leave open.
        elastic: whether bushings give way; otherwise they are locked.
        progress: is told how many mechanisms were tried, and the root mean square of all residuals.

    Raises:
        PrecomputeError: a variable, a column or an amount is none, there are fewer numbers than variables, or the
            mechanism does not reach the inputs of the targets.
    """
    source, design = measured_of(targets), Design.of(mechanism)
    variables = tuple(matching(design, vary))
    most = ranges(variables, within)
    empty = Curves(design, variables, (), axle, choices or Choices(), elastic)
    found = targets_of(source, empty.put({}), metrics, convention)
    curves = Curves(design, variables, found, axle, choices or Choices(), elastic)
    check_count(curves, source.name)
    before = started(curves)
    check_followed(curves, before)
    free = apart(design, variables, most)
    search = Search(curves, most, free, progress or (lambda tried, left: None), before)
    result = search.run()
    J = result.jac * curves.scales[:, None] / most
    return Fit(curves, source.name, most, before, search.at(result.x), J, search.tried, result.status > 0)


def check_count(curves: Curves, source: str) -> None:
    """There must be no fewer numbers than variables.

    Raises:
        PrecomputeError: there are.
    """
    m, n = sum(len(t.values) for t in curves.targets), len(curves.variables)
    if m < n:
        raise PrecomputeError(
            f"'{source}' has {m} number{'s' * (m != 1)} for {n} variables ("
            f"{', '.join(v.name for v in curves.variables)}): give more points or curves, or vary less"
        )


def started(curves: Curves) -> At:
    """The curves before any change.

    Raises:
        PrecomputeError: they do not go as far as the targets, or are not defined there.
    """
    try:
        at = curves.at({v.name: 0.0 for v in curves.variables})
    except PrecomputeError as error:
        raise PrecomputeError(f"the targets go farther than the mechanism:\n{error}\nLeave these rows out") from None
    problems = []
    for target in curves.targets:
        bad = np.flatnonzero(~np.isfinite(at.values[curves.numbers(target)]))
        if bad.size:
            problems.append(
                f"{target.name} is not defined at {target.place(int(bad[0]))}, {bad.size} of {len(target.values)} "
                "points; leave these out"
            )
    if problems:
        raise PrecomputeError("\n".join(problems))
    return at


def check_followed(curves: Curves, at: At) -> None:
    """The mechanism must be able to follow each variable.

    Raises:
        PrecomputeError: it is not.
    """
    lost = set().union(*(unfollowed(course, curves.design, curves.variables) for course in at.courses))
    if lost:
        raise PrecomputeError(
            f"the mechanism cannot follow a change of {', '.join(sorted(lost))} alone: its loops would not close; "
            "leave it out, or change it by 'kinetab design'"
        )
