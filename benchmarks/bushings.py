"""How well tables with bushings in them stand for the full model: the double wishbone on a test rig.

    python benchmarks/bushings.py             bakes with both Taylor orders, compares, prints; some minutes
    python benchmarks/bushings.py --record    runs the full model through the step and stores it for the tests

What is done is told in rig.py.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from rig import CASES, FILE, STEP, FullRig, Motion, ReducedRig

from precompute.arrays import Array
from precompute.mechanism_file import load, to_document
from precompute.model.mechanism import Mechanism
from precompute.pipeline import bake

RECORD = Path(__file__).resolve().parent.parent / "tests" / "golden" / "double_wishbone_step.json"
TIMES: Array = np.linspace(0.0, 0.5, 251)  # [s]
UNMOVED = ("axes", "wheels", "axles", "vehicle")  # keys of a file that the step does not depend on
TIGHT, LOOSE = 1e-11, 1e-8  # relative tolerances of the full model's integrator: for the record, and to compare it with
LONGEST = 1e-3  # [s] step of the reduced model's integrator, as the file has it
SHORTER = (LONGEST, LONGEST / 2, LONGEST / 4)


def main() -> None:
    mechanism = load(FILE)
    if "--record" in sys.argv:
        record(mechanism)
        return
    full, exact = FullRig(mechanism), recorded(mechanism)
    rigs = {order: ReducedRig(bake(with_order(mechanism, order))) for order in (1, 2)}
    show_step(rigs, exact)
    show_frequencies(rigs, full)
    show_compliance(rigs, full)


def with_order(mechanism: Mechanism, order: int) -> Mechanism:
    """The mechanism with tables of this Taylor order, starting at rest under its wheel load."""
    tables, experiment = replace(mechanism.tables, taylor=order), replace(mechanism.experiment, static=True)
    return replace(mechanism, tables=tables, experiment=experiment)


# -- comparisons ------------------------------------------------------------------------------------------------------


def show_step(rigs: dict[int, ReducedRig], exact: Motion) -> None:
    way = np.linalg.norm(exact.r - exact.r[0], axis=1).max()
    turn = np.degrees(np.abs(exact.steer - exact.steer[0]).max())
    print("\nStep of 2 kN longitudinal, 1.5 kN lateral, 1 kN vertical at the contact patch, 0.5 s")
    print(f"The wheel centre moves by {1e3 * way:.1f} mm, the wheel steers by {turn:.3f} deg; largest errors:")
    print("  taylor  integrator          wheel centre           toe")
    for order, rig in rigs.items():
        for longest in SHORTER:
            r, steer = rig.step(TIMES, longest).errors(exact)
            print(f"  {order:4d}  {1e3 * longest:8.2f} ms  {1e3 * r * way:8.4f} mm {100 * r:7.4f} %  {steer:8.5f} deg")


def show_frequencies(rigs: dict[int, ReducedRig], full: FullRig) -> None:
    exact = full.frequencies()
    errors = [rig.frequencies() / exact - 1.0 for rig in rigs.values()]
    print("\nNatural frequencies at rest under the wheel load, and their errors")
    print("  full model" + "".join(f"  taylor = {order}" for order in rigs))
    for f, *e in zip(exact, *errors, strict=True):
        print(f"  {f:7.3f} Hz" + "".join(f"   {100 * x:7.4f} %" for x in e))


def show_compliance(rigs: dict[int, ReducedRig], full: FullRig) -> None:
    for held in (True, False):
        print(f"\nCompliance per kN, steering and shock {'held' if held else 'free'}; errors of the linearization,")
        print("and of the quasi-static option at 1 kN: the largest of wheel centre, contact patch, rotation, toe")
        head = "".join(f"  taylor = {order}: linear, 1 kN" for order in rigs)
        print(f"  {'load':30s} wheel centre  contact patch         toe{head}")
        for name, forces in CASES.items():
            linear, exact = full.compliance(forces, held), full.statics(forces, held)
            line = (
                f"  {name:30s} {moved(linear.wheel)}   {moved(linear.contact)}  {np.degrees(linear.turn[2]):7.4f} deg"
            )
            for rig in rigs.values():
                errors = rig.compliance(forces, held).error(linear), rig.statics(forces, held).error(exact)
                line += "".join(f"   {100 * e:8.4f} %" for e in errors)
            print(line)


def moved(r: Array) -> str:
    """Length of a displacement."""
    return f"{1e3 * np.linalg.norm(r):8.4f} mm"


# -- the record of the full model -------------------------------------------------------------------------------------


def record(mechanism: Mechanism) -> None:
    """Run the full model at two tolerances and keep the tighter result."""
    rig = FullRig(mechanism)
    motion, other = rig.step(TIMES, TIGHT), rig.step(TIMES, LOOSE)
    content = {
        "origin": {
            "what": "the independent full model of precompute.reference, integrated in time",
            "command": "python benchmarks/bushings.py --record",
            "mechanism": FILE.name,
            "fingerprint": fingerprint(mechanism),
            "rtol": TIGHT,
            "largest_change_with_rtol": {
                "rtol": LOOSE,
                "r": float(np.abs(motion.r - other.r).max()),
                "steer": float(np.abs(motion.steer - other.steer).max()),
            },
        },
        "conventions": {
            "start": "at rest under gravity and the loads of the mechanism file, 5 kN up at the contact patch",
            "step": "forces [N] on ports in ground axes, added at t = 0: x outboard, y along the car, z up",
            "r": "position of marker wheel, ground axes [m]",
            "steer": "heading of its spin axis from design, positive about z [rad]",
        },
        "step": STEP,
        "t": TIMES.round(6).tolist(),
        "r": motion.r.tolist(),
        "steer": motion.steer.tolist(),
    }
    RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def fingerprint(mechanism: Mechanism) -> str:
    """What moves of the mechanism, to nine digits; the others depend on the processor that has read its file."""
    document = json.loads(json.dumps(to_document(mechanism)), parse_float=lambda number: f"{float(number):.9g}")
    document = {key: value for key, value in document.items() if key not in UNMOVED}
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def recorded(mechanism: Mechanism) -> Motion:
    """The step of the full model as it was recorded.

    Raises:
        SystemExit: the mechanism file has changed since.
    """
    content = json.loads(RECORD.read_text(encoding="utf-8"))
    if content["origin"]["fingerprint"] != fingerprint(mechanism):
        raise SystemExit(f"{FILE.name} has changed since the full model was recorded; run with --record first")
    return Motion(np.array(content["r"]), np.array(content["steer"]))


if __name__ == "__main__":
    main()
