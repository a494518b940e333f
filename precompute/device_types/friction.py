"""Dry friction that gives elastically before it slides: the elasto-plastic model of Dupont et al. with Stribeck's drop.

The state z is the elastic deflection; with v = ds/dt:

    level = coulomb + (static - coulomb) exp(-(v / stribeck)^2)                        (1)
    most = presliding level / coulomb                                                  (2)
    dz/dt = v                                if v and z have other signs, or |z| is below breakaway presliding,
            v (1 - slip |z| / most)          up to most,
            -min(|v| / most, 300 1/s) (|z| - most) sign(z)   beyond                    (3)
    slip = 1/2 + 1/2 sin(pi (|z| - (most + breakaway presliding) / 2) / (most - breakaway presliding))       (4)
    f = -normal coulomb / presliding (y + damping dz/dt / (1 + (damping v / presliding)^2)) - viscous v,
        y = z within -most and most                                                    (5)

`presliding` is the deflection of a force normal * coulomb.  Below breakaway z follows s exactly: the element is a
spring and does not creep, however long it holds.  Sliding at a constant rate it gives normal * level.  The force is
continuous, so that it never chatters.  It is a multiple of the normal force, hence vanishes where that does.

Steps may be much longer than the way of `presliding` takes: z is beyond `most` then for a while, which costs nothing,
since the force ends at `most` and the way back is slow enough for explicit steps.

The damping of (5) is that of the elastic deflection and keeps what sticks from ringing; it fades with speed, so that
the element never gives energy.  Without it, and without `static`, force depends on the way alone, not on time; a cycle
of the amplitude X then loses what `cycle_loss` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from precompute.device_types.device_type import DeviceType, KeyFaults, On, TypeKey
from precompute.device_types.expanding import S, parameters, started
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
    TypeKey("static", "1", "Coefficient at which it begins to slide; no drop if left out", optional=True, minimum=0.0),
    TypeKey("normal", "E", "Normal force; on an angle, times the radius", optional=True, minimum=0.0),
    NORMAL,
    TypeKey("presliding", "L", "Deflection before it slides", 1e-4, positive=True),
    TypeKey("breakaway", "1", "Share of it below which nothing slides at all", 0.7, 0.0),
    TypeKey("stribeck", "L/s", "Rate at which most of the drop from static to coulomb is over", 0.01, positive=True),
    TypeKey("damping", "s", "Damping of the deflection: force of a rate of it, per stiffness", 1e-3, 0.0),
    TypeKey("viscous", "E.s/L", "Force per rate besides", 0.0, 0.0),
)

ELASTIC = "breakaway*presliding"
SLIP = f"(0.5 + 0.5*sin(pi*(abs(z) - (most + {ELASTIC})/2)/(most - {ELASTIC})))"  # (4)
BACK = "-min(abs(s_rate)/most, 300)*z*(1 - most/abs(z))"
GIVE = (
    f"if(z*s_rate <= 0, s_rate, if(abs(z) <= {ELASTIC}, s_rate, "
    f"if(abs(z) >= most, {BACK}, s_rate*(1 - {SLIP}*abs(z)/most))))"
)
GRIP = "normal*coulomb/presliding"


def cycle_loss(amplitude: float, coulomb: float, normal: float, presliding: float, breakaway: float) -> float:
    """What a cycle between -amplitude and amplitude loses, without damping and without `static` [J].

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


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    drops = values["static"] is not None
    if faults := list(_doubts(values)):
        raise KeyFaults(*faults)
    most = "most" if drops else "presliding"
    slowed = "damping*give/(1 + (damping*s_rate/presliding)^2)"
    level = "coulomb + (static - coulomb)*exp(-(s_rate/stribeck)^2)"
    return Device(
        name,
        on=on,
        parameters=parameters([key for key in KEYS if drops or key.name != "stribeck"], values, unit),
        inputs=started(NORMAL, values, unit),
        states=(DeviceState("z", "give", 0.0, unit, "Elastic deflection"),),
        forces=(DeviceForce(S, f"-{GRIP}*(min(max(z, -{most}), {most}) + {slowed}) - viscous*s_rate"),),  # (5)
        outputs=(
            *(
                (
                    DeviceOutput("level", level, "1", "Coefficient of sliding"),  # (1)
                    DeviceOutput("most", "presliding*level/coulomb", unit, "Deflection of sliding"),  # (2)
                )
                if drops
                else ()
            ),
            DeviceOutput("give", GIVE.replace("most", most), f"{unit}/s", "Rate of the elastic deflection"),  # (3)
        ),
    )


def _doubts(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    static, coulomb = values["static"], values["coulomb"]
    if static is not None and static < coulomb:
        yield "static", f"is {static:g}, less than 'coulomb', {coulomb:g}"
    if values["breakaway"] >= 1.0:
        yield "breakaway", f"is {values['breakaway']:g}; it must be less than 1"
    if (values["normal"] is None) == (values["normal_start"] is None):
        yield "", "needs either 'normal', a parameter, or 'normal_start', which makes it an input"


FRICTION = DeviceType(
    "friction",
    "Dry friction with elastic presliding, breakaway and Stribeck's drop.  State `z`, the elastic deflection; the "
    "normal force is a parameter or the input `normal`.",
    DIAGRAM,
    KEYS,
    _expand,
)
