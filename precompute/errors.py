"""Exceptions of the offline half.  Every message names the object, the numbers and a next step."""

from __future__ import annotations

from typing import Any

MOST_SHOWN = 100
"""So many problems of a mechanism are printed."""


class PrecomputeError(Exception):
    """Base of all errors that a user of `precompute` may want to catch."""


class MechanismError(PrecomputeError):
    """The description of the mechanism is faulty.

    Attributes:
        problems: every fault found, one sentence or two each, with its place.
        source: what is faulty: the path of a file, or words.
    """

    def __init__(self, problems: list[str] | tuple[str, ...], source: str = "the mechanism"):
        self.problems = tuple(problems)
        self.source = source
        count = f"{len(self.problems)} problem" + ("s" if len(self.problems) != 1 else "")
        lines = [f"{source} has {count}:", *(f"  - {p}" for p in self.problems[:MOST_SHOWN])]
        if len(self.problems) > MOST_SHOWN:
            lines.append(f"  ... and {len(self.problems) - MOST_SHOWN} more")
        super().__init__("\n".join(lines))


class TopologyError(PrecomputeError):
    """Bodies and joints do not form one connected mechanism that can be reduced."""


class AssemblyError(PrecomputeError):
    """The loops cannot be closed."""


class ReachError(PrecomputeError):
    """Inputs are held where the loops cannot be closed, though they can be closed elsewhere."""


class SingularityError(PrecomputeError):
    """The independent coordinates do not determine the motion."""


class SweepError(PrecomputeError):
    """The range of motion cannot be tabulated as asked."""


class NoResponseError(PrecomputeError):
    """A formula of an element has no value at a state of the full model."""


class SimulationError(PrecomputeError):
    """An FMU cannot be read, or not be run as asked."""


class OutOfReach(SweepError):
    """A point of the ranges cannot be reached.

    Attributes:
        at: (nz,) the point.
    """

    def __init__(self, message: str, at: Any):
        self.at = at
        super().__init__(message)

    def moved(self, at: Any) -> OutOfReach:
        """The same with its point in other coordinates."""
        return OutOfReach(str(self), at)


class RangeError(SweepError):
    """Ranges of coordinates that the mechanism cannot follow.

    Attributes:
        problems: a sentence or two each; `kinetab check` and `bake` say the same.
    """

    def __init__(self, problems: list[str] | tuple[str, ...]):
        self.problems = tuple(problems)
        several = ["the ranges cannot be swept:", *(f"  - {p}" for p in self.problems)]
        super().__init__(self.problems[0] if len(self.problems) == 1 else "\n".join(several))


class PlanError(PrecomputeError):
    """A mechanism cannot be filled into a plan.

    Attributes:
        problems: what differs from the plan, one sentence each.
    """

    def __init__(self, problems: list[str] | tuple[str, ...], name: str):
        self.problems = tuple(problems)
        lines = [f"mechanism '{name}' does not fit the plan; plan it again:", *(f"  - {p}" for p in self.problems)]
        super().__init__("\n".join(lines))
