"""All metrics; their values at a record, and their gradients along the motion.

`evaluate` gives columns by name: `toe.left`, `toe.right`, `roll_centre_height`, `spring_motion_ratio.coil.left`; of a
single wheel without the side.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from precompute.kc import compliance, instant_centres, position, statics, steering, steering_axis, velocity
from precompute.kc.analytic import cross, dot, times
from precompute.kc.conventions import Convention, matrix_factors
from precompute.kc.metric import REGISTERED, Metric, MissingError
from precompute.kc.motion import Way, axle_way, bump_way, steer_way, twist
from precompute.kc.record import AxleRecord, Complex, Element, Record
from precompute.model.wheels import Side

MODULES = (position, steering_axis, steering, velocity, instant_centres, statics, compliance)
"""Whose metrics are registered when they are imported."""

METRICS: dict[str, Metric] = {
    name: found
    for module in MODULES
    for name, found in REGISTERED.items()
    if found.function.__module__ == module.__name__
}
"""By name, module by module."""

SIDES: tuple[Side, Side] = ("left", "right")

STEP = 1e-30
"""Of a complex step: no difference is taken, so it may be as small as it likes."""

Values = dict[str, Complex]


def evaluate(metric: Metric | str, record: Record | AxleRecord) -> Values:
    """Columns of a metric, (...) each, of a matrix (..., 6, 6) or (..., 12, 12); SI units, ISO 8855.

    Raises:
        MissingError: the record has not what the metric needs; the message says what.
    """
    found = METRICS[metric] if isinstance(metric, str) else metric
    try:
        if isinstance(record, Record):
            return _of_wheel(found, record)
        if found.of == "axle":
            return {found.name: found.function(record)}
        if found.of == "side":
            return {f"{found.name}.{side}": found.function(record, side) for side in SIDES}
        return {
            f"{name}.{side}": value
            for side, wheel in zip(SIDES, record.wheels, strict=True)
            for name, value in _of_wheel(found, wheel).items()
        }
    except MissingError as error:
        raise MissingError(f"{found.name} {error}") from None


def _of_wheel(metric: Metric, record: Record) -> Values:
    if metric.of == "wheel":
        return {metric.name: metric.function(record)}
    if metric.of == "element":
        elements = [element for element in record.elements if element.role in metric.roles]
        return {f"{metric.name}.{element.name}": metric.function(record, element) for element in elements}
    raise MissingError("needs an axle: name its wheel in [axles]")


def evaluate_all(record: Record | AxleRecord, metrics: Iterable[str] = tuple(METRICS)) -> tuple[Values, dict[str, str]]:
    """Columns of all metrics that the record allows, and why there are none of the others, by metric."""
    values: Values = {}
    missing = {}
    for name in metrics:
        try:
            values |= evaluate(name, record)
        except MissingError as error:
            missing[name] = str(error)
    return values, missing


def in_convention(values: Values, convention: Convention) -> Values:
    """The same columns by another convention."""
    out = {}
    for column, value in values.items():
        metric = METRICS[column.partition(".")[0]]
        if metric.unit == "matrix":
            out[column] = matrix_factors(convention, value.shape[-1]) * value
        else:
            out[column] = metric.sign.factor(convention) * value
    return out


# -- gradients -----------------------------------------------------------------------------------------------------


def gradient(metric: Metric | str, record: Record | AxleRecord, way: Way) -> Values:
    """Derivatives of the columns of a metric of position or velocity along travel [per m], roll [per rad] or steering.

    Exact: by a complex step.  Of metrics of velocity the record needs second derivatives; with complex records, or of
    statics, there is no gradient.
    """
    found = METRICS[metric] if isinstance(metric, str) else metric
    if found.order == "statics":
        raise MissingError(f"{found.name} needs compliances at other points for its gradient")
    if isinstance(record, AxleRecord):
        a = axle_way(record, way)
        there: Record | AxleRecord = replace(record, left=moved(record.left, a), right=moved(record.right, a))
    elif way in ("bump", "steering"):
        there = moved(record, bump_way(record) if way == "bump" else steer_way(record))
    else:
        raise MissingError(f"{found.name} needs an axle for its gradient along '{way}'")
    return {name: value.imag / STEP for name, value in evaluate(found, there).items()}


def moved(record: Record, a: Complex, tilt: Complex | None = None, step: complex = 1j * STEP) -> Record:
    """The record a (complex) step farther along a (..., n), while the normal of the road changes by tilt (..., 3)."""
    w, v = twist(record, a)

    def farther(value: Complex | None, rate: Complex | None) -> Complex | None:
        return None if value is None or rate is None else value + step * rate

    def over_rates(value: Complex | None) -> Complex | None:
        return None if value is None else times(value, a)

    def element(old: Element) -> Element:
        value = old.value if old.gradient is None else old.value + step * dot(old.gradient, a)
        return replace(old, value=value, gradient=farther(old.gradient, over_rates(old.second)), second=None)

    turned = np.swapaxes(cross(w[..., None, :], np.swapaxes(record.R, -1, -2)), -1, -2)
    bent = None if record.dW is None else np.einsum("...kij,...j->...ki", record.dW, a)
    balls = None if record.ball_rates is None else np.einsum("...bki,...i->...bk", record.ball_rates, a)
    return replace(
        record,
        centre=record.centre + step * v,
        R=record.R + step * turned,
        road=record.road if tilt is None else record.road + step * tilt,
        balls=farther(record.balls, balls),
        ball_rates=None,
        steering=None if record.steering is None else element(record.steering),
        elements=tuple(element(each) for each in record.elements),
        W=farther(record.W, bent),
        other=farther(record.other, over_rates(record.other_second)),
        other_second=None,
        dW=None,
        load=None,
    )
