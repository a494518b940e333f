"""Quarter car and full car in one go: bakes what is missing, runs everything, prints a table, draws pictures.

python integration/vehicle.py           as `make vehicle` does; pictures go to build/, models to build/vehicle
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
from convergence import Convergence, convergence
from corners.car import CORNERS, loads
from corners.models import ROOT, corner_fmu, corner_model
from coupling import libcosim_master
from coupling.fmpy_master import run
from coupling.system import Record, difference
from elements_plot import plot_elements
from energy import full_car_balance, quarter_car_balance
from full_car import DAMPERS, ELEMENTS, ENERGY, MANOEUVRES, RECORDED, STEP, full_car
from quarter_car import RECORDED as QUARTER_RECORDED
from quarter_car import quarter_car, suspension_mass
from vehicle_plots import plot_convergence, plot_manoeuvre

from precompute.exporting import System
from precompute.progress import Progress, stages
from precompute.progress_bar import shown

BUILD = ROOT / "build"
MASTERS, KINDS = 1e-6, 1e-9  # how well masters and kinds of FMUs must agree, of the range of each variable
CARS = {False: "", True: ", with elements"}
"""With elements or without: how the two cars are called."""


WEIGHTS = (40.0, 5.0, 20.0, 2.0, 20.0, 13.0)
"""About how long baking, coasting, the full car, the quarter car, energy and convergence take beside one another."""


def main() -> int:
    """All of it; 1 if something is not as it must be."""
    wrong: list[str] = []
    with shown() as progress:
        baking, resting, driving, quarter, energy, coupling = stages(progress, WEIGHTS)
        bake_all(baking)
        print_loads(resting)
        print_full_car(driving, wrong)
        quarter("quarter car over a kerb", 0.0)
        print("\nQuarter car, rigid joints, 1 ms")
        print(f"  {'kerb':36} {quarter_car_row(wrong)}", flush=True)
        print("\nEnergy unaccounted for, of what is stored (rigid joints)       2 ms        1 ms      0.5 ms")
        for name, residuals in energy_rows(energy):
            print(f"  {name:56} {residuals}", flush=True)
        print_convergences(coupling)
    print(f"\nPictures: {', '.join(path.name for path in sorted(BUILD.glob('vehicle_*.png')))} in build/")
    for problem in wrong:
        print(f"WRONG: {problem}")
    return 1 if wrong else 0


def print_loads(progress: Progress) -> None:
    """Wheel loads at rest, by moments and as the car settles."""
    print("\nWheel loads at rest [N]                 front left   front right   rear left   rear right        sum")
    found = {"by moments": loads()}
    for k, (elements, car) in enumerate(CARS.items()):
        progress(f"4 s of coasting{car}", k / len(CARS))
        found[f"after 4 s of coasting{car}"] = coasting(elements)
    for name, wheels in found.items():
        print(f"  {name:35}" + "".join(f"{x:13.1f}" for x in (*wheels.values(), sum(wheels.values()))), flush=True)


def print_full_car(progress: Progress, wrong: list[str]) -> None:
    """All manoeuvres of both cars, and their pictures."""
    print("\nFull car, rubber bushings, 1 ms        x real time   native/Python FMUs   FMPy/libcosim   left/right")
    records: dict[tuple[str, bool], Record] = {}
    runs = [(name, elements) for name in MANOEUVRES for elements in CARS]
    for k, (name, elements) in enumerate(runs):
        progress(f"full car{CARS[elements]}: {name}", k / len(runs))
        records[name, elements], row = full_car_row(name, elements, wrong)
        print(f"  {name + CARS[elements]:36} {row}", flush=True)
    plot_elements(records, BUILD / "vehicle_elements.png")


def print_convergences(progress: Progress) -> None:
    """How the error depends on the communication step, and its picture."""
    print("\nError of the coupling, of the range                  4 ms      2 ms      1 ms    0.5 ms   observed order")
    studies = {}
    for name, one in convergences(progress):
        studies[name] = one
        errors = "".join(f"{error:10.1e}" for error in one.errors)
        print(f"  {name:45}{errors}   " + ", ".join(f"{order:.2f}" for order in one.orders), flush=True)
    plot_convergence(studies, BUILD / "vehicle_coupling.png")


def convergences(progress: Progress) -> Iterator[tuple[str, Convergence]]:
    """How the error depends on the communication step: names and studies, of cars with rigid joints."""
    progress("communication steps of the quarter car", 0.0)
    yield "quarter car", convergence(quarter_car(), 0.4, ("mass.z", "suspension.q.wheel"))
    for elements, car in CARS.items():
        progress(f"communication steps of the full car{car}", 0.6 if elements else 0.2)
        system = full_car("sine steer", rigid=True, elements=elements)
        yield f"full car{car}, sine steer", convergence(system, 0.8, ("chassis.w[3]", "chassis.p[2]"))


def bake_all(progress: Progress) -> None:
    """Tables and FMUs of all corners, with rubber and without, with elements and without, on all cores."""
    jobs = [(name, rigid, elements) for rigid in (False, True) for elements in CARS for name in CORNERS]
    print("Baking sixteen suspensions; on two cores this takes some minutes the first time ...", flush=True)
    progress("baking suspensions", 0.0)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        running = {pool.submit(baked, *job): job for job in jobs}
        for k, done in enumerate(as_completed(running), 1):
            progress(f"suspensions: {k} of {len(jobs)} are baked", k / len(jobs))
            name, rigid, elements = running[done]
            what = ("rigid" if rigid else "rubber") + CARS[elements]
            print(f"  {name.replace('_', ' '):12} {what:21} {done.result():5.1f} s", flush=True)


def baked(name: str, rigid: bool, elements: bool) -> float:
    """Seconds that it took."""
    started = time.perf_counter()
    for kind in ("native", "python"):
        corner_fmu(name, kind, rigid, elements)
    return time.perf_counter() - started


def coasting(elements: bool) -> dict[str, float]:
    """Wheel loads of the full car when it has settled."""
    car = full_car("sine steer", elements=elements)
    straight = replace(car, starts={**car.starts, "driver.steer": 0.0})
    record = run(straight, 4.0, STEP, [f"tyre_{corner}.N" for corner in CORNERS])
    return {corner: float(record[f"tyre_{corner}.N"][-1]) for corner in CORNERS}


def full_car_row(name: str, elements: bool, wrong: list[str]) -> tuple[Record, str]:
    """One manoeuvre: what happened; speed, agreements, symmetry; and its picture, of the car with elements."""
    stop, recorded = MANOEUVRES[name].stop, (*RECORDED, *(ELEMENTS if elements else DAMPERS))
    system = full_car(name, elements=elements)
    native = run(system, stop, STEP, recorded)
    if elements:
        plot_manoeuvre(name, native, BUILD / f"vehicle_{name.replace(' ', '_')}.png")
    python = run(full_car(name, "python", elements=elements), stop, STEP, recorded)
    left, right = ([native[f"tyre_{end}_{side}.N"] for end in ("front", "rear")] for side in ("left", "right"))
    symmetry = f"{np.abs(np.subtract(left, right)).max():.0e} N" if name == "brake dive" else ""
    return native, f"{agreement(name + CARS[elements], system, native, python, wrong)}   {symmetry}"


def quarter_car_row(wrong: list[str]) -> str:
    """Speed and agreements."""
    native, python = (run(quarter_car(kind), 1.0, STEP, QUARTER_RECORDED) for kind in ("native", "python"))
    return agreement("quarter car", quarter_car(), native, python, wrong)


def agreement(name: str, system: System, native: Record, python: Record, wrong: list[str]) -> str:
    """Speed, and how well the kinds of FMUs and libcosim agree; what is not good enough goes to `wrong`."""
    kinds, masters = difference(native, python), in_libcosim(system, native)
    for what, found, limit in (
        ("native and Python FMUs differ by", kinds, KINDS),
        ("FMPy and libcosim differ by", masters or 0.0, MASTERS),
        ("seconds that a second takes:", 1.0 / native.speed, 1.0),
    ):
        if not found <= limit:
            wrong.append(f"{name}: {what} {found:.1e}, more than {limit:g}")
    shown = "not installed" if masters is None else f"{masters:.0e}"
    return f"{native.speed:11.2f}   {kinds:18.0e}   {shown:>13}"


def in_libcosim(system: System, ours: Record) -> float | None:
    """How well libcosim agrees; None if it is not installed."""
    if importlib.util.find_spec("libcosimpy") is None:
        return None
    return difference(ours, libcosim_master.run_apart(system, float(ours.time[-1]), STEP, tuple(ours.values)))


def energy_rows(progress: Progress) -> Iterator[tuple[str, str]]:
    """Names and residuals at three communication steps."""
    progress("energy of the quarter car", 0.0)
    system, steps = quarter_car(), (2e-3, 1e-3, 5e-4)
    residuals = [
        quarter_car_balance(
            run(system, 1.0, h, QUARTER_RECORDED), system.starts["mass.mass"], suspension_mass()
        ).residual
        for h in steps
    ]
    yield "quarter car", "".join(f"{100 * r:10.3f} %" for r in residuals)
    models = {name: corner_model(name, rigid=True) for name in CORNERS}
    for k, name in enumerate(MANOEUVRES):
        for elements, of_car in CARS.items():
            progress(f"energy of the full car{of_car}: {name}", (k + elements / 2) / len(MANOEUVRES))
            car, recorded = full_car(name, rigid=True, elements=elements), (ELEMENTS if elements else DAMPERS)
            records = [run(car, 1.0, h, (*RECORDED, *ENERGY, *recorded)) for h in steps]
            residuals = [
                full_car_balance(r, models, round(20e-3 / h)).residual for r, h in zip(records, steps, strict=True)
            ]
            yield f"full car{of_car}, {name}", "".join(f"{100 * r:10.3f} %" for r in residuals)


if __name__ == "__main__":
    sys.exit(main())
