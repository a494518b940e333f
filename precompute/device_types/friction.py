"""Dry friction that gives elastically before it slides: the elasto-plastic model of Dupont et al. with Stribeck's drop.

The state z is the elastic deflection; with v = ds/dt:

    level = coulomb + (static - coulomb) exp(-(v / stribeck)^2)                        (1)
    most = presliding level / coulomb                                                  (2)
    dz/dt = v (1 - slip |z| / most)                                                    (3)
    slip = 0 below the deflection breakaway presliding, or if v and z have other signs, 1 beyond `most`,
           1/2 + 1/2 sin(pi (|z| - (most + breakaway presliding) / 2) / (most - breakaway presliding))  between  (4)
    f = -normal coulomb / presliding (z + damping dz/dt / (1 + (damping v / presliding)^2)) - viscous v          (5)

`presliding` is the deflection of a force normal * coulomb.  Below breakaway z follows s exactly: the element is a
spring and does not creep, however long it holds.  Sliding at a constant rate it gives normal * level.  The force is
continuous, so that it never chatters.  It is a multiple of the normal force, hence vanishes where that does.

The damping of (5) is that of the elastic deflection and keeps what sticks from ringing; it fades with speed, so that
the element never gives energy.  Without it, and with static = coulomb, force depends on the way alone, not on time; a
cycle of the amplitude X then loses what `cycle_loss` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from precompute.device_types.device_type import DeviceType, KeyFaults, TypeKey
from precompute.device_types.expanding import S, parameters, started
from precompute.measures.measure import Measure
from precompute.model.devices import Device, DeviceForce, DeviceOutput, DeviceState

DIAGRAM = r"""
                       | normal
              z        v
    A o---/\/\/\/--[=======]           force
              _____[_______]___          |      ,--------  normal * static, then coulomb
                       |                 |   ,'
                     B o                 | ,'  breakaway
      |<------- s ---->|                 +------|----> z
                                            presliding
"""

NORMAL = TypeKey("normal_start", "E", "Normal force as an input", optional=True, minimum=0.0)

KEYS = (
    TypeKey("coulomb", "1", "Coefficient of friction while it slides", positive=True),
    TypeKey(
        "static", "1", "Coefficient at which it begins to slide; `coulomb` if left out", optional=True, minimum=0.0
    ),
    TypeKey("normal", "E", "Normal force; on an angle, times the radius", optional=True, minimum=0.0),
    NORMAL,
    TypeKey("presliding", "L", "Deflection before it slides", 1e-4, positive=True),
    TypeKey("breakaway", "1", "Share of it below which nothing slides at all", 0.7, 0.0),
    TypeKey("stribeck", "L/s", "Rate by which the coefficient has dropped", 0.01, positive=True),
    TypeKey("damping", "s", "Damping of the deflection: force of a rate of it, per stiffness", 1e-3, 0.0),
    TypeKey("viscous", "E.s/L", "Force per rate besides", 0.0, 0.0),
)

ELASTIC = "breakaway*presliding"
GROWTH = f"0.5 + 0.5*sin(pi*(abs(z) - (most + {ELASTIC})/2)/(most - {ELASTIC}))"
SLIP = f"if(z*s_rate <= 0, 0, if(abs(z) <= {ELASTIC}, 0, if(abs(z) >= most, 1, {GROWTH})))"
GRIP = "normal*coulomb/presliding"


def cycle_loss(amplitude: float, coulomb: float, normal: float, presliding: float, breakaway: float) -> float:
    """What a cycle between -amplitude and amplitude loses, without damping, and with static = coulomb [J].

    Per half cycle, with y the deflection counted along the way u that is gone since the turn, dy/du = 1 - slip y / zs
    and zs the presliding deflection,

        2 amplitude zs - integral (zs - y) du = 2 amplitude zs - integral (zs - y) / (1 - slip y / zs) dy     (6)

    of grip; the integral goes from -zs to breakaway zs with slip = 0, and on to zs with (4).  The amplitude must be
    some ten presliding deflections at least: y comes to zs like an exponential of u / zs.
    """
    zs, zb = presliding, breakaway * presliding
    elastic = zs * (zb + zs) - (zb**2 - zs**2) / 2.0
    x, weights = np.polynomial.legendre.leggauss(60)
    y = zb + (zs - zb) * (x + 1.0) / 2.0
    slip = 0.5 + 0.5 * np.sin(np.pi * (y - (zs + zb) / 2.0) / (zs - zb))
    sliding = float(weights @ ((zs - y) / (1.0 - slip * y / zs))) * (zs - zb) / 2.0
    return 2.0 * normal * coulomb / presliding * (2.0 * amplitude * zs - elastic - sliding)


def _expand(name: str, on: Measure, unit: str, values: Mapping[str, Any]) -> Device:
    own = {**values, "static": values["coulomb"] if values["static"] is None else values["static"]}
    faults = []
    if own["static"] < own["coulomb"]:
        faults.append(("static", f"is {own['static']:g}, less than 'coulomb', {own['coulomb']:g}"))
    if own["breakaway"] >= 1.0:
        faults.append(("breakaway", f"is {own['breakaway']:g}; it must be less than 1"))
    if (own["normal"] is None) == (own["normal_start"] is None):
        faults.append(("", "needs either 'normal', a parameter, or 'normal_start', which makes it an input"))
    if faults:
        raise KeyFaults(*faults)
    slowed = "damping*give/(1 + (damping*s_rate/presliding)^2)"
    return Device(
        name,
        on=((S, on),),
        parameters=parameters(KEYS, own, unit),
        inputs=started(NORMAL, own, unit),
        states=(DeviceState("z", "give", 0.0, unit, "Elastic deflection"),),
        forces=(DeviceForce(S, f"-{GRIP}*(z + {slowed}) - viscous*s_rate"),),  # (5)
        outputs=(
            DeviceOutput(
                "level", "coulomb + (static - coulomb)*exp(-(s_rate/stribeck)^2)", "1", "Coefficient of sliding"
            ),  # (1)
            DeviceOutput("most", "presliding*level/coulomb", unit, "Deflection of sliding"),  # (2)
            DeviceOutput("slip", SLIP, "1", "Share of sliding, 0 where it holds"),  # (4)
            DeviceOutput("give", "s_rate*(1 - slip*abs(z)/most)", f"{unit}/s", "Rate of the elastic deflection"),  # (3)
        ),
    )


FRICTION = DeviceType(
    "friction",
    "Dry friction with elastic presliding, breakaway and Stribeck's drop.  State `z`, the elastic deflection; the "
    "normal force is a parameter or the input `normal`.",
    DIAGRAM,
    KEYS,
    _expand,
)
