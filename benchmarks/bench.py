"""How fast the kernel and the FMUs are, beside other engines: one run, one table.

    python benchmarks/bench.py                    everything; the first run bakes and takes some minutes more
    python benchmarks/bench.py --parts fmus,growth
    python benchmarks/bench.py --quick            a short run of part (a) on one cheap model; nothing to quote

Writes build/bench.json and build/bench.md.  All times are processor time of one thread; repetitions of all candidates
are interleaved, and medians are shown.
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
from parts import against, baking, fmus, growth, rivals
from parts.machine import machine
from parts.models import TIMED, baked, mechanism, timed
from parts.report import markdown

CHEAP = ("four_bar",)
REPETITIONS = 11

PARTS: dict[str, Callable[[int], Any]] = {
    "fmus": lambda n: {key: fmus.measure(timed(key), n) for key in TIMED},
    "engines": lambda n: {name: rivals.measure(name, baked(mechanism(name)), n) for name in NAMES},
    "growth": lambda n: growth.measure(n),
    "baking": lambda n: baking.measure(),
}


def main(words: list[str] | None = None) -> None:
    arguments = parse(words)
    result: dict[str, Any] = {"machine": machine(), "repetitions": arguments.repetitions}
    if arguments.quick:
        result["fmus"] = {name: fmus.measure(baked(mechanism(name)), 2) for name in CHEAP}
    elif arguments.against:
        result["against"] = against.measure(arguments.against, arguments.repetitions, arguments.models or TIMED)
    else:
        for name in arguments.parts.split(","):
            print(f"bench: {name} ...", file=sys.stderr, flush=True)
            result[name] = PARTS[name](arguments.repetitions)
            write(result, arguments.folder)  # what is done is kept, whatever comes
    print(write(result, arguments.folder))


def parse(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.py", description="How fast the kernel and the FMUs are.")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="rounds; medians are shown")
    parser.add_argument("--quick", action="store_true", help="a short run of part (a) on one cheap model")
    parser.add_argument("--against", metavar="COMMIT", help="only the kernel, taking turns with that of a commit")
    parser.add_argument("--models", nargs="+", choices=TIMED, metavar="MODEL", help="with --against: only some models")
    parser.add_argument("--folder", type=Path, default=BUILD, help="where results go")
    arguments = parser.parse_args(words)
    if unknown := set(arguments.parts.split(",")) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    return arguments


def write(result: dict[str, Any], folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    text = markdown(result)
    (folder / "bench.md").write_text(text, encoding="utf-8")
    return text


if __name__ == "__main__":
    main()
