"""How fast the kernel and the FMUs are, beside a former commit and other engines: one run, one report.

    python benchmarks/bench.py                    everything; the first run bakes and compiles for some minutes
    python benchmarks/bench.py --parts fmus,growth
    python benchmarks/bench.py --against COMMIT   everything, and the kernel taking turns with that of a commit
    python benchmarks/bench.py --against COMMIT --parts against --models rigid_1
    python benchmarks/bench.py --quick            a short run of part fmus on one cheap model; nothing to quote

Writes build/bench.json and build/bench.md; pages.py puts its tables into docs/speed.md and README.md.  Times are
processor time of one thread unless they say otherwise; repetitions of all candidates are interleaved, and medians are
shown.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

from engines.common import BUILD, NAMES
from parts import against, baking, elements, fmus, growth, inside, making, reading, rebakes, rivals, steps
from parts.machine import machine
from parts.models import TIMED, baked, mechanism, timed
from parts.report import markdown

CHEAP = ("four_bar",)
LOADED = ("double_wishbone_rigid", "five_link", "double_wishbone")
MADE = tuple(key for key in TIMED if ", " not in key)
ELEMENTS = ("double_wishbone_rigid", "double_wishbone")
REPETITIONS = 11

PARTS: dict[str, Callable[[argparse.Namespace], Any]] = {
    "against": lambda a: against.measure(a.against, a.repetitions, a.models),
    "steps": lambda a: {key: steps.measure(timed(key), a.repetitions) for key in a.models},
    "fmus": lambda a: {key: fmus.measure(timed(key), a.repetitions) for key in a.models},
    "inside": lambda a: inside.measure(mechanism("double_wishbone")),
    "making": lambda a: {key: making.measure(timed(key)) for key in MADE if key in a.models},
    "growth": lambda a: growth.measure(a.repetitions),
    "loads": lambda a: reading.measure(LOADED, a.repetitions),
    "elements": lambda a: elements.measure(ELEMENTS, a.repetitions),
    "baking": lambda a: baking.measure(),
    "rebakes": lambda a: rebakes.measure(),
    "engines": lambda a: {name: rivals.measure(name, baked(mechanism(name)), a.repetitions) for name in NAMES},
}

QUICK: dict[str, Callable[[argparse.Namespace], Any]] = {
    "fmus": lambda a: {name: fmus.measure(baked(mechanism(name)), 2) for name in CHEAP},
}


def main(words: list[str] | None = None) -> None:
    arguments = parse(words)
    result: dict[str, Any] = {"machine": machine(), "repetitions": arguments.repetitions}
    for name in arguments.parts:
        print(f"bench: {name} ...", file=sys.stderr, flush=True)
        result[name] = (QUICK if arguments.quick else PARTS)[name](arguments)
        write(result, arguments.folder)  # what is done is kept, whatever comes
    print((arguments.folder / "bench.md").read_text(encoding="utf-8"))


def parse(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.py", description="How fast the kernel and the FMUs are.")
    parser.add_argument("--parts", type=lambda text: text.split(","), help=f"some of {','.join(PARTS)}; all of them")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="rounds; medians are shown")
    parser.add_argument("--against", metavar="COMMIT", help="let the kernel take turns with that of a commit")
    parser.add_argument("--models", nargs="+", default=TIMED, choices=TIMED, metavar="MODEL", help="only some models")
    parser.add_argument("--quick", action="store_true", help="a short run of part fmus on one cheap model")
    parser.add_argument("--folder", type=Path, default=BUILD, help="where results go")
    arguments = parser.parse_args(words)
    if arguments.parts is None:
        arguments.parts = [name for name in PARTS if name != "against" or arguments.against]
    if arguments.quick:
        arguments.parts, arguments.repetitions = list(QUICK), 2
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if "against" in arguments.parts and not arguments.against:
        parser.error("against what? --against COMMIT")
    return arguments


def write(result: dict[str, Any], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    (folder / "bench.md").write_text(markdown(result), encoding="utf-8")


if __name__ == "__main__":
    main()
