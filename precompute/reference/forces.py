"""Force laws of the full model: springs, stops, dampers, constant forces and force tables, with their energy.

A force is positive if it makes its measure grow.  All functions work on one scalar law at a time.
"""

from __future__ import annotations

import numpy as np

from precompute.errors import MechanismError
from precompute.model.mechanism import ConstantForce, Damper, ForceTable, Spring, Stop


def table_force(table: ForceTable, x: float) -> float:
    """Piecewise linear force at x, continued beyond both ends with the end slopes."""
    k = int(np.clip(np.searchsorted(table.x, x) - 1, 0, table.x.size - 2))
    slope = (table.force[k + 1] - table.force[k]) / (table.x[k + 1] - table.x[k])
    return float(table.force[k] + slope * (x - table.x[k]))


def table_energy(table: ForceTable, x: float) -> float:
    """Integral of the force from 0 to x [J]: trapezoids between 0, the table's points and x are exact."""
    low, high = min(0.0, x), max(0.0, x)
    inside = table.x[(table.x > low) & (table.x < high)]
    at = np.concatenate([[low], inside, [high]])
    force = np.array([table_force(table, value) for value in at])
    integral = float((0.5 * (force[1:] + force[:-1]) * np.diff(at)).sum())
    return integral if x >= 0.0 else -integral


def elastic_force(law: Spring | Stop, x: float) -> float:
    """Force of a spring or an engaged stop at deflection x."""
    return table_force(law.table, x) if law.table is not None else (law.stiffness or 0.0) * x


def elastic_energy(law: Spring | Stop, x: float) -> float:
    """Its energy, zero at x = 0 [J]."""
    return table_energy(law.table, x) if law.table is not None else 0.5 * (law.stiffness or 0.0) * x * x


def penetrations(spring: Spring, s: float) -> list[tuple[Stop, float, float]]:
    """Engaged stops of a spring at measure s, each with its penetration (positive) and the sign of its force."""
    bump, rebound = spring.bump_stop, spring.rebound_stop
    engaged: list[tuple[Stop, float, float]] = []
    if bump is not None and s < bump.at:
        engaged.append((bump, bump.at - s, 1.0))
    if rebound is not None and s > rebound.at:
        engaged.append((rebound, s - rebound.at, -1.0))
    return engaged


def spring_force(spring: Spring, free_length: float, s: float) -> float:
    """Force of a spring with its stops at measure s [N or N m]."""
    stops = (sign * elastic_force(stop, depth) for stop, depth, sign in penetrations(spring, s))
    return elastic_force(spring, free_length - s) + sum(stops) + lasting_force(spring)


def spring_energy(spring: Spring, free_length: float, at_design: float, s: float) -> float:
    """Energy of a spring with its stops at measure s [J]; zero at the free length, or at design if it has a preload.

    What its stops have at design counts on top.
    """
    stops = (elastic_energy(stop, depth) for stop, depth, _ in penetrations(spring, s))
    own = elastic_energy(spring, free_length - s) + lasting_force(spring) * (at_design - s)
    zero = 0.0 if spring.preload is None else elastic_energy(spring, free_length - at_design)
    return own - zero + sum(stops)


def lasting_force(spring: Spring) -> float:
    """The force that a spring has whatever its measure is: its preload, if it has no stiffness [N or N m]."""
    return spring.preload or 0.0 if spring.stiffness == 0.0 else 0.0


def constant_energy(force: ConstantForce, at_design: float, s: float) -> float:
    """Energy of a constant force at measure s, zero at design [J]."""
    return -(force.value or 0.0) * (s - at_design)


def damper_force(damper: Damper, rate: float) -> float:
    """Force of a damper at the rate of its measure [N or N m]."""
    return -table_force(damper.table, rate) if damper.table is not None else -(damper.damping or 0.0) * rate


def free_length_of(spring: Spring, s: float) -> float:
    """The free length; from a preload, the one that gives this force at the design value s of the measure.

    Raises:
        MechanismError: the spring's table never reaches its preload, or its preload is not known.
    """
    if spring.free_length is not None:
        return spring.free_length
    if spring.static_preload:
        raise MechanismError(
            [f'springs.{spring.name}: its preload is "static"; the full model needs the number that statics found']
        )
    preload = spring.preload or 0.0
    if spring.table is not None:
        return s + table_deflection(spring.name, spring.table, preload)
    return s + (preload / spring.stiffness if spring.stiffness else 0.0)


def table_deflection(name: str, table: ForceTable, force: float) -> float:
    """The deflection nearest to zero where the table has this force.

    Raises:
        MechanismError: there is none.
    """
    slope = np.diff(table.force) / np.diff(table.x)
    slack = 1e-12 * (table.x[-1] - table.x[0])  # a root on a point of the table belongs to both its neighbours
    found: list[float] = []
    for k, gradient in enumerate(slope):
        low = -np.inf if k == 0 else table.x[k]
        high = np.inf if k == slope.size - 1 else table.x[k + 1]
        if gradient == 0.0:  # constant: the nearest point of the interval, if the force is right
            x = np.clip(0.0, low, high) if table.force[k] == force else np.nan
        else:
            x = table.x[k] + (force - table.force[k]) / gradient
        if low - slack <= x <= high + slack:
            found.append(float(x))
    if not found:
        raise MechanismError(
            [
                f"springs.{name}: its table, from {table.force.min():g} to {table.force.max():g} and continued at both "
                f"ends, never has the preload {force:g}; change the preload or extend the table"
            ]
        )
    return min(found, key=abs)
