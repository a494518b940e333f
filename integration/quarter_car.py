"""A quarter car drives over a kerb: a five-link suspension, a tyre on the road, a sprung mass and a driver, four FMUs.

python integration/quarter_car.py       prints how the wheel load goes and what becomes of the energy
"""

from __future__ import annotations

from corners.car import GRAVITY, QUARTER, contact, corner, loads, tyre_starts, tyred
from corners.models import Kind, corner_fmu, slave_fmu
from coupling.fmpy_master import run
from coupling.system import System
from energy import quarter_car_balance

SPEED, KERB, KERB_AFTER = 5.0, 0.03, 0.1  # [m/s], [m], [s]
STEP = 1e-3  # [s]
XYZ = (1, 2, 3)

CONNECTIONS = (
    ("mass.v", "suspension.chassis.v[3]"),
    ("mass.vd", "suspension.chassis.vd[3]"),
    ("driver.v", "suspension.chassis.v[1]"),
    ("mass.z", "tyre.p[3]"),
    ("driver.x", "tyre.p[1]"),
    *tyred("suspension", QUARTER, "tyre"),
    ("suspension.chassis.F[3]", "mass.F"),
)
RECORDED = (
    *("mass.z", "mass.v", "mass.vd", "tyre.N", "tyre.F[1]", "tyre.F[2]", "tyre.F[3]", "suspension.q.wheel"),
    *(f"suspension.wheel.{QUARTER}.contact.r[{i}]" for i in XYZ),
    *(f"suspension.marker.wheel.{what}[{i}]" for what in "rw" for i in XYZ),
    *("suspension.damper.shock.force", "suspension.damper.shock.rate", "suspension.chassis.F[3]"),
    *("suspension.energy.potential", "suspension.energy.kinetic"),
)


def quarter_car(kind: Kind = "native", rigid: bool = True) -> System:
    """The system; the wheel starts at rest on its tyre."""
    slaves = {"mass": "sprung_mass", "tyre": "tyre", "driver": "driver"}
    fmus = {"suspension": corner_fmu(QUARTER, kind, rigid)} | {name: slave_fmu(s) for name, s in slaves.items()}
    starts = {
        "driver.speed": SPEED,
        **tyre_starts("suspension", QUARTER, "tyre", rigid),
        "tyre.kerb.x": float(contact(corner(QUARTER, rigid))[0]) + SPEED * KERB_AFTER,
        "tyre.kerb.height": KERB,
        "mass.mass": loads(rigid)[QUARTER] / GRAVITY - suspension_mass(),
    }
    return System(fmus, CONNECTIONS, starts)


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
