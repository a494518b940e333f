"""Whether a state lies where the tables were measured."""

from __future__ import annotations

from ..model.designs import design_name
from ..model.reduced_model import Array
from ..model.remainder import strain
from .dynamics import Runtime


def departure(runtime: Runtime, z: Array) -> str | None:
    """Which design parameter is beyond its range, or coordinate of z (nz,) outside the tables or beyond its radius.

    In words; None if all are inside.

    Beyond a radius, which is that of the worst place and direction, the tables may still be good: `remainder.strain`.

    Axes that end their table with an error never count: a state cannot be outside them.
    """
    for design in runtime.model.designs:
        if abs(design.value) > design.range:
            return (
                f"design parameter '{design_name(design)}' = {design.told.text(design.value)} is beyond "
                f"{design.told.text(design.range)}, up to which the tables were measured"
            )
    numbers = z.tolist()
    for axis, x in zip(runtime.chart.axes, numbers, strict=False):
        if axis.outside == "linear" and not axis.periodic and not axis.lower <= x <= axis.upper:
            return (
                f"coordinate '{axis.name}' = {axis.words.text(x)} is outside its table "
                f"{axis.words.range(axis.lower, axis.upper)}, which is continued linearly"
            )
    for stiff, d in zip(runtime.model.stiff, numbers[runtime.nf :], strict=True):
        if not stiff.lower <= d <= stiff.upper:
            if strain(runtime.model, z[None])[0] <= 1.0:
                return None
            words = stiff.words
            if stiff.about:
                where = f"outside {words.range(stiff.lower, stiff.upper)}, where"
            else:
                where = f"beyond {words.text(stiff.radius)}, up to which"
            return f"deflection '{stiff.name}' = {words.text(d)} is {where} the tables were measured"
    return None
