"""A full car of FMUs: chassis, four suspensions, four tyres, a driver and a roll control, in three manoeuvres.

Front: double wishbones with steering.  Rear: five links.  All on rubber, or rigid, which bakes faster.  With elements
its struts are monotubes on top mounts, with friction, and actuators on the wheels do what the roll control asks for;
without them it is the car of before, with dampers that remember nothing: ten FMUs, no roll control.

Which FMUs there are and what is connected with what is in full_car.toml.

python integration/full_car.py          runs all three and prints what happened; the first time it bakes for minutes
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import degrees, radians
from pathlib import Path

from corners.car import CHASSIS, CORNERS, GRAVITY, WHEELBASE, track, tyre_starts
from corners.models import Kind, corner_fmu, slave_fmu
from coupling.fmpy_master import run
from coupling.system import without
from fmpy import read_model_description

from precompute.exporting import System, read_system

SYSTEM = read_system(Path(__file__).with_suffix(".toml"))
XYZ = (1, 2, 3)
STEP = SYSTEM.step_size
TYRE = ("N", "Fx", "Fy", "compression")


@dataclass(frozen=True)
class Manoeuvre:
    """How long it takes and what differs from driving straight on."""

    stop: float  # [s]
    starts: Mapping[str, float]


KERB = {"kerb.x": 2.0, "kerb.height": 0.03, "kerb.ramp": 0.4}
STEERING = {"driver.steer": radians(3.0), "driver.frequency": 0.7, "driver.steer.start": 0.3}
BRAKING = {
    "driver.brake.front": 2000.0,
    "driver.brake.rear": 1000.0,
    "driver.brake.start": 0.3,
    "driver.brake.end": 1.5,
}
MANOEUVRES = {
    "kerb strike": Manoeuvre(
        2.0,
        {"chassis.speed": 8.0}
        | {f"tyre_{end}_left.{what}": x for end in ("front", "rear") for what, x in KERB.items()},
    ),
    "sine steer": Manoeuvre(3.0, {"chassis.speed": 20.0} | STEERING),
    "brake dive": Manoeuvre(3.0, {"chassis.speed": 20.0} | BRAKING),
}


def full_car(manoeuvre: str, kind: Kind = "native", rigid: bool = False, elements: bool = True) -> System:
    """The system, at rest on its springs and rolling at constant speed."""
    system = SYSTEM if elements else without(SYSTEM, "control")
    fmus = {
        name: corner_fmu(name, kind, rigid, elements) if name in CORNERS else slave_fmu(path.stem)
        for name, path in system.fmus.items()
    }
    starts = {**system.starts, "chassis.mass": CHASSIS.mass}
    for i in XYZ:
        starts |= {f"chassis.com[{i}]": CHASSIS.com[i - 1], f"chassis.inertia[{i}]": CHASSIS.inertia[i - 1]}
    for name in CORNERS:
        starts |= tyre_starts(name, name, f"tyre_{name}", rigid)
        starts |= at_rest(fmus[name], name, starts)
    if elements:
        starts |= control_starts()
    return replace(system, fmus=fmus, starts={**starts, **MANOEUVRES[manoeuvre].starts})


def control_starts() -> dict[str, float]:
    """What the roll control must know of the car."""
    sensor = {f"control.sensor[{i}]": CHASSIS.com[i - 1] for i in XYZ}
    tracks = {f"control.track.{end}": track(end) for end in ("front", "rear")}
    return {"control.wheelbase": WHEELBASE, **sensor, **tracks}


def at_rest(fmu: Path, name: str, starts: Mapping[str, float]) -> dict[str, float]:
    """Where a corner rests under its load at the wheel, as it finds by itself, and how high its contact is there.

    Elements are at rest there too: their states are start values.
    """
    own = {f"corner.{key.removeprefix(f'{name}.')}": x for key, x in starts.items() if key.startswith(f"{name}.")}
    names = [v.name for v in read_model_description(str(fmu)).modelVariables]
    shows = {n: n.replace("q_start", "q") for n in names if n.startswith("q_start.")}
    shows |= {n: n.replace("x_start", "element") for n in names if n.startswith("x_start.")}
    shown = [f"corner.wheel.{name}.contact.r[3]", *(f"corner.{at}" for at in shows.values())]
    found = run(System({"corner": fmu}, (), own | {"corner.solver.static": 1.0}), 0.0, STEP, shown)
    height, *places = (float(found[x][0]) for x in shown)
    return {f"tyre_{name}.height": height} | {f"{name}.{start}": x for start, x in zip(shows, places, strict=True)}


RECORDED = (
    *(f"chassis.{what}[{i}]" for what in ("p", "v", "w", "vd", "wd") for i in XYZ),
    *(f"chassis.e[{i}]" for i in (1, 2, 3, 4)),
    *(f"tyre_{corner}.{what}" for corner in CORNERS for what in (*TYRE, "F[1]", "F[2]", "F[3]")),
    *(f"{corner}.wheel.{corner}.{what}" for corner in CORNERS for what in ("travel", "toe", "camber", "contact.gap")),
)
"""What plots and most tests look at."""

ENERGY = (
    *(f"{corner}.wheel.{corner}.contact.r[{i}]" for corner in CORNERS for i in XYZ),
    *(f"{corner}.marker.wheel.{what}[{i}]" for corner in CORNERS for what in "rw" for i in XYZ),
    *(f"{corner}.{what}" for corner in CORNERS for what in ("energy.kinetic", "energy.potential")),
    *(f"front_{side}.{q}.{name}" for side in ("left", "right") for q in ("q", "qd") for name in ("pitman", "shock")),
    *(f"rear_{side}.{q}.wheel" for side in ("left", "right") for q in ("q", "qd")),
    *(f"front_{side}.drive.pitman.force" for side in ("left", "right")),
)
"""What the energy balance of the rigid car needs besides, with one of the next two."""

DAMPERS = tuple(f"{corner}.damper.shock.{what}" for corner in CORNERS for what in ("force", "rate"))
"""Of the car without elements."""

ELEMENTS = tuple(
    f"{corner}.element.{element}.{what}"
    for corner in CORNERS
    for element in ("damper", "friction", "roll")
    for what in ("force.s", "s_rate")
)
"""Of the car with elements."""


def main() -> None:
    """Run all three and print what happened."""
    for name, manoeuvre in MANOEUVRES.items():
        for elements in (False, True):
            record = run(full_car(name, elements=elements), manoeuvre.stop, STEP, RECORDED)
            with_what = "with elements" if elements else "without"
            print(f"{name}, {with_what}: {manoeuvre.stop:g} s, {record.speed:.1f} times faster than real time")
            for corner in CORNERS:
                load = record[f"tyre_{corner}.N"]
                print(f"  {corner:12} load {load[0]:6.0f} N, then {load.min():6.0f} to {load.max():6.0f} N")
            side = record["chassis.vd[2]"] + record["chassis.w[3]"] * record["chassis.v[1]"]
            print(f"  lateral acceleration up to {abs(side).max() / GRAVITY:.2f} g, "
                  f"yaw rate up to {degrees(abs(record['chassis.w[3]']).max()):.1f} deg/s")  # fmt: skip


if __name__ == "__main__":
    main()
