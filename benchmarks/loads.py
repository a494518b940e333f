"""How well loads of tables stand for the multipliers of the full model: suspensions over a bump, with steering.

    python benchmarks/loads.py                   all cases; some ten minutes
    python benchmarks/loads.py macpherson ...    some of them

Every joint and rod gives its loads.  A bump of 3 kN for 0.1 s acts at the contact patch on top of the wheel load; where
there is steering, a force or moment swings it meanwhile.  Errors are those of forces and moments of joints, the largest
at any time, as shares of how far the vector moves; FMU and full model are compared as `kinetab verify` does.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.model.reduced_model import ReducedModel
from fmu_src.model.rows import Need
from precompute.mechanism_file import from_document, load, to_document
from precompute.model.mechanism import Mechanism
from precompute.pipeline import bake
from precompute.verify.dynamic_check import dynamic_check, manoeuvre
from precompute.verify.findings import Difference
from precompute.verify.limits import Limits

MECHANISMS = Path(__file__).resolve().parent.parent / "integration" / "mechanisms"

STOP, STEP = 0.3, 1e-3  # [s]
BUMP = 3000.0  # [N] besides the static wheel load
BEGIN, LONG = 0.03, 0.1  # [s] of the bump
PERIOD = 0.2  # [s] of steering


@dataclass(frozen=True)
class Case:
    """A suspension, what becomes of it, and what steers it."""

    file: str
    change: Callable[[Mechanism], Mechanism] = lambda mechanism: mechanism
    steering: tuple[str, float] | None = None  # input, and how large [N or N m]
    bump: float = BUMP


def rigid(mechanism: Mechanism) -> Mechanism:
    """The same without rubber: stiff directions are locked, bushings left out."""
    document = to_document(mechanism)
    for joint in document["joints"].values():
        for key in ("stiff", "second"):
            joint.pop(key, None)
        if "primitives" in joint:
            joint["primitives"] = [p for p in joint["primitives"] if not p.get("stiff")]
    del document["bushings"]
    return from_document(document)


def third(mechanism: Mechanism) -> Mechanism:
    """With Taylor polynomials of one order more."""
    return replace(mechanism, tables=replace(mechanism.tables, taylor=3, inertia=2))


RACK, PITMAN = ("Q.rack", 600.0), ("Q.pitman", 150.0)
CASES = {
    "double_wishbone_rigid": Case("double_wishbone_rigid", steering=PITMAN),
    "macpherson, rigid": Case("macpherson", rigid, RACK),
    "five_link, rigid": Case("five_link", rigid),
    "five_link": Case("five_link"),
    "macpherson": Case("macpherson", steering=RACK),
    "macpherson, half the bump": Case("macpherson", steering=RACK, bump=0.5 * BUMP),
    "macpherson, taylor = 3, inertia = 2": Case("macpherson", third, RACK),
    "double_wishbone": Case("double_wishbone", steering=PITMAN),
}


@dataclass(frozen=True)
class Found:
    """What a case came to."""

    model: ReducedModel
    seconds: float  # of processor time that the bake took
    fmu: int  # [bytes]
    loads: tuple[Difference, ...]  # forces and moments of joints and rods

    def worst(self, moments: bool) -> Difference:
        """The largest error of forces or of moments, as a share of the range."""
        own = [d for d in self.loads if d.quantity.endswith(".M") == moments]
        return max(own, key=share)


def share(difference: Difference) -> float:
    """Error over range."""
    return difference.error / difference.span


def main() -> None:
    wanted = sys.argv[1:]
    if unknown := [name for name in wanted if not any(case.startswith(name) for case in CASES)]:
        sys.exit(f"there is no case {', '.join(unknown)}; known: {'; '.join(CASES)}")
    print(
        "| over a bump | loads | largest error of a force, of its range | of a moment | tables of loads, of all | "
        "native FMU | bake, s of processor |\n|---|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, case in CASES.items():
            if not wanted or any(name.startswith(word) for word in wanted):
                print(line(name, run(case, Path(folder))), flush=True)


def run(case: Case, folder: Path) -> Found:
    """Bake, build, drive over the bump, compare."""
    mechanism = watched(case.change(load(MECHANISMS / f"{case.file}.toml")))
    begin = time.process_time()
    model = bake(mechanism)
    seconds = time.process_time() - begin
    path = build_native_fmu(model, folder / "loads.fmu")
    course = manoeuvre(path, model, {}, STOP, STEP, over_a_bump(model, case), False)
    resolved = from_document(model.mechanism)  # as the FMU has it: coordinates, ranges, rest
    found = dynamic_check(path, model, resolved, {}, course, Limits().of(model))
    loads = tuple(d for d in found.differences if d.quantity.startswith(("joint.", "rod.")))
    return Found(model, seconds, path.stat().st_size, loads)


def watched(mechanism: Mechanism) -> Mechanism:
    """With all loads."""
    return from_document({**to_document(mechanism), "loads": "all"})


def over_a_bump(model: ReducedModel, case: Case) -> NDArray[Any]:
    """Inputs over time."""
    t = np.arange(0.0, STOP + 0.5 * STEP, STEP)
    phase = np.clip((t - BEGIN) / LONG, 0.0, 1.0)
    port = next(port for port in model.ports if port.name == "contact")
    columns = {"time": t, "port.contact.F[3]": port.force[2] + case.bump * np.sin(np.pi * phase) ** 2}
    if case.steering:
        name, size = case.steering
        columns[name] = size * np.sin(2.0 * np.pi * t / PERIOD) * np.clip(t / BEGIN, 0.0, 1.0)
    found = np.zeros(t.size, dtype=[(name, float) for name in columns])
    for name, values in columns.items():
        found[name] = values
    return found


def sizes(model: ReducedModel) -> tuple[float, float]:
    """Of the tables that are read on request, and of all [MiB]."""
    all_of_them = on_request = 0
    for chart in model.charts:
        for block in chart.blocks:
            all_of_them += block.coefficients.nbytes
            on_request += block.coefficients.nbytes * bool((block.cells[:, 0] >= chart.rows.ends[Need.POSES]).all())
    return on_request / 2**20, all_of_them / 2**20


def line(name: str, found: Found) -> str:
    """Of the table."""
    worst = [
        f"{100 * share(d):.2g} % ({d.error:.2g} of {d.span:.3g} {d.unit}, {d.quantity})"
        for d in (found.worst(False), found.worst(True))
    ]
    own, every = sizes(found.model)
    return (
        f"| {name} | {len(found.model.loads)} | {worst[0]} | {worst[1]} | {own:.3g} of {every:.3g} MiB | "
        f"{found.fmu / 1e6:.1f} MB | {found.seconds:.0f} |"
    )


if __name__ == "__main__":
    main()
