"""The oil film of a journal bearing that is short and cavitates: after Ocvirk, with squeeze, by its impedance.

A journal of the radius R turns in a bush of the width L; the radial clearance is c.  On the two deflections e = (y, z)
of a pin joint across its axis, and its angle, whose rate w is that of the journal relative to the bush.  Seen in axes
that turn at the mean of both speeds the oil does not turn, and e changes at the pure squeeze velocity

    v = de/dt - w/2 x e                                                                (1)

Where the gap h = c - e . n closes, in the directions n with v . n > 0, Reynolds' equation of a short bearing has the
pressure 6 viscosity (v . n) (L^2/4 - x^2) / h^3 over the width, else a negative one, which oil does not bear: the film
is the half about v and no more (Guembel's condition, exact here for any motion; half-Sommerfeld where e stays).  With
eps = e/c in components along v and across it (a, b), q^2 = 1 - eps^2 and the angle B = atan2(q, -a),

    F = -viscosity R L^3 / c^3  integral of (v . n) n / (1 - eps . n)^3 over that half         (2)
      = -viscosity R L^3 / c^3 (P v + Q x^ x v),     x^ the axis                               (3)
    P = 3 a / q^4 + B (q^2 + 3 a^2) / q^5                                                      (4)
    Q = b ((2 + a^2 / (1 - b^2)) / q^4 + 3 B a / q^5)                                          (5)

since the integral of 1 / (1 - eps . n) over the half is 2 B / q and (4), (5) are half its second derivatives.  Nothing
is divided by e or, while nothing moves, by v.  Settled under a load, v = -w/2 x e, this is the curve of Ocvirk,

    F = viscosity |w| R L^3 / (4 c^2) e / q^4 sqrt(16 e^2 + pi^2 q^2),   tan(attitude) = pi q / (4 e),   e = |eps|  (6)

The journal is dragged by Couette's shear all round, and by pressure, which acts at its own centre and so off that of
the bush; each body has half the moment of the force about the other's centre,

    M = -2 pi viscosity R^3 L / (c q) w - (y F_z - z F_y) / 2                                  (7)

so that the power -(F . v) + 2 pi viscosity R^3 L / (c q) w^2 is what the film turns into heat, and never negative.

Reference: Dubois and Ocvirk, Analytical derivation and experimental evaluation of short-bearing approximation for full
journal bearings; Booker, Dynamically loaded journal bearings: mobility method of solution; Childs, Moes and van
Leeuwen, Journal bearing impedance descriptions for rotordynamic applications.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from precompute.device_types.device_type import DeviceType, On, TypeKey, TypeMeasure
from precompute.device_types.expanding import parameters
from precompute.model.devices import Device, DeviceForce, DeviceOutput

DIAGRAM = r"""
            z            bush: width, along the axis
            ^  .-----.
             .'  .-.  '.     journal: radius
            /   (   )   \    (y, z) = eccentricity of its centre
           |    (_o_)    | --> y     turn, about x, from y to z
            \    oil    /    gap = clearance - eccentricity
             '._______.'     the half where the gap closes bears
"""

KEYS = (
    TypeKey("radius", "m", "Radius of the journal", positive=True),
    TypeKey(
        "width", "m", "Width of the bearing; the film is that of a short one, up to about the radius", positive=True
    ),
    TypeKey("clearance", "m", "Radial clearance", positive=True),
    TypeKey("viscosity", "Pa.s", "Dynamic viscosity of the oil", positive=True),
)

MEASURES = (
    TypeMeasure("y", "m", "where the child's axis is across the joint's"),
    TypeMeasure("z", "m", "the same a quarter of a turn on"),
    TypeMeasure("turn", "rad", "the joint's angle, from y to z"),
)

STILL = "1e-100"
"""[m/s] in place of no squeeze velocity, where both products with it are zero."""

ROOM = "1 where journal and bush are concentric, no value where they touch: reduce the load or 'solver.step'"


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    del unit  # it is a length
    along, across = (
        f"({dot})/(clearance*max(speed, {STILL}))" for dot in ("y*squeeze_y + z*squeeze_z", "z*squeeze_y - y*squeeze_z")
    )
    outputs = (
        ("eccentricity", "sqrt(y^2 + z^2)/clearance", "1", "Eccentricity over the clearance"),
        ("thickness", "clearance*(1 - eccentricity)", "m", "Smallest thickness of the film"),
        ("room", "sqrt(1 - (y^2 + z^2)/clearance^2)", "1", ROOM),
        ("squeeze_y", "y_rate + turn_rate*z/2", "m/s", "Pure squeeze velocity along y"),  # (1)
        ("squeeze_z", "z_rate - turn_rate*y/2", "m/s", "Pure squeeze velocity along z"),
        ("speed", "sqrt(squeeze_y^2 + squeeze_z^2)", "m/s", "Pure squeeze velocity"),
        ("along", along, "1", "Eccentricity over the clearance, along the squeeze velocity"),
        ("across", across, "1", "Eccentricity over the clearance, across the squeeze velocity"),
        ("extent", "atan2(room, -along)", "rad", "B of the equations"),
        ("direct", "3*along/room^4 + extent*(room^2 + 3*along^2)/room^5", "1", "P of the equations"),  # (4)
        (
            "cross",
            "across*((2 + along^2/(1 - across^2))/room^4 + 3*extent*along/room^5)",
            "1",
            "Q of the equations",
        ),  # (5)
        ("impedance", "viscosity*radius*width^3/clearance^3", "N.s/m", "Force per squeeze velocity, times P and Q"),
        ("force_y", "-impedance*(direct*squeeze_y - cross*squeeze_z)", "N", "Force along y"),  # (3)
        ("force_z", "-impedance*(direct*squeeze_z + cross*squeeze_y)", "N", "Force along z"),
        ("drag", "2*pi*viscosity*radius^3*width/(clearance*room)", "N.m.s/rad", "Torque of shear per speed"),
        ("loss", "drag*turn_rate^2 - force_y*squeeze_y - force_z*squeeze_z", "W", "Power that becomes heat"),
    )
    return Device(
        name,
        on=on,
        parameters=parameters(KEYS, values, "m"),
        forces=(
            DeviceForce("y", "force_y"),
            DeviceForce("z", "force_z"),
            DeviceForce("turn", "-drag*turn_rate - (y*force_z - z*force_y)/2"),  # (7)
        ),
        outputs=tuple(DeviceOutput(*output) for output in outputs),
    )


FILM_BEARING = DeviceType(
    "film_bearing",
    "The oil film of a short journal bearing with cavitation and squeeze, on three measures: `y` and `z`, stiff "
    "directions of a pin joint that nothing else holds, and `turn`, its angle.  Outputs `eccentricity`, `thickness`, "
    "`force_y`, `force_z`, `loss`.",
    DIAGRAM,
    KEYS,
    _expand,
    measures=MEASURES,
)
