"""A change of a design, and the least that must change with it for loops to close and for metrics to stay.

In: changes that are asked for, variables that absorb them, metrics that are held.  Out: the design that has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from precompute.arrays import Array
from precompute.design.moved import Design
from precompute.design.propagation import Propagation, increments, least_change
from precompute.design.variables import Variable
from precompute.errors import AssemblyError, MechanismError, PrecomputeError, ReachError, SingularityError
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.redraw import Redrawn, redrawn
from precompute.mechanism_file.reading import parse_document
from precompute.mechanism_file.retouch import joined_places
from precompute.model.mechanism import Mechanism
from precompute.redesign.closing import RANK, Loops
from precompute.redesign.holding import Hold, Holds
from precompute.redesign.problem import Problem
from precompute.redesign.unabsorbed import check_absorbed, check_reach
from precompute.threads import one_thread

Method = Literal["least", "increments"]

ITERATIONS = 12
"""Of an increment: four to six are usual, and more change nothing."""


FAULTY = (MechanismError, AssemblyError, ReachError, SingularityError)
"""What is wrong with a mechanism that cannot be had."""


@dataclass(frozen=True, eq=False)
class Redesign:
    """A design that was changed."""

    problem: Problem
    x: Array  # (n,) what absorbs it, as the problem has it
    phi: Array  # (m,) what is left of gaps and of changes of metrics [m]
    method: Method
    iterations: int

    @property
    def absorbed(self) -> dict[str, float]:
        """Changes of the variables that absorb it [SI]."""
        return self.problem.loops.split(self.x)[0]

    @property
    def q(self) -> Array:
        """(nq,) its design position, in joint coordinates from the design before."""
        return self.problem.loops.configuration(self.problem.loops.split(self.x)[1])

    @property
    def changes(self) -> dict[str, float]:
        """Of all variables [SI]."""
        return {**self.problem.asked, **self.absorbed}

    @property
    def document(self) -> dict[str, Any]:
        """With the changes, drawn as it was before."""
        return joined_places(self.problem.loops.design.edited(self.changes))

    @property
    def mechanism(self) -> Mechanism:
        """The same."""
        return parse_document(self.document)

    @property
    def gap(self) -> float:
        """The largest of its loops [m]."""
        return float(np.abs(self.phi[: self.problem.rows_of_loops]).max(initial=0.0))

    @property
    def held(self) -> Array:
        """(nh,) what the metrics held have changed by [SI]."""
        return self.phi[self.problem.rows_of_loops :] / self.problem.holds.weights

    def redrawn(self) -> Redrawn:
        """The mechanism with its design position where all joint coordinates are zero."""
        return redrawn(Closure(self.mechanism, self.problem.loops.closure.topology), self.q, self.q)


@one_thread
def redesigned(
    mechanism: Mechanism,
    asked: Mapping[str, float],
    absorb: Sequence[str] = (),
    hold: Sequence[Hold] = (),
    joints: bool = False,
    method: Method = "least",
    steps: int = 1,
) -> Redesign:
    """Change a design.

    Args:
        mechanism: before.
        asked: changes of variables by name [SI].
        absorb: names of variables that may change too.
        hold: metrics that are to stay.
        joints: whether joints may stand elsewhere at design.
        method: the least change of all, or increments of minimum norm.
        steps: into which increments divide the change.

    Raises:
        MechanismError: a variable is not known, or the mechanism is faulty with the changes.
        PrecomputeError: the change cannot be absorbed.
    """
    plain = Design.of(mechanism)
    design = with_own_numbers(plain, plain.chosen([*asked, *absorb]))
    loops = Loops(design, tuple(design.chosen(absorb)), joints)
    if (gap := float(np.abs(loops.gaps(mechanism, np.zeros(loops.closure.topology.nv))).max(initial=0.0))) > loops.open:
        shown = mechanism.units.shown(gap, digits=3)
        raise PrecomputeError(
            f"'{mechanism.name}' is drawn with its loops open by {shown}; close the drawing first, with "
            "'kinetab assemble FILE -o CLOSED.toml', and change that"
        )
    problem = Problem(loops, Holds(mechanism, tuple(hold), loops.closure.length), asked)
    design.moved(asked)  # which must be a mechanism
    try:
        found = propagated(problem, method, steps)
    except FAULTY as error:
        raise PrecomputeError(f"the change is too large for what may absorb it: on the way, {error}") from None
    return Redesign(problem, found.x, problem.phi(found.x), method, len(found.residuals) - 1)


def propagated(problem: Problem, method: Method, steps: int) -> Propagation:
    """By the least change of all, or by increments.

    Raises:
        PrecomputeError: there is none that is found, or the mechanism cannot be had on the way.
    """
    weights, held = problem.loops.weights, bool(problem.holds.all)
    start = np.zeros(len(weights))
    check_reach(problem, start, held=False)
    if method == "increments":
        if held:
            check_reach(problem, start)
        found = increments(problem.share, start, ITERATIONS, steps, weights, RANK)
        check_absorbed(problem, found)
        return found
    closed = least_change(problem.share(1.0, held=False), start, weights, rank=RANK)
    check_absorbed(problem, closed, held=False)
    if not held:
        return closed
    check_reach(problem, closed.x)
    found = least_change(problem.share(1.0), start, weights, closed.x, RANK)
    check_absorbed(problem, found)
    return replace(found, residuals=(*closed.residuals[:-1], *found.residuals))


def with_own_numbers(design: Design, variables: Sequence[Variable]) -> Design:
    """The design with numbers in place of rules for these variables: a rod that is named keeps its length."""
    document = deepcopy(design.document)
    for variable in (v for v in variables if v.kind == "derived"):
        section, name, key = map(str, variable.path)
        entry = document[section][name]
        if key not in entry:
            entry[key] = variable.scale.back(variable.value)
            if section == "wheels":
                entry.pop("contact", None)  # which gave its radius
    return Design(parse_document(document), document) if document != design.document else design
