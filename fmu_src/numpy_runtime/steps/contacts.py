"""Whether followers are still on their cams: where a step ends, and on both sides of every border that it crosses.

The normal force of a cam joint is one of the loads.  It jumps where the profile begins another piece, and is often
smallest just there, for less than a step.  So besides the end of a step it is looked at where the cubic (1) of
`borders` meets a border, with rates in between, a little before and a little behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...model.reduced_model import Array, ContactInfo
from ..dynamics import Runtime
from ..outputs import load_at
from ..state import State
from .borders import between, borders_between, share_of

BESIDE = 1e-12
"""Of the axis's length: how far from a border it is looked at."""

ROUNDINGS = 8.9e-16
"""Of the coordinate itself, which may have turned many times: not nearer than that."""


def lost_contact(
    runtime: Runtime, before: State, after: State, h: float, parameters: Sequence[float], inputs: Array
) -> str | None:
    """What is to be said where a follower is pulled, if one is; the first on the way."""
    for number, contact in enumerate(runtime.model.contacts):
        for state, time in looked_at(runtime, contact, before, after, h):
            normal = load_at(runtime, state, parameters, inputs, contact.load)
            if normal < 0.0:
                return _told(runtime, number, state, time, normal)
    return None


def looked_at(
    runtime: Runtime, contact: ContactInfo, before: State, after: State, h: float
) -> Iterator[tuple[State, float]]:
    """The states at which a contact is looked at, with their times [s]."""
    k, axis = contact.axis, runtime.chart.axes[contact.axis]
    z0, z1 = float(before.z[k]), float(after.z[k])
    for at in borders_between(axis, contact.borders, z0, z1):
        s = share_of(z0, h * float(before.zd[k]), z1, h * float(after.zd[k]), at)
        z = between(s, before.z, h * before.zd, after.z, h * after.zd)
        zd = (1.0 - s) * before.zd + s * after.zd
        beside = max(BESIDE * (axis.upper - axis.lower), ROUNDINGS * abs(at))
        for side in (-1.0, 1.0) if z1 > z0 else (1.0, -1.0):
            own = z.copy()
            own[k] = at + side * beside
            yield replace(after, z=own, zd=zd), before.time + s * h
    yield after, before.time + h


def _told(runtime: Runtime, number: int, state: State, time: float, normal: float) -> str:
    contact = runtime.model.contacts[number]
    axis = runtime.chart.axes[contact.axis]
    output = runtime.model.loads[contact.load].name
    return (
        f"at t = {time:.9g} s: the follower of joint '{contact.name}' leaves its cam at '{axis.name}' = "
        f"{axis.words.text(float(state.z[contact.axis]), 6)}, where it would have to be pulled with {-normal:.6g} N; "
        f"the model keeps it on the cam; this is said once, see output '{output}'"
    )
