"""The result of a run as Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engines.common import ALLOWED, HOLD

from parts.fmus import WAYS

Result = dict[str, Any]
LABELS = {"rigid_1": "rigid, 1 DoF", "rigid_2": "rigid, 2 DoF", "bushings_1": "bushings, 1 + 10 DoF"}


def markdown(result: Result) -> str:
    """All parts that were run."""
    parts: dict[str, Callable[[Any], str]] = {
        "against": against,
        "fmus": fmus,
        "engines": rivals,
        "baking": baking,
        "growth": growth,
    }
    found = [parts[name](result[name]) for name in parts if result.get(name)]
    return "\n\n".join([conditions(result["machine"]), *found]) + "\n"


def conditions(machine: dict[str, str]) -> str:
    """Machine, date and how time was taken."""
    told = "; ".join(machine[key] for key in ("date", "processor", "system", "compiler", "versions"))
    return f"{told}. Processor time, medians of interleaved repetitions."


def against(part: Result) -> str:
    """The other commit, and what was asked of the kernel."""
    makers = list(part["rows"][0]["now"])
    heads = [text for maker in makers for text in (f"{maker}, us", f"{maker} / before")]
    rows = [
        [r["model"], r["family"], r["way"], us(r["before"]), *(text for maker in makers for text in beside(r, maker))]
        for r in part["rows"]
    ]
    asked = [[bar["what"], f"{bar['found']:.2f}", f"{bar['most']:.2f}", yes(bar["met"])] for bar in part["bars"]]
    head = f"**A step of 1 ms, and one with 6 inputs set and 20 outputs read, against commit {part['commit']} (gcc)**"
    found = table(["mechanism", "processor", "", "before, us", *heads], rows)
    return f"{head}\n\n{found}\n\n{table(['asked', 'found', 'at most', 'met'], asked)}"


def beside(r: Result, maker: str) -> tuple[str, str]:
    """A time and its share of the time before."""
    return us(r["now"][maker]), f"{r['now'][maker] / r['before']:.2f}"


def fmus(part: dict[str, Result]) -> str:
    """Part (a)."""
    rows = [
        [name, f"{r['free']} + {r['stiff']}", *(us(r["us"][way]["median"]) for way in WAYS)] for name, r in part.items()
    ]
    head = "**A step of 1 ms with 6 inputs set and 20 outputs read, us**"
    return f"{head}\n\n{table(['mechanism', 'free + stiff', *WAYS], rows)}"


def rivals(part: dict[str, Result]) -> str:
    """Part (b)."""
    every = (f"{engines(name, r['results'])}\n\n{ratios(r)}" for name, r in part.items())
    return "\n\n".join([summary(part), *every])


def summary(part: dict[str, Result]) -> str:
    """The kernel, and the fastest configuration of each engine that is exact enough for it."""
    names = list(dict.fromkeys(r["engine"] for found in part.values() for r in found["results"]))
    rows = [[LABELS[name], *(quickest(found["results"], engine) for engine in names)] for name, found in part.items()]
    head = (
        "**us per ms simulated, new forces every ms**; of each the fastest with an error up to "
        f"{ALLOWED:g} of the wheel's displacement; in brackets its step and its error"
    )
    return f"{head}\n\n{table(['', *names], rows)}"


def quickest(results: Sequence[Result], engine: str) -> str:
    """The fastest configuration of an engine that is exact enough at steps up to the master's."""
    good = [r for r in results if r["engine"] == engine and r["error"] <= ALLOWED and r["step"] <= HOLD]
    best = min(good, key=lambda r: r["microseconds"], default=None)
    if best is None:
        return f"none within {ALLOWED:g}"
    told = f"{best['configuration']}, {1e3 * best['step']:g} ms, {small(best['error'])}"
    return f"{us(best['microseconds'])} ({told})"


def engines(name: str, results: Sequence[Result]) -> str:
    """Times and errors of one mechanism."""
    rows = [
        [r["engine"], r["configuration"], f"{1e3 * r['step']:g}", us(r["microseconds"]), small(r["error"]), toe(r)]
        for r in results
    ]
    head = f"**{LABELS[name]}: the kernel and other engines**; error of the wheel centre over its largest displacement"
    return f"{head}\n\n{table(['engine', 'integrator', 'step, ms', 'us per ms', 'error', 'toe error, deg'], rows)}"


def ratios(r: Result) -> str:
    """How many times faster the kernel is."""
    rows = [
        [f"{ratio['what']}", times(ratio["found"]), times(ratio["needed"]), yes(ratio["met"])] for ratio in r["ratios"]
    ]
    said = (
        f"The kernel's error is {'not larger' if r['error_not_larger'] else 'LARGER'} than that of the first of these."
    )
    return f"{table(['the kernel against', 'times faster', 'wanted', 'met'], rows)}\n\n{said}"


def baking(part: Sequence[Result]) -> str:
    """Part (c)."""
    rows = [
        [r["mechanism"], r["setting"], f"{r['bake_s']:.1f}", f"{r['KiB']:.0f}", small(r["error"]), toe(r), us(r["us"])]
        for r in part
    ]
    names = ["mechanism", "tables", "bake, s", "model file, KiB", "error", "toe error, deg", "us per step"]
    return f"**Baking**; errors of the run of the kernel as above\n\n{table(names, rows)}"


def growth(part: Sequence[Result]) -> str:
    """Part (d)."""
    rows = [[r["what"], str(r["n"]), us(r["step_us"]), us(r["all_us"]), f"{r['KiB']:.0f}"] for r in part]
    names = ["", "n", "step, us", "with 6 inputs and all outputs of markers, us", "model file, KiB"]
    return f"**How the kernel's cost grows**\n\n{table(names, rows)}"


# -- cells ---------------------------------------------------------------------------------------------------------


def table(names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    names = list(names)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def us(microseconds: float) -> str:
    """A time with three digits."""
    if not math.isfinite(microseconds):
        return "unstable"
    return f"{microseconds:.{max(0, 2 - math.floor(math.log10(microseconds)))}f}"


def small(error: float) -> str:
    """An error."""
    return f"{error:.1e}" if math.isfinite(error) else "unstable"


def toe(r: Result) -> str:
    """An error of toe."""
    return small(math.degrees(r["toe_error"]))


def times(ratio: float) -> str:
    """A ratio."""
    return "not measured" if not math.isfinite(ratio) else f"{ratio:.0f} x" if ratio >= 10 else f"{ratio:.1f} x"


def yes(met: bool) -> str:
    """In words."""
    return "yes" if met else "no"
