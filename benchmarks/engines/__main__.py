"""Print errors and times of all engines that are installed.  Run in `benchmarks`.

python -m engines [--repetitions N] [MECHANISM ...]
"""

from __future__ import annotations

import argparse

import numpy as np

from engines.common import ALLOWED, HOLD, NAMES, EngineResult, cases, fastest, installed, measure
from engines.truth import truth


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m engines", description="The suspension in other multibody engines.")
    parser.add_argument("mechanism", nargs="*", default=NAMES, help=f"of {', '.join(NAMES)}")
    parser.add_argument("--repetitions", type=int, default=5, help="timed runs of each case; the shortest counts")
    arguments = parser.parse_args()
    for name in arguments.mechanism:
        exact = truth(name)
        way, toe = np.linalg.norm(exact.motion.r - exact.motion.r[0], axis=1).max(), np.ptp(exact.motion.toe)
        print(f"\n{name}: the wheel centre moves by {1e3 * way:.1f} mm, toe by {np.degrees(toe):.2f} deg")
        all_cases = [case for engine in installed() for case in cases(exact, engine)]
        show(measure(all_cases, arguments.repetitions))


def show(results: list[EngineResult]) -> None:
    """The table of one mechanism, with the best case of each engine marked."""
    engines = {r.engine for r in results}
    best = [fastest(results, engine, longest=HOLD) for engine in engines]
    best_of_all = [fastest(results, engine) for engine in engines]
    print(f"  us per ms simulated; the fastest of its engine with an error up to {ALLOWED:g}:")
    print("  * among steps that a master with new forces every millisecond can use, + among all")
    for r in results:
        mark = ("*" if r in best else " ") + ("+" if r in best_of_all else " ")
        head = f"{mark} {r.engine:10s} {r.configuration:36s} {1e3 * r.step:5.2f} ms"
        if np.isfinite(r.error):
            print(f"{head} {r.microseconds:8.1f} us  wheel {r.error:8.1e}  toe {np.degrees(r.toe_error):8.1e} deg")
        else:
            print(f"{head}  unstable")


if __name__ == "__main__":
    main()
