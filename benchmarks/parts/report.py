"""The result of a run as Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engines.common import ALLOWED, HOLD

from parts.cells import digits, small, table, times, yes
from parts.fmus import WAYS

Result = dict[str, Any]
LABELS = {"rigid_1": "rigid, 1 DoF", "rigid_2": "rigid, 2 DoF", "bushings_1": "bushings, 1 + 10 DoF"}


def markdown(result: Result) -> str:
    """All parts that were run."""
    found = [text for name, text in blocks(result).items() if name != "short"]
    return "\n\n".join([conditions(result), *found]) + "\n"


def conditions(result: Result) -> str:
    """Machine, date and how time was taken."""
    told = "; ".join(result["machine"][key] for key in ("date", "processor", "system", "compilers", "versions"))
    busy = f"before the run {result['machine']['load']} other processes were busy"
    return f"{told}; {busy}. Processor time, medians of {result['repetitions']} interleaved rounds."


def blocks(result: Result) -> dict[str, str]:
    """One text for each table, by name; of the parts that were run."""
    return {name: write(result[part]) for name, (part, write) in WRITERS.items() if result.get(part)}


# -- the kernel -------------------------------------------------------------------------------------------------------


def steps(part: dict[str, Result]) -> str:
    """All variants of the kernel."""
    makers = list(next(iter(part.values()))["rows"][0]["us"])
    rows = [
        [name, r["way"], r["family"], *(digits(r["us"][maker]) for maker in makers)]
        for name, found in part.items()
        for r in found["rows"]
    ]
    head = "**The kernel: a step of 1 ms alone, and one with 6 inputs set and 20 outputs read, us**"
    return f"{head}\n\n{table(['mechanism', '', 'processor', *makers], rows)}"


def single(part: dict[str, Result]) -> str:
    """The longest steps."""
    names = {"median": "median", "rare": "99.9 %", "longest": "longest", "seen": "longest seen"}
    rows = [[name, *(digits(r["single"][key]) for key in names)] for name, r in part.items()]
    head = (
        "**Single steps with inputs and outputs while the force swings, us by the wall clock**; 20 000 steps, each the "
        "shortest of some passes, so that what else the machine does is left out, but for the last column"
    )
    return f"{head}\n\n{table(['mechanism', *names.values()], rows)}"


def against(part: Result) -> str:
    """The other commit, and what was asked of the kernel."""
    makers = list(part["rows"][0]["now"])
    heads = [text for maker in makers for text in (f"{maker}, us", f"{maker} / before")]
    rows = [[r["model"], r["family"], r["way"], digits(r["before"]), *beside(r)] for r in part["rows"]]
    asked = [[bar["what"], f"{bar['found']:.3f}", f"{bar['most']:.3f}", yes(bar["met"])] for bar in part["bars"]]
    head = f"**The kernel against that of commit {part['commit']} (gcc), taking turns**"
    found = table(["mechanism", "processor", "", "before, us", *heads], rows)
    bakes = [
        [b["model"], digits(b["before"]), digits(b["now"]), f"{b['now'] / b['before']:.2f}"] for b in part["bakes"]
    ]
    found += f"\n\n{table(['mechanism', 'bake before, s', 'now, s', 'now / before'], bakes)}"
    return f"{head}\n\n{found}\n\n{table(['asked', 'found', 'at most', 'met'], asked)}"


def beside(r: Result) -> Iterator[str]:
    """Times of all compilers and their shares of the time before."""
    for time in r["now"].values():
        yield from (digits(time), f"{time / r['before']:.2f}")


# -- models and FMUs --------------------------------------------------------------------------------------------------


def fmus(part: dict[str, Result]) -> str:
    """Kernel and FMUs."""
    rows = [
        [name, f"{r['free']} + {r['stiff']}", *(digits(r["us"][way]["median"]) for way in WAYS)]
        for name, r in part.items()
    ]
    head = "**A step of 1 ms with 6 inputs set and 20 outputs read, us**"
    return f"{head}\n\n{table(['mechanism', 'free + stiff', *WAYS], rows)}"


def short(part: dict[str, Result]) -> str:
    """The same with the fastest method only, for a first look."""
    ways = {
        "kernel, step alone": "step alone",
        "kernel": "with 6 inputs, 20 outputs",
        "native FMU, FMPy": "as FMU in FMPy",
    }
    rows = [
        [name, f"{r['free']} + {r['stiff']}", *(digits(r["us"][way]["median"]) for way in ways)]
        for name, r in part.items()
        if f"{name}, midpoint" not in part
    ]
    return table(["mechanism", "free + stiff coordinates", *ways.values()], rows)


def making(part: dict[str, Result]) -> str:
    """Bake by stage, load, sizes."""
    stages = list(dict.fromkeys(stage for r in part.values() for stage in r["stages"]))
    rows = [
        [
            name,
            *(f"{r['stages'].get(stage, 0.0):.3f}" for stage in stages),
            *(digits(r[key]) for key in ("bake_s", "compile_s", "load_ms")),
            *(f"{r[key]:.0f}" for key in ("KiB", "fmu_KiB", "native_KiB")),
        ]
        for name, r in part.items()
    ]
    names = ["mechanism", *stages, "bake, s", "compile, s", "load, ms", "model file, KiB", "Python FMU", "native FMU"]
    return f"**Making a model: the stages of its bake in s, its kernel, its files**\n\n{table(names, rows)}"


def inside(part: dict[str, float]) -> str:
    """Where the time of a bake goes."""
    whole = sum(part.values())
    rows = [[what, f"{seconds:.2f}", f"{100.0 * seconds / whole:.0f}"] for what, seconds in part.items()]
    head = f"**Where the {whole:.1f} s of the bake of double_wishbone go**"
    return f"{head}\n\n{table(['', 's', '%'], rows)}"


def compiling(part: dict[str, Result]) -> str:
    """Compilers and families."""
    rows = [
        [name, compiler, *(f"{seconds:.1f}" for seconds in reversed(found.values()))]
        for name, r in part.items()
        for compiler, found in r["compilers"].items()
    ]
    families = list(reversed(next(iter(next(iter(part.values()))["compilers"].values()))))
    names = ["mechanism", "compiler", families[0], *(f"and {family}" for family in families[1:])]
    return f"**Compiling the kernel of a model, s**; the last column is what a bake does\n\n{table(names, rows)}"


def growth(part: Sequence[Result]) -> str:
    """How costs grow."""
    times_of, sizes = ("step_us", "all_us", "bake_s", "compile_s", "load_ms"), ("KiB", "fmu_KiB")
    rows = [
        [r["what"], str(r["n"]), *(digits(r[key]) for key in times_of), *(f"{r[key]:.0f}" for key in sizes)]
        for r in part
    ]
    names = ["", "n", "step, us", "with 6 inputs and all outputs of markers, us", "bake, s", "compile, s", "load, ms"]
    return f"**How costs grow**\n\n{table([*names, 'model file, KiB', 'Python FMU, KiB'], rows)}"


def loads(part: Sequence[Result]) -> str:
    """What loads cost."""
    ways = list(part[0]["us"])
    rows = [
        [
            f"{r['name']}, {r['loads']} loads, {r['balls']} of balls",
            *(digits(r["us"][way]) for way in ways),
            *(f"{digits(r[key][0])}, {digits(r[key][1])}" for key in ("MiB", "KiB", "bake_s")),
        ]
        for r in part
    ]
    head = "**What loads cost: a step of 1 ms with 6 inputs set, us; the rest without and with loads**"
    names = ["tables in memory, MiB", "model file, KiB", "bake, s"]
    return f"{head}\n\n{table(['mechanism', *ways, *names], rows)}"


def elements(part: Sequence[Result]) -> str:
    """What elements cost."""
    ways = list(part[0]["us"])
    rows = []
    for r in part:
        plain = r["us"][ways[0]]
        more = (f"{digits(r['us'][way])} ({signed(r['us'][way] - plain)})" for way in ways[1:])
        rows.append([r["name"], digits(plain), *more])
    names = [ways[0], *(f"{way}: {part[0]['states'][way]} states" for way in ways[1:])]
    head = "**What elements cost: a step of 1 ms with 6 inputs set, us, and what that is more**"
    return f"{head}\n\n{table(['mechanism', *names], rows)}"


def signed(more: float) -> str:
    """A difference; where it is small, the noise of a run may make it negative."""
    return f"{'+' * (more >= 0.0)}{digits(more)}"


def baking(part: Sequence[Result]) -> str:
    """Tolerance and orders."""
    rows = [
        [r["mechanism"], r["setting"], f"{r['bake_s']:.1f}", f"{r['KiB']:.0f}", *errors(r), digits(r["us"])]
        for r in part
    ]
    names = ["mechanism", "tables", "bake, s", "model file, KiB", "error", "toe error, deg", "us per step"]
    return f"**Tolerance and orders of the tables**; errors as in the comparison with engines\n\n{table(names, rows)}"


def rebakes(part: Sequence[Result]) -> str:
    """Bakes after a change."""
    rows = [[r["what"], f"{r['s']:.1f}", "yes" if r["reused"] else "no"] for r in part]
    head = "**double_wishbone.toml, from the file to its model, s**, with the tables of the file as it is in the cache"
    return f"{head}\n\n{table(['', 'processor time', 'tables from the cache'], rows)}"


# -- other engines ----------------------------------------------------------------------------------------------------


def rivals(part: dict[str, Result]) -> str:
    """Every engine, step and error."""
    return "\n\n".join(f"{engines(name, r['results'])}\n\n{ratios(r)}" for name, r in part.items())


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
    return f"{digits(best['microseconds'])} ({told})"


def engines(name: str, results: Sequence[Result]) -> str:
    """Times and errors of one mechanism."""
    rows = [
        [r["engine"], r["configuration"], f"{1e3 * r['step']:g}", digits(r["microseconds"]), *errors(r)]
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


def errors(r: Result) -> tuple[str, str]:
    """Of the wheel centre, relative, and of toe [deg]."""
    return small(r["error"]), small(math.degrees(r["toe_error"]))


WRITERS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "steps": ("steps", steps),
    "single": ("steps", single),
    "fmus": ("fmus", fmus),
    "short": ("fmus", short),
    "making": ("making", making),
    "inside": ("inside", inside),
    "compiling": ("making", compiling),
    "growth": ("growth", growth),
    "loads": ("loads", loads),
    "elements": ("elements", elements),
    "baking": ("baking", baking),
    "rebakes": ("rebakes", rebakes),
    "engines": ("engines", summary),
    "engines in full": ("engines", rivals),
    "against": ("against", against),
}
"""Tables by name: the part of the result that they show, and what writes them."""
