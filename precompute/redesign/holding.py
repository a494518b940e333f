"""Metrics of suspensions at positions of the rig, held at what they were, or at what they are to be.

    wheel.left.toe@travel=0        toe of a wheel with both wheels at design height
    axle.front.roll_centre_height@travel=30

A position is a value of an input of the rig, in the first of its cases that goes along it; travels count from the
design before the change, as far as bodies hang elsewhere after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.kc.display import Shown, shown
from precompute.kc.metric import Metric, MissingError
from precompute.kc.registry import METRICS, evaluate
from precompute.model.mechanism import Mechanism, nearest
from precompute.model.wheels import Axle
from precompute.rig.cases import CASES, acting, left_out
from precompute.rig.march import march
from precompute.rig.records import axle_record
from precompute.rig.stand import Stand, chosen_axle, stand


@dataclass(frozen=True)
class Hold:
    """A metric at a position."""

    name: str  # as the user wrote it
    metric: Metric
    column: str
    axle: str | None
    case: str
    value: float  # of its input [SI]

    @property
    def shown(self) -> Shown:
        """Its unit, as people quote it."""
        return shown(self.metric)


@dataclass(frozen=True, eq=False)
class Holds:
    """Metrics of a design that are to stay as they are."""

    before: Mechanism
    all: tuple[Hold, ...]  # nh
    length: float  # reference length [m]

    @cached_property
    def targets(self) -> Array:
        """(nh,) what they are [SI]."""
        return self.values(self.before)

    @cached_property
    def weights(self) -> Array:
        """(nh,) that make metres of them: angles count with the reference length, others by their shares."""
        scales = {"m": 1.0, "rad": self.length, "rad/m": self.length**2}
        shares = self.length / np.where(self.targets, np.abs(self.targets), 1.0)
        return np.array([scales.get(h.metric.unit, share) for h, share in zip(self.all, shares, strict=True)])

    def values(self, mechanism: Mechanism) -> Array:
        """(nh,) of a mechanism [SI]."""
        out = np.zeros(len(self.all))
        for axle in dict.fromkeys(hold.axle for hold in self.all):
            on_rig = stand(mechanism, axle)
            for case in dict.fromkeys(hold.case for hold in self.all if hold.axle == axle):
                numbers = [k for k, hold in enumerate(self.all) if (hold.axle, hold.case) == (axle, case)]
                out[numbers] = along(on_rig, case, [self.all[k] for k in numbers])
        return out

    def gaps(self, mechanism: Mechanism) -> Array:
        """(nh,) what they are less what they were, of the mechanism with other numbers [m]."""
        return self.weights * (self.values(mechanism) - self.targets) if self.all else np.zeros(0)


def along(on_rig: Stand, name: str, holds: Sequence[Hold]) -> Array:
    """Values (n,) of metrics at positions of one case [SI].

    Raises:
        PrecomputeError: a position cannot be reached, or the mechanism has not what a metric needs.
    """
    case = acting(next(case for case in CASES if case.name == name), on_rig)
    if why := left_out(on_rig, case):
        raise PrecomputeError(f"'{holds[0].name}': {why}")
    inputs = np.unique([hold.value for hold in holds])
    course = march(on_rig, [case], [inputs])[0]
    if len(course.values) < len(inputs):
        missed = next(hold for hold in holds if hold.value not in course.values)
        raise PrecomputeError(
            f"'{missed.name}': the linkage does not follow there, or nothing balances the forces; choose a position "
            "nearer to the design"
        )
    second = any(hold.metric.order != "position" for hold in holds)
    record = axle_record(on_rig, course.rest, course.setting, second, compliance=second)
    found = []
    for hold in holds:
        try:
            column = evaluate(hold.metric, record)[hold.column]
        except MissingError as error:
            raise PrecomputeError(f"'{hold.name}': {error}") from None
        found.append(float(np.real(column[np.searchsorted(course.values, hold.value)])))
    return np.array(found)


def read_hold(word: str, mechanism: Mechanism, value_of: Callable[[str, str], float]) -> Hold:
    """A metric at a position, of one word.

    Args:
        word: such as wheel.left.toe@travel=0.
        mechanism: whose it is.
        value_of: (name of an input, value with its unit) -> the value [SI].

    Raises:
        PrecomputeError: there is no such object, metric or input, or the value is none.
    """
    what, _, where = word.partition("@")
    position, equals, value = (part.strip() for part in where.partition("="))
    parts = what.strip().split(".", 2)
    if len(parts) != 3 or not equals or not value:
        raise PrecomputeError(f"'{word}': write what is to stay and where, as in wheel.left.toe@travel=0")
    inputs = {case.range: case.name for case in reversed(CASES)}
    if position not in inputs:
        raise PrecomputeError(f"'{word}': there is no position '{position}'; {nearest(position, inputs)}")
    metric, column, axle = _read_metric(word, parts, mechanism)
    own = axle.name if mechanism.axles else None
    return Hold(word, metric, column, own, inputs[position], value_of(position, value))


def _read_metric(word: str, parts: Sequence[str], mechanism: Mechanism) -> tuple[Metric, str, Axle]:
    """Metric, column and axle of wheel.NAME.METRIC or axle.NAME.METRIC, of elements METRIC.ELEMENT."""
    kind, name, rest = parts
    if not mechanism.wheels:
        raise PrecomputeError(f"'{word}': '{mechanism.name}' has no wheels; metrics need [wheels.NAME]")
    axles = list(mechanism.axles) or [chosen_axle(mechanism, None)]
    called, _, element = rest.partition(".")
    if kind == "wheel":
        owners = {wheel: (a, side) for a in axles for side, wheel in (("left", a.left), ("right", a.right)) if wheel}
        known: dict[str, Axle] = {wheel: a for wheel, (a, _) in owners.items()}
    elif kind == "axle":
        known = {a.name: a for a in axles}
    else:
        raise PrecomputeError(f"'{word}': begin with wheel. or axle., as in wheel.left.toe@travel=0")
    if name not in known:
        raise PrecomputeError(f"'{word}': there is no {kind} '{name}'; {nearest(name, known)}")
    of_axle = [m.name for m in METRICS.values() if (m.of == "axle") == (kind == "axle") and m.unit != "matrix"]
    if called not in of_axle:
        raise PrecomputeError(f"'{word}': there is no metric '{called}' of {kind}s; {nearest(called, of_axle)}")
    metric = METRICS[called]
    side = f".{owners[name][1]}" if kind == "wheel" else ""
    return metric, f"{called}{f'.{element}' if element else ''}{side}", known[name]
