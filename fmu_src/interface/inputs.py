"""The inputs of a model as one vector: where each lies, and how they are held over a communication step.

    Q       generalized forces on the coordinates that are not driven
    drives  per driven coordinate q, qd, qdd, or q alone if it is filtered
    V, Vd   where the ground moves: its twist [w; v] and the derivatives of these components, in its own axes (12)
    loads   F (3) and M (3) of each port
    wheels  F (3), M (3), torque, spin, normal of the road (3), its distance from the origin, of each wheel
    devices inputs of each device

At the time tau after the start of a step, V(tau) = V + Vd tau; a driven coordinate moves as q + qd tau + qdd tau^2 / 2,
since its state takes q and qd at the start of the step and its acceleration is qdd; all else is constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.reduced_model import Array, IntArray, ReducedModel

WHEEL_INPUTS = 12
"""Of each wheel."""


@dataclass(frozen=True)
class Drive:
    """A coordinate whose motion is an input."""

    axis: int  # number of the coordinate
    first: int  # of its inputs
    filter_time: float  # [s] 0 if it is driven directly


@dataclass(frozen=True, eq=False)
class InputSlots:
    """Where the inputs lie in their vector."""

    forces: slice  # Q
    forced: IntArray | slice  # the coordinates that they act on; a slice, which is faster, if none is driven
    drives: tuple[Drive, ...]
    twist: slice  # V, (6,)
    twist_rate: slice  # Vd, (6,)
    loads: slice  # (6 np,)
    wheels: slice  # (12 nw,)
    devices: slice  # (ni,)

    @property
    def count(self) -> int:
        """Of all inputs."""
        return int(self.devices.stop)


def input_slots(model: ReducedModel) -> InputSlots:
    """Where the inputs of a model lie."""
    forced = forced_coordinates(model)
    drives, at = [], len(forced)
    for i, c in enumerate(model.coordinates):
        if c.driven != "no":
            filtered = c.driven == "filtered"
            drives.append(Drive(i, at, c.filter_time if filtered else 0.0))
            at += 1 if filtered else 3
    rate = at + 6 * model.moving
    loads = rate + 6 * model.moving
    wheels = loads + 6 * len(model.ports)
    devices = wheels + WHEEL_INPUTS * len(model.wheels)
    return InputSlots(
        forces=slice(0, len(forced)),
        forced=np.array(forced, dtype=np.int64) if drives else slice(0, len(forced)),
        drives=tuple(drives),
        twist=slice(at, rate),
        twist_rate=slice(rate, loads),
        loads=slice(loads, wheels),
        wheels=slice(wheels, devices),
        devices=slice(devices, devices + sum(len(device.inputs) for device in model.devices)),
    )


def forced_coordinates(model: ReducedModel) -> list[int]:
    """Numbers of the coordinates that take a generalized force."""
    most = len(model.coordinates) - model.unforced
    return [i for i, c in enumerate(model.coordinates[:most]) if c.driven == "no"]


def held(slots: InputSlots, inputs: Array, tau: float) -> Array:
    """The inputs at the time tau [s] after `inputs` (count,)."""
    if slots.twist.start == slots.twist.stop or tau == 0.0:
        return inputs
    later = inputs.copy()
    later[slots.twist] += tau * inputs[slots.twist_rate]
    return later


def drive_acceleration(slots: InputSlots, z: Array, zd: Array, inputs: Array) -> Array:
    """Accelerations (nd,) of the driven coordinates: as given, or (u - z) / T^2 - 2 zd / T of the filter."""
    found = []
    for drive in slots.drives:
        T, k = drive.filter_time, drive.axis
        found.append((inputs[drive.first] - z[k]) / T**2 - 2.0 * zd[k] / T if T else inputs[drive.first + 2])
    return np.array(found)


def take_drives(slots: InputSlots, z: Array, zd: Array, inputs: Array) -> tuple[Array, Array]:
    """z and zd (nz,) at the start of a step: directly driven coordinates are where their inputs say."""
    direct = [drive for drive in slots.drives if not drive.filter_time]
    if direct:
        z, zd = z.copy(), zd.copy()
        for drive in direct:
            z[drive.axis], zd[drive.axis] = inputs[drive.first], inputs[drive.first + 1]
    return z, zd
