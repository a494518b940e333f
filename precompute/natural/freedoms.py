"""Whether drivers are as many as the freedoms, and independent: which are free, which clash."""

from __future__ import annotations

import numpy as np

from precompute.arrays import Array
from precompute.errors import SingularityError
from precompute.model.mechanism import Mechanism
from precompute.natural.measuring import link_value
from precompute.natural.newton import solve
from precompute.natural.places import Places
from precompute.natural.system import NaturalSystem
from precompute.natural.tangent import allowable_motions

BESIDE = 1e-3
"""How far from design the freedoms are counted again: at a special position there may seem to be more."""

CLASH = 1e-7
"""Singular values of the drivers' rates along the allowed motions below this count as zero."""

SHARE = 0.05
"""Of the largest: less has no part in it."""

MOST_SHOWN = 8


def allowed(system: NaturalSystem, x: Array) -> Array:
    """(nx, f) motions that the mechanism allows at x (nx,), with the stiff directions at rest."""
    undriven = system.undriven
    null = allowable_motions(undriven, x)
    if null.shape[1]:
        aside = x.copy()
        aside[undriven.unknown] += BESIDE * null.sum(axis=1)
        beside = solve(undriven, aside[None])
        if beside.residual[0] < CLASH:
            there = allowable_motions(undriven, beside.x[0])
            null = there if there.shape[1] < null.shape[1] else null
    whole = np.zeros((len(x), null.shape[1]))
    whole[undriven.unknown] = null
    return whole


def check_drivers(mechanism: Mechanism, system: NaturalSystem, design: Places) -> None:
    """As many drivers as freedoms, which determine the motion at design.

    Raises:
        SingularityError: what is still free, what clashes.
    """
    x = design.x[0]
    null = allowed(system, x)
    free = system.drivers[: len(system.drivers) - system.stiff]
    rates = np.zeros((len(free), null.shape[1]))
    for i in range(len(free)):
        rates[i] = driver_rate(system, i, design.values[0, i], null)
    U, s, Vt = np.linalg.svd(rates)
    rank = int((s > CLASH * max(1.0, float(s.max(initial=0.0)))).sum())
    if rank == len(free) == null.shape[1]:
        return
    freedoms = f"{null.shape[1]} freedom{'s' * (null.shape[1] != 1)}"
    given = ", ".join(f"'{d.name}'" for d in free) or "none"
    message = f"'{mechanism.name}' has {freedoms} and {len(free)} of its coordinates are given: {given}."
    if rank < len(free):
        weight = np.abs(U[:, rank:]).max(axis=1)
        names = [f"'{d.name}'" for d, w in zip(free, weight, strict=True) if w > SHARE * weight.max()]
        message += (
            f" {' and '.join(names)} clash: leave one of them out."
            if len(names) > 1
            else f" {names[0]} cannot be given at the design position, which is a dead centre for it."
        )
    if rank < null.shape[1]:
        moving = moving_joints(mechanism, system, x, null @ Vt[rank:].T)
        message += f" Still free to move: {', '.join(moving) or 'something without a joint coordinate'}. Give "
        message += "one of them." if null.shape[1] - rank == 1 else f"{null.shape[1] - rank} of them."
    raise SingularityError(message)


def driver_rate(system: NaturalSystem, number: int, z: float, motions: Array) -> Array:
    """(f,) rates of a driver along motions (nx, f)."""
    driver = system.drivers[number]
    own = motions[list(driver.columns)]
    return np.asarray(-np.sin(z) * own[0] + np.cos(z) * own[1] if driver.is_angle else own[0])


def moving_joints(mechanism: Mechanism, system: NaturalSystem, x: Array, motions: Array) -> list[str]:
    """Joint coordinates that move in some of the motions (nx, f), most first."""
    f = motions.shape[1]
    poses = system.poses((np.repeat(x[None], f, axis=0), motions.T))
    found = []
    for (name, index), link in system.links.items():
        joint = mechanism.joint(name)
        if joint.primitives[index].stiff:
            continue
        label = f"joint.{name}" if len(joint.primitives) - len(joint.stiff) == 1 else f"joint.{name}[{index + 1}]"
        size = float(np.abs(link_value(link, poses)[1]).max())
        found.append((size / (1.0 if joint.primitives[index].kind == "rotation" else system.length), label))
    largest = max((size for size, _ in found), default=0.0)
    chosen = sorted((item for item in found if item[0] > SHARE * largest), key=lambda item: -item[0])
    return [label for _, label in chosen[:MOST_SHOWN]]
