"""A static stiffness with n Maxwell branches beside it: rubber, whose stiffness depends on the frequency.

    dF_i/dt = rate_i ds/dt - F_i / time_i                                              (1)
    f = -stiffness (s - reference) - sum_i F_i                                         (2)

At the circular frequency w its complex stiffness is stiffness + sum_i rate_i j w time_i / (1 + j w time_i), see
`prony_series`: `stiffness` at rest, the sum of all at high frequencies, and a loss angle around w = 1 / time_i.

Either branches are given by `rates` and `times`, or a table of dynamic stiffness and loss angle over frequency, from
which `branches` of them are fitted; a fit that is further than `fit_error` from the table is refused.  The table is of
the whole part: of what acts `beside` the element already, such as the stiffness of the bushing whose deflection it is
on, the element gives only the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from precompute.device_types.device_type import DeviceType, KeyFaults, On, TypeKey
from precompute.device_types.expanding import S, parameters
from precompute.device_types.prony_series import Series, fitted
from precompute.model.devices import Device, DeviceForce, DeviceNumber, DeviceOutput, DeviceState

DIAGRAM = r"""
               stiffness
          +----/\/\/\/\/----+
          | rate_1   time_1 |
    A o---+--/\/\/\---]|----+---o B      damping of branch i: rate_i time_i
          |       ...       |
          +--/\/\/\---]|----+
            rate_n   time_n
      |<---------- s ---------->|
"""

MOST_BRANCHES = 12

KEYS = (
    TypeKey("stiffness", "E/L", "Stiffness at rest; with `data` it may be left out", minimum=0.0, optional=True),
    TypeKey("rates", "E/L", "Stiffness of each branch", positive=True, many=True, optional=True),
    TypeKey("times", "s", "Time constant of each branch", positive=True, many=True, optional=True),
    TypeKey("reference", "L", "Value of the measure at which it has no force at rest", 0.0),
    TypeKey(
        "data",
        "1",
        "Rows [frequency, dynamic stiffness, loss angle in deg], in place of rates and times",
        columns=("Hz", "E/L", "deg"),
        optional=True,
    ),
    TypeKey("branches", "1", "How many branches are fitted to the data", 3.0, 1.0, setting=True, whole=True),
    TypeKey("beside", "E/L", "Stiffness in the data that acts beside the element already", 0.0, 0.0, setting=True),
    TypeKey("fit_error", "1", "Error of the fit that is accepted, of the dynamic stiffness", 0.05, 0.0, setting=True),
)


def series(values: Mapping[str, Any]) -> Series:
    """The static stiffness of all that the values describe, and the branches.

    Raises:
        KeyFaults: they are not determined, or do not fit.
    """
    rates, times, data, stiffness = (values[name] for name in ("rates", "times", "data", "stiffness"))
    if (data is None) == (rates is None and times is None):
        raise KeyFaults(("", "needs either 'rates' and 'times', or 'data'"))
    if data is None:
        return _given(stiffness, rates, times)
    faults = list(_doubts(np.array(data, dtype=float), int(values["branches"])))
    if faults:
        raise KeyFaults(*faults)
    found = fitted(np.array(data, dtype=float), int(values["branches"]), stiffness)
    if not found.error <= values["fit_error"]:
        raise KeyFaults(
            (
                "data",
                f"{int(values['branches'])} branches come within {found.error:.1%} of them, not within "
                f"{values['fit_error']:.1%}; give more branches, or a larger fit_error",
            )
        )
    return found


def _given(stiffness: float | None, rates: Any, times: Any) -> Series:
    if stiffness is None:
        raise KeyFaults(("stiffness", "is missing"))
    if rates is None or times is None:
        raise KeyFaults(("rates" if rates is None else "times", "is missing: each branch has a rate and a time"))
    if len(rates) != len(times):
        raise KeyFaults(("times", f"has {len(times)} numbers, but there are {len(rates)} rates"))
    if len(rates) > MOST_BRANCHES:
        raise KeyFaults(("rates", f"has {len(rates)} branches; at most {MOST_BRANCHES} are possible"))
    return Series(stiffness, tuple(rates), tuple(times))


def _doubts(data: Any, branches: int) -> list[tuple[str, str]]:
    """What is wrong with data."""
    found = []
    if not (data[:, 0] > 0.0).all():
        found.append(("data", "has a frequency that is not positive"))
    if not (data[:, 1] > 0.0).all():
        found.append(("data", "has a dynamic stiffness that is not positive"))
    if not ((data[:, 2] >= 0.0) & (data[:, 2] < 90.0)).all():
        found.append(("data", "has a loss angle that is not within 0 and 90 deg"))
    if branches > min(MOST_BRANCHES, len(data)):
        most = min(MOST_BRANCHES, len(data))
        found.append(("branches", f"is {branches}; at most {most} are possible with {len(data)} rows of data"))
    return found


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    found = series(values)
    effort = "N.m" if unit == "rad" else "N"
    stiffness = found.stiffness - (0.0 if values["data"] is None else values["beside"])
    if stiffness < 0.0:
        raise KeyFaults(("beside", f"is {stiffness / -found.stiffness:.1%} more than the data have at rest"))
    own = {**values, "stiffness": stiffness, "rates": found.rates or None, "times": found.times or None}
    names = [f"F_{k}" for k in range(1, len(found.rates) + 1)]
    return Device(
        name,
        on=on,
        parameters=_told(parameters(KEYS, own, unit), values, found.error),
        states=tuple(
            DeviceState(F, f"rate_{k}*s_rate - {F}/time_{k}", 0.0, effort, f"Tension of branch {k}")  # (1)
            for k, F in enumerate(names, 1)
        ),
        forces=(DeviceForce(S, " - ".join(("-stiffness*(s - reference)", *names))),),  # (2)
        outputs=(
            DeviceOutput(
                "loss",
                " + ".join(f"{F}^2/(rate_{k}*time_{k})" for k, F in enumerate(names, 1)),
                "W",
                "Power that it turns into heat",
            ),
        )
        if names
        else (),
    )


def _told(numbers: tuple[DeviceNumber, ...], values: Mapping[str, Any], error: float) -> tuple[DeviceNumber, ...]:
    """Parameters that say how near they are to the data, if they are fitted."""
    if values["data"] is None:
        return numbers
    text = f"Stiffness at rest, fitted: with its branches within {error:.2%} of the data"
    return tuple(replace(number, text=text) if number.name == "stiffness" else number for number in numbers)


PRONY = DeviceType(
    "prony",
    "A stiffness that depends on the frequency: a spring and n Maxwell branches.  States `F_1` to `F_n`, the tensions "
    "of the branches.",
    DIAGRAM,
    KEYS,
    _expand,
)
