"""A corner along the rates of an axle that it is to be one side of.

Rates of a corner may be any; those of an axle made by symmetry are the travel of the left wheel, of the right one, and
steering, if there is one.  With T the rows of travel and steering over the old rates, H_k the second derivatives of the
measure of row k, and s_j = -1 where a new rate is counted the other way round,

    A = T^-1 s              old rates per new rate                             (1)
    dA_ij = -T^-1 [A_i^T H_k A_j]_k                                            (2)
    g' = g A,   H' = A^T H A + g dA       of any measure with gradient g       (3)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from precompute.kc.analytic import times
from precompute.kc.metric import need
from precompute.kc.motion import travel_row, travel_second
from precompute.kc.record import Complex, Element, Record


@dataclass(frozen=True, eq=False)
class Change:
    """From old rates to new ones."""

    A: Complex  # (..., m, m) of (1)
    dA: Complex | None  # (..., m, m, m) of (2); None without second derivatives
    places: list[int]  # of the m new rates among all
    n: int  # all new rates

    def row(self, g: Complex | None) -> Complex | None:
        """A gradient (..., m) -> (..., n)."""
        return None if g is None else self.placed(times(np.swapaxes(self.A, -1, -2), g), 1)

    def second(self, H: Complex | None, g: Complex | None) -> Complex | None:
        """Second derivatives (..., m, m) of what has the gradient g (..., m) -> (..., n, n)."""
        if H is None or g is None or self.dA is None:
            return None
        turned = np.swapaxes(self.A, -1, -2)
        return self.placed(turned @ H @ self.A + np.einsum("...k,...kij->...ij", g, self.dA), 2)

    def element(self, element: Element) -> Element:
        """The same element along the new rates."""
        gradient, second = self.row(element.gradient), self.second(element.second, element.gradient)
        return replace(element, gradient=gradient, second=second)

    def placed(self, value: Complex, axes: int) -> Complex:
        """A value over the m rates, in its last axes, as one over n, zero along the others."""
        out = np.zeros((*value.shape[: value.ndim - axes], *[self.n] * axes), dtype=value.dtype)
        at: Any = (Ellipsis, *np.ix_(*[self.places] * axes))
        out[at] = value
        return out


def spread(record: Record, place: int, steering: float) -> Record:
    """A corner along the rates of an axle.

    Args:
        record: of the corner.
        place: of its travel among the rates: 0 on the left, 1 on the right.
        steering: 1, or -1 where its steering is to run the other way round.
    """
    if record.W is None:
        return record
    change = found_change(record, place, steering)
    W, dW = record.W, record.dW
    rows = [change.row(W[..., i, :]) for i in range(6)]
    bent = [None if dW is None else change.second(dW[..., i, :, :], W[..., i, :]) for i in range(6)]
    balls = record.ball_rates
    return replace(
        record,
        W=np.stack([need(row, "velocities") for row in rows], axis=-2),
        dW=None if bent[0] is None else np.stack([need(each, "second derivatives") for each in bent], axis=-3),
        ball_rates=None if balls is None else change.placed(balls @ change.A[..., None, :, :], 1),
        steering=None if record.steering is None else change.element(record.steering),
        elements=tuple(change.element(element) for element in record.elements),
    )


def found_change(record: Record, place: int, steering: float) -> Change:
    """To the travel of this corner and, if it is steered, its steering."""
    rows, travel = [travel_row(record, record.choices.travel)], record.choices.travel
    if record.steering is not None:
        rows.append(need(record.steering.gradient, "velocities"))
    T = np.stack(np.broadcast_arrays(*rows), axis=-2)
    if T.shape[-1] != T.shape[-2]:
        raise ValueError(f"wheel '{record.wheel.name}' is recorded along {T.shape[-1]} rates, not {T.shape[-2]}")
    inverse = np.linalg.inv(T)
    A = inverse * np.array([1.0, steering])[: len(rows)]
    dA = None
    if record.dW is not None and (record.steering is None or record.steering.second is not None):
        seconds = [travel_second(record, travel)]
        if record.steering is not None:
            seconds.append(need(record.steering.second, "second derivatives of the steering"))
        H = np.stack([np.swapaxes(A, -1, -2) @ each @ A for each in seconds], axis=-3)
        dA = -np.einsum("...kr,...rij->...kij", inverse, H)
    return Change(A, dA, [place, 2][: len(rows)], len(rows) + 1)
