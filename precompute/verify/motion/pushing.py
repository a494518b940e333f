"""Inputs that push a mechanism along, piece of time by piece.

The force along paths is found by a motion of the reduced model itself, in NumPy: with z* the paths, d the deflections
in equilibrium along them, and F what accelerates the axes there without that force,

    Q = J(z*, d) z*'' - F(z*, z*', d) + J_0 (2 w (z*' - z') + w^2 (z* - z))                     (1)

that is inverse dynamics with a soft feedback of where the motion z really is; J_0 is the inertia that the axes have by
themselves, while deflections give way.  Elements with formulas are in F with the states that the motion really has, and
their inputs sway about where they start.

Where several charts cover the motion, a force on a coordinate can do nothing at its dead centres, and the motion must
carry itself through them.  Then kinetic energy is kept instead: with c the model's coordinates and G = dc/dz, and with
z'_w the rates that have the energy wanted,

    Q = (G G^T + e^2)^-1 G (J w (z'_w - z') - F)                                                (2)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from fmu_src.interface.inputs import Drive
from fmu_src.model.reduced_model import IntArray
from fmu_src.numpy_runtime.dynamics import mechanics, moving_force
from fmu_src.numpy_runtime.state import State
from precompute.arrays import Array
from precompute.verify.motion.coverage import between
from precompute.verify.motion.devices import swayed, sways
from precompute.verify.motion.leading import Leading
from precompute.verify.motion.rig import Rig

PIECES = 160
"""Of time, about, over each of which forces are held."""

FEEDBACK = 0.3
"""w of (1) and (2) times the length of a piece, or on rubber 1/160 of the whole time."""

DEAD = 0.2
"""e of (2) over the largest entry of G that was met."""

SWAY = 3.0
"""[rad/s2 or m/s2] About the largest acceleration of a chassis that moves."""


class Push(Protocol):
    """Gives inputs piece by piece."""

    def inputs(self, i: int, state: State) -> Array:
        """(count,) those of piece i, at whose start the motion is in a state."""
        ...


def taken(name: str, values: Mapping[str, float]) -> bool:
    """Whether the force or the motion of a coordinate has been set."""
    return any(f"{head}.{name}{tail}" in values for head, tail in (("Q", ""), ("drive", ".q"), ("drive", ".qd")))


# -- along paths ------------------------------------------------------------------------------------------------------


class Along:
    """Inputs along the paths of all axes that are led, (1)."""

    def __init__(self, rig: Rig, leading: Leading, h: float, stirred: bool = True) -> None:
        self.rig, self.paths, self.stop, self.h = rig, leading.paths, leading.stop, h
        self.sizes = stirred * sways(rig.model, rig.values)  # of inputs of elements
        self.last = rig.z.copy()  # with deflections to start from
        self.driven = {d.axis: (float(rig.z[d.axis]), float(rig.zd[d.axis])) for d in rig.slots.drives}

    def inputs(self, i: int, state: State) -> Array:
        """(count,) those of piece i."""
        rig, nf = self.rig, self.rig.nf
        w = FEEDBACK / (max(self.h, self.stop / PIECES) if rig.model.stiff else self.h)
        found = rig.inputs.copy()
        self.sway(i, found)
        found[rig.slots.devices] += swayed(self.sizes, i * self.h / self.stop)
        z, rate, wanted, back = self.last, np.zeros_like(state.zd), np.zeros(nf), np.zeros(nf)
        z[:nf], rate[:nf] = state.z[:nf], state.zd[:nf]  # where nothing leads
        for k, path in self.paths.items():
            z[k], rate[k], wanted[k] = path.at((i + 0.5) * self.h)
            goal, speed, _ = path.at(i * self.h)
            back[k] = 2.0 * w * (speed - state.zd[k]) + w**2 * (goal - state.z[k])
        for drive in rig.slots.drives:
            wanted[drive.axis] = self.drive(i, drive, found)
        at, force = rig.at(self.inside(z), rate, found, state.memory)
        self.last = at.z.copy()
        forced = np.arange(nf)[rig.slots.forced]
        needed = at.J[:nf, :nf] @ wanted - force
        needed[forced] += own_inertia(at.J, forced, nf) @ back[forced]
        found[rig.slots.forces] = np.where(np.isin(forced, list(self.paths)), needed[forced], found[rig.slots.forces])
        return found

    def inside(self, z: Array) -> Array:
        """z with its axes inside the table, which a motion that is not led may leave."""
        z = z.copy()
        for k, axis in enumerate(self.rig.model.charts[0].axes):
            if not axis.periodic:
                z[k] = min(max(z[k], axis.lower), axis.upper)
        return z

    def drive(self, i: int, drive: Drive, found: Array) -> float:
        """Set the inputs of a drive in piece i; returns the acceleration that it has then."""
        k, h = drive.axis, self.h
        if k not in self.paths:
            return 0.0 if drive.filter_time else float(found[drive.first + 2])
        if T := drive.filter_time:
            p, pd, pdd = self.paths[k].at((i + 0.5) * h)
            found[drive.first] = p + 2.0 * T * pd + T**2 * pdd
            return pdd
        x, v = self.driven[k]  # constant accelerations, so that pieces join without a jump
        a = (self.paths[k].at((i + 1) * h)[1] - v) / h
        found[drive.first : drive.first + 3] = x, v, a
        self.driven[k] = x + h * (v + 0.5 * h * a), v + h * a
        return a

    def sway(self, i: int, found: Array) -> None:
        """Let a chassis that moves sway in all six directions, from rest and back, unless it is told how to move."""
        slots = self.rig.slots
        if not self.rig.model.moving or any(name.startswith("chassis.") for name in self.rig.values):
            return
        now, then = (swaying(min(1.0, j * self.h / self.stop), self.stop) for j in (i, i + 1))
        found[slots.twist], found[slots.twist_rate] = now, (then - now) / self.h


def own_inertia(J: Array, forced: IntArray, nf: int) -> Array:
    """(n, n) J_0 of (1): of the axes that forces act on, while deflections give way and drives do not."""
    rest = np.concatenate([forced, np.arange(nf, len(J))])
    mobility = np.linalg.pinv(J[np.ix_(rest, rest)])[: forced.size, : forced.size]
    return np.asarray(np.linalg.pinv(mobility), dtype=float)


def swaying(share: float, stop: float) -> Array:
    """(6,) twist of a chassis at a share of the time `stop` [s]."""
    n = np.array([1.0, 2.0, 3.0, 3.0, 2.0, 1.0])
    size = SWAY * stop / (2.0 * np.pi * n)
    return np.asarray(size * np.sin(np.pi * share) ** 2 * np.sin(2.0 * np.pi * n * share))


# -- through several charts -------------------------------------------------------------------------------------------


class Onwards:
    """Forces that keep the kinetic energy, (2)."""

    def __init__(self, rig: Rig, h: float) -> None:
        self.rig, self.h = rig, h
        at = mechanics(rig.charts[0], rig.z)
        self.energy = 0.5 * float(rig.zd @ at.J @ rig.zd)
        if self.energy == 0.0:  # so much that the first chart is passed in a quarter of the experiment
            lower, upper = between(rig.model, 0, 0)
            self.energy = 0.5 * float(at.J[0, 0]) * (4.0 * (upper - lower) / rig.model.stop_time) ** 2
        self.largest = 0.0

    def inputs(self, i: int, state: State) -> Array:
        """(count,) those of piece i."""
        rig, runtime = self.rig, self.rig.charts[state.chart]
        found = rig.inputs.copy()
        at = mechanics(runtime, state.z, state.lap, state.memory)
        force = moving_force(runtime, at, state.zd, rig.parameters, found)
        G = np.eye(runtime.nz) if at.G is None else at.G
        self.largest = max(self.largest, float(np.abs(G).max()))
        has = 0.5 * float(state.zd @ at.J @ state.zd)
        if has > 0.0:
            faster = (np.sqrt(self.energy / has) - 1.0) * state.zd
        else:
            faster = np.sqrt(2.0 * self.energy / at.J[0, 0]) * np.eye(runtime.nz)[0]
        wanted = at.J @ faster * FEEDBACK / self.h - force
        push = np.linalg.solve(G @ G.T + (DEAD * self.largest) ** 2 * np.eye(runtime.nz), G @ wanted)
        free = [j for j, c in enumerate(rig.model.coordinates) if not taken(c.name, rig.values)]
        places = np.arange(rig.slots.forces.start, rig.slots.forces.stop)
        found[places[free]] = push[free]
        return found
