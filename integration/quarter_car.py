"""A quarter car drives over a kerb: a five-link suspension, a tyre on the road, a sprung mass and a driver, four FMUs.

Which FMUs these are and what is connected with what is in quarter_car.toml.

python integration/quarter_car.py       prints how the wheel load goes and what becomes of the energy
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from corners.car import GRAVITY, QUARTER, contact, corner, loads, tyre_starts
from corners.models import Kind, corner_fmu, slave_fmu
from coupling.fmpy_master import run
from energy import quarter_car_balance

from precompute.exporting import System, read_system

SYSTEM = read_system(Path(__file__).with_suffix(".toml"))
SPEED, KERB = (float(SYSTEM.starts[name]) for name in ("driver.speed", "tyre.kerb.height"))  # [m/s], [m]
KERB_AFTER = 0.1  # [s]
STEP = SYSTEM.step_size
XYZ = (1, 2, 3)

RECORDED = (
    *("mass.z", "mass.v", "mass.vd", "tyre.N", "tyre.F[1]", "tyre.F[2]", "tyre.F[3]", "suspension.q.wheel"),
    *(f"suspension.wheel.{QUARTER}.contact.r[{i}]" for i in XYZ),
    *(f"suspension.marker.wheel.{what}[{i}]" for what in "rw" for i in XYZ),
    *("suspension.damper.shock.force", "suspension.damper.shock.rate", "suspension.chassis.F[3]"),
    *("suspension.energy.potential", "suspension.energy.kinetic"),
)


def quarter_car(kind: Kind = "native", rigid: bool = True) -> System:
    """The system; the wheel starts at rest on its tyre."""
    fmus = {
        name: corner_fmu(QUARTER, kind, rigid) if name == "suspension" else slave_fmu(path.stem)
        for name, path in SYSTEM.fmus.items()
    }
    starts = {
        **SYSTEM.starts,
        **tyre_starts("suspension", QUARTER, "tyre", rigid),
        "tyre.kerb.x": float(contact(corner(QUARTER, rigid))[0]) + SPEED * KERB_AFTER,
        "mass.mass": loads(rigid)[QUARTER] / GRAVITY - suspension_mass(),
    }
    return replace(SYSTEM, fmus=fmus, starts=starts)


def suspension_mass() -> float:
    """Of all that moves relative to the sprung mass [kg]."""
    return sum(body.mass for body in corner(QUARTER, rigid=True).bodies)


def main() -> None:
    """Two seconds over the kerb."""
    system = quarter_car()
    record = run(system, 2.0, STEP, RECORDED)
    load, height = record["tyre.N"], record["mass.z"]
    balance = quarter_car_balance(record, system.starts["mass.mass"], suspension_mass())
    print(f"wheel load {load[0]:.0f} N at rest, {load.min():.0f} to {load.max():.0f} N over the kerb")
    print(
        f"kerb {1e3 * KERB:.0f} mm, the car rises by {1e3 * height.max():.0f} mm and ends {1e3 * height[-1]:.0f} mm up"
    )
    print(
        f"work of the tyre {balance.work[-1]:.1f} J, stored {balance.stored[-1]:.1f} J, lost {balance.lost[-1]:.1f} J"
    )
    print(f"energy unaccounted for: {100 * balance.residual:.2f} % of what is stored")
    print(f"{record.speed:.0f} times faster than real time")


if __name__ == "__main__":
    main()
