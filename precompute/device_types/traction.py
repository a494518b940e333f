"""Traction of two rollers that an elastohydrodynamic film of oil keeps apart: how one drives the other, and its slip.

Rollers of the radii r1, r2 touch along a line of the length L under the normal load N; with the surface speeds u1, u2,
R = r1 r2 / (r1 + r2) and the modulus E' = 2 / ((1 - v1^2) / E1 + (1 - v2^2) / E2),

    b = sqrt(8 N R / (pi L E')),   p = 2 N / (pi b L)                        half width and largest pressure, Hertz (1)
    h = 2.65 R U^0.7 G^0.54 W^-0.13,   U = eta (u1 + u2) / (2 E' R),   G = alpha E',   W = N / (E' R L)              (2)
    T = 2 b L tau asinh(eta exp(alpha pi p / 4) (u1 - u2) / (h tau))                                                 (3)

(2) is the smallest thickness after Dowson and Higginson.  (3) is the mean shear of Eyring's oil, whose viscosity grows
as Barus has it, at the mean pressure pi p / 4: at small slip it is viscous, at large slip it grows with its logarithm.
Below a mean speed `slowest` the film gets no thinner, which is for roughness to say.  Without contact there is none.

A normal load may grow with the traction, as that of a roller on a swing arm does, whose traction pulls it in:

    N = normal + normal_gain T                                                                                       (4)

Then T is an unknown of one scalar equation.

Reference: Johnson and Tevaarwerk, Shear behaviour of elastohydrodynamic oil films; Dowson and Higginson,
Elasto-hydrodynamic lubrication; Hamrock, Fundamentals of fluid film lubrication; Eyring, Viscosity, plasticity, and
diffusion as examples of absolute reaction rates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from precompute.device_types.device_type import DeviceType, KeyFaults, On, TypeKey, TypeMeasure
from precompute.device_types.expanding import parameters, started
from precompute.model.devices import Device, DeviceForce, DeviceOutput, DeviceUnknown

DIAGRAM = r"""
         .-----.
       (   r1 o  )  first -->       u1 = radius_1 first_rate
         '-----'
        ====b====   | normal, on both    film: thickness h, pressure p
         .---.      v
       (  r2 o )  <-- second        u2 = radius_2 second_rate
         '---'
"""

NORMAL = TypeKey("normal_start", "N", "Normal load as an input", optional=True)

OIL = (
    TypeKey("modulus", "Pa", "Modulus E' of both, of steel by default", 2.26e11, positive=True),
    TypeKey("viscosity", "Pa.s", "Viscosity of the oil without pressure", positive=True),
    TypeKey("pressure_viscosity", "1/Pa", "How its logarithm grows with the pressure", positive=True),
    TypeKey("shear_stress", "Pa", "Eyring's stress, above which the oil shears more easily", 5e6, positive=True),
    TypeKey("slowest", "m/s", "Mean surface speed below which the film gets no thinner", 1e-3, positive=True),
)

KEYS = (
    TypeKey("radius_1", "m", "Radius of the first roller", positive=True),
    TypeKey("radius_2", "m", "Radius of the second roller", positive=True),
    TypeKey("length", "m", "Length of the line along which they touch", positive=True),
    TypeKey("normal", "N", "Normal load", optional=True),
    NORMAL,
    TypeKey("normal_gain", "1", "How much the normal load grows with the traction on the second roller", optional=True),
    *OIL,
)

MEASURES = (
    TypeMeasure("first", "rad", "angle of the first roller"),
    TypeMeasure("second", "rad", "angle of the second, which turns the other way round"),
)

RADIUS = "(radius_1*radius_2/(radius_1 + radius_2))"


def film(radius: str) -> tuple[tuple[str, str, str, str], ...]:
    """Outputs (1) to (3) from `slipping`, `rolling` and `pressed`, of a contact of this reduced radius."""
    speed = f"viscosity*max(abs(rolling), slowest)/(modulus*{radius})"  # U
    thickness = f"2.65*{radius}*({speed})^0.7*(pressure_viscosity*modulus)^0.54*(modulus*{radius}*length/pressed)^0.13"
    sheared = "if(shear >= 0, log(shear + sqrt(shear^2 + 1)), -log(sqrt(shear^2 + 1) - shear))"
    shear = "viscosity*exp(pressure_viscosity*pi*pressure/4)*slipping/(thickness*shear_stress)"
    pull = f"if(pressed > 0, 2*half_width*length*shear_stress*({sheared}), 0)"  # (3)
    return (
        ("half_width", f"sqrt(8*pressed*{radius}/(pi*length*modulus))", "m", "Half width of the contact"),  # (1)
        ("pressure", "if(pressed > 0, 2*pressed/(pi*half_width*length), 0)", "Pa", "Largest pressure"),
        ("thickness", f"if(pressed > 0, {thickness}, {radius})", "m", "Smallest thickness of the film"),  # (2)
        ("shear", shear, "1", "Slip over that at which the oil begins to shear more easily"),
        ("pull", pull, "N", "Traction on the second roller"),
        ("loss", "pull*slipping", "W", "Power that becomes heat"),
    )


def _expand(name: str, on: On, unit: str, values: Mapping[str, Any]) -> Device:
    del unit  # it is an angle
    if (values["normal"] is None) == (values["normal_start"] is None):
        raise KeyFaults(("", "needs either 'normal', a parameter, or 'normal_start', which makes it an input"))
    gains = values["normal_gain"] is not None
    own = [key for key in KEYS if gains or key.name != "normal_gain"]
    outputs = (
        ("slipping", "radius_1*first_rate - radius_2*second_rate", "m/s", "Speed of the first surface past the second"),
        ("rolling", "(radius_1*first_rate + radius_2*second_rate)/2", "m/s", "Mean surface speed"),
        ("pressed", f"max(normal{' + normal_gain*T' if gains else ''}, 0)", "N", "Normal load"),  # (4)
        *film(RADIUS),
    )
    return Device(
        name,
        on=on,
        parameters=parameters(own, values, "rad"),
        inputs=started(NORMAL, values, "rad"),
        unknowns=(DeviceUnknown("T", "T - pull", 0.0, 1.0, "N", "Traction that the normal load grows with"),)
        if gains
        else (),
        forces=(DeviceForce("first", "-radius_1*pull"), DeviceForce("second", "radius_2*pull")),
        outputs=tuple(DeviceOutput(*output) for output in outputs),
    )


TRACTION = DeviceType(
    "traction",
    "Traction between two rollers through an elastohydrodynamic film of oil, on their angles `first` and `second`; the "
    "normal load is a parameter or the input `normal`.  Outputs `pull`, `slipping`, `pressed`, `pressure`, "
    "`thickness`, `loss`.",
    DIAGRAM,
    KEYS,
    _expand,
    measures=MEASURES,
)
