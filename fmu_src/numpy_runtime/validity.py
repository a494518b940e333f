"""Whether a state lies where the tables were measured."""

from __future__ import annotations

from ..model.reduced_model import Array
from .dynamics import Runtime


def departure(runtime: Runtime, z: Array) -> str | None:
    """Which coordinate of z (nz,) lies outside the tables or beyond its radius, in words; None if all are inside.

    Axes that end their table with an error never count: a state cannot be outside them.
    """
    numbers = z.tolist()
    for axis, x in zip(runtime.chart.axes, numbers, strict=False):
        if axis.outside == "linear" and not axis.periodic and not axis.lower <= x <= axis.upper:
            return (
                f"coordinate '{axis.name}' = {x:.6g} {axis.unit} is outside its table [{axis.lower:.6g}, "
                f"{axis.upper:.6g}] {axis.unit}, which is continued linearly"
            )
    for stiff, d in zip(runtime.model.stiff, numbers[runtime.nf :], strict=True):
        if not abs(d) <= stiff.radius:
            return (
                f"deflection '{stiff.name}' = {d:.6g} {stiff.unit} is beyond {stiff.radius:.6g} {stiff.unit}, up to "
                "which the tables were measured"
            )
    return None
