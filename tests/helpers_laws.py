"""Force laws by short names, as springs, stops, dampers and bushings have them."""

from __future__ import annotations

from fmu_src.model.law_parts import CURVES
from fmu_src.model.reduced_model import Law

KINDS = {
    "spring": ("compression", "both", "linear", True),  # parameters k, s0:    f = k (s0 - s)
    "spring_table": ("compression", "both", "table", True),  # s0, x.., f..:   f = table(s0 - s)
    "stop_below": ("compression", "beyond", "linear", True),  # k, at:         f = k max(at - s, 0)
    "stop_below_table": ("compression", "beyond", "table", True),  # at, x.., f..
    "stop_above": ("extension", "beyond", "linear", True),  # k, at:           f = -k max(s - at, 0)
    "stop_above_table": ("extension", "beyond", "table", True),  # at, x.., f..
    "linear": ("extension", "both", "linear", False),  # k:                    f = -k s
    "linear_table": ("extension", "both", "table", False),  # x.., f..:        f = -table(s)
    "constant": ("compression", "both", "constant", False),  # p:              f = p
    "damper": ("rate", "both", "linear", False),  # c:                         f = -c sdot
    "damper_table": ("rate", "both", "table", False),  # x.., f..:             f = -table(sdot)
}
"""Name -> argument, side, curve, and whether there is a reference, which stands between numbers and tables."""


def law(kind: str, parameters: tuple[int, ...]) -> Law:
    """The law of a kind; its parameters as said above."""
    argument, side, curve, has_reference = KINDS[kind]
    if not has_reference:
        return Law(argument, side, curve, tuple(parameters))
    at = len(CURVES[curve].single)
    return Law(argument, side, curve, (*parameters[:at], *parameters[at + 1 :]), parameters[at])
