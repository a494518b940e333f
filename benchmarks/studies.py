"""How long the K&C of one more design takes, computed together with others.

    python benchmarks/studies.py            41 points of parallel bump, 400 designs, processor time of one thread

Normal changes of 0.2 mm of six hardpoints; all metrics of position and velocity without second derivatives.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import numpy as np

from precompute.design import Design
from precompute.kc.registry import METRICS
from precompute.mechanism_file import load
from precompute.study import Engine
from precompute.study.alone import Setup, alone

MECHANISMS = Path(__file__).resolve().parent.parent / "integration" / "mechanisms"
FILES = {"double_wishbone_rigid": True, "front_axle": True, "macpherson_rigid": True, "five_link": False}
DESIGNS, POINTS, RANGE, SIGMA, VARIABLES = 400, 41, (-0.04, 0.04), 2e-4, 18


def columns_of(mechanism: object, setup: Setup) -> list[str]:
    """All that there are of position and velocity."""
    wanted = [name for name, m in METRICS.items() if m.order != "statics" and not name.endswith("ratio_change")]
    return [*alone(mechanism, setup, wanted)[0].columns]  # type: ignore[arg-type]


def main() -> None:
    """Prints a table."""
    print("| mechanism | variables | columns | alone [ms] | together [ms] | not found |\n|---|---|---|---|---|---|")
    for stem, elastic in FILES.items():
        mechanism = load(MECHANISMS / f"{stem}.toml")
        names = [name for name in Design.of(mechanism).variables if name.startswith("point.")][-VARIABLES:]
        setup = Setup("bump", np.linspace(*RANGE, POINTS), elastic=elastic)
        start = time.process_time()
        columns = columns_of(mechanism, setup)
        once = time.process_time() - start
        engine = Engine.of(mechanism, names, columns, between=RANGE, points=POINTS, elastic=elastic)
        assert engine.together is not None, engine.why
        changes = np.random.default_rng(0).normal(0.0, SIGMA, (DESIGNS, len(names)))
        start = time.process_time()
        found = engine.results(changes)
        each = (time.process_time() - start) / DESIGNS
        print(
            f"| {stem} | {len(names)} | {len(columns)} | {1e3 * once:.0f} | {1e3 * each:.2f} | {len(found.failures)} |"
        )


if __name__ == "__main__":
    main()
