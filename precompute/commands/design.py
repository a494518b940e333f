"""The command `kinetab design`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from precompute.command_options import loaded
from precompute.design.moved import Design
from precompute.design.variables import Variable
from precompute.errors import PrecomputeError
from precompute.files import check_writable
from precompute.geometry.spatial import so3_log
from precompute.kinematics.redraw import Redrawn
from precompute.model.mechanism import Mechanism
from precompute.outcome import Outcome
from precompute.quantities import scale_to, si_unit, split
from precompute.redesign.amending import rewritten
from precompute.redesign.asking import redesign
from precompute.redesign.changing import Redesign
from precompute.report.run_text import table
from precompute.results.designs import redesign_data
from precompute.telling import note

METHODS = {"least": "least change", "increments": "increments of minimum norm"}

STILL = 1e-9
"""Bodies that move by less, over the reference length, or turn by less, stand where they did."""


EXAMPLES = """\
kinetab design axle.toml --change point.outer.z=+5mm --absorb rod.tie.length -o new.toml
kinetab design axle.toml --change point.outer.z=+5mm --absorb point.inner.z --hold wheel.fl.toe@travel=0"""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("mechanism", type=Path)
    parser.add_argument(
        "--change",
        action="append",
        required=True,
        metavar="NAME=AMOUNT",
        help="change a design variable by so much: point.outer.z=+5mm; several with commas, repeatable",
    )
    parser.add_argument(
        "--absorb",
        action="append",
        default=[],
        metavar="NAMES",
        help="what may change with it: rod.tie.length,point.inner (all three of a point); 'joints' lets joints stand "
        "elsewhere at design; otherwise they stand as they do",
    )
    parser.add_argument(
        "--hold",
        action="append",
        default=[],
        metavar="METRIC@INPUT=VALUE",
        help="a metric of 'kinetab kc' that is to stay, at an input [mm, deg, N]: wheel.left.toe@travel=0, "
        "axle.front.roll_centre_height@travel=30; or a variable; several with commas, repeatable",
    )
    parser.add_argument(
        "--method",
        choices=("least", "increments"),
        default="least",
        help="the least change of all that absorb it (default), or the accumulated steps of minimum norm of Zou, "
        "Abdel-Malek and Wang",
    )
    parser.add_argument("--steps", type=int, metavar="N", help="parts in which --method increments makes the change")
    parser.add_argument("-o", "--output", type=Path, help="write the mechanism file with its numbers changed there")
    parser.set_defaults(command=run_design)


def run_design(options: argparse.Namespace) -> Outcome:
    """`kinetab design`."""
    if options.output:
        check_writable(options.output, ".toml", apart_from=[options.mechanism])
    result = asked(loaded(options.mechanism), options)
    new = result.redrawn()
    words, data = text(result, new), redesign_data(result, moved_bodies(result, new))
    if not options.output:
        return Outcome(words, data)
    kept = write(options.mechanism, options.output, result, new)
    how = "" if kept else "\n  written anew, in SI units and without comments: not all could be changed in its place"
    return Outcome(f"{words}\nwrote {options.output}{how}", {**data, "layout_kept": kept}, (options.output,))


def asked(mechanism: Mechanism, options: argparse.Namespace) -> Redesign:
    """What the options ask for."""
    if options.steps is not None and (options.method != "increments" or options.steps < 1):
        raise PrecomputeError(
            f"--steps {options.steps}: it is the number of parts, one or more, in which --method increments makes the "
            "change"
        )
    changes = read_changes(words(options.change), Design.of(mechanism))
    return redesign(mechanism, changes, words(options.absorb), words(options.hold), options.method, options.steps or 1)


def words(given: Iterable[str]) -> list[str]:
    """What stands between commas, each once."""
    return list(dict.fromkeys(word.strip() for each in given for word in each.split(",") if word.strip()))


def read_changes(pairs: Sequence[str], design: Design) -> dict[str, float]:
    """NAME=AMOUNT pairs [SI].

    Raises:
        PrecomputeError: a name is not known or stands twice, or an amount is no number with its sign and unit.
    """
    parts = [[part.strip() for part in pair.partition("=")] for pair in pairs]
    if bad := [pair for pair, (name, _, amount) in zip(pairs, parts, strict=True) if not name or not amount]:
        raise PrecomputeError(f"--change {bad[0]}: write NAME=AMOUNT, such as point.outer.z=+5mm")
    names = [name for name, _, _ in parts]
    if twice := [name for name in names if names.count(name) > 1]:
        raise PrecomputeError(f"--change: '{twice[0]}' is changed twice")
    found = zip(pairs, design.chosen(names), parts, strict=True)
    return {variable.name: read_amount(f"--change {pair}", amount, variable) for pair, variable, (*_, amount) in found}


def read_amount(where: str, amount: str, variable: Variable) -> float:
    """By how much a variable is to change [SI]."""
    try:
        number, unit = split(amount)
        if not unit or amount[0] not in "+-":
            raise PrecomputeError(
                f"write by how much it changes, with sign and unit, such as +{abs(number):g}{variable.unit}"
            )
        change = scale_to(unit, si_unit(variable.unit))(number)
    except PrecomputeError as error:
        raise PrecomputeError(f"{where}: {error}") from None
    if not math.isfinite(change):
        raise PrecomputeError(f"{where}: '{amount}' is not a finite number")
    return change


def write(source: Path, target: Path, result: Redesign, new: Redrawn) -> bool:
    """Write the mechanism with its changes; whether comments and layout were kept."""
    for remark in new.notes:
        note(remark)
    return rewritten(source, target, result.document, new.mechanism, new.poses)


# -- what it says -----------------------------------------------------------------------------------------------------


def text(result: Redesign, new: Redrawn) -> str:
    """What was asked, what absorbed it by how much, what was held and what is left, in the units of the file."""
    loops, m = result.problem.loops, result.problem.loops.design.mechanism
    variables = loops.design.variables
    rows = [row(variables[name], change) for name, change in result.problem.asked.items()]
    size = float(np.linalg.norm(loops.weights * result.x))
    lines = [f"{m.name}: {METHODS[result.method]}, {result.iterations} iteration{'s' * (result.iterations != 1)}"]
    lines += ["", *table(("asked for", "before", "after", "change", ""), rows).splitlines()]
    if result.absorbed:
        rows = [row(variables[name], change) for name, change in result.absorbed.items()]
        lines += ["", *table(("absorbed by", "before", "after", "change", ""), rows).splitlines()]
    lines += stands(result, new)
    if result.problem.holds.all:
        lines += ["", *held_lines(result)]
    lines += [
        "",
        f"norm of what absorbs it {m.units.shown(size, digits=6)}; an angle of 1 rad counts "
        f"{m.units.shown(loops.closure.length)}, the reference length",
        f"largest gap of the loops {m.units.shown(result.gap, digits=2)}",
    ]
    return "\n".join(lines)


def row(variable: Variable, change: float) -> tuple[str, ...]:
    """Of the table of variables."""
    before, after = (f"{variable.scale.back(x):.7g}" for x in (variable.value, variable.value + change))
    return variable.name, before, after, f"{variable.scale.back(change):+.6g}", variable.unit


def moved_bodies(result: Redesign, new: Redrawn) -> list[tuple[str, float, float]]:
    """Bodies that stand elsewhere at design: how far their centres of mass moved [m], and they turned [rad]."""
    m, length = result.problem.loops.design.mechanism, result.problem.loops.closure.length
    found = []
    for body in m.bodies:
        X = new.poses[body.name]
        moved, turned = float(np.linalg.norm(X.point(body.com) - body.com)), float(np.linalg.norm(so3_log(X.R)))
        if max(moved / length, turned) > STILL:
            found.append((body.name, moved, turned))
    return found


def stands(result: Redesign, new: Redrawn) -> list[str]:
    """The same in words."""
    units = result.problem.loops.design.mechanism.units
    found = [
        (name, units.shown(moved, digits=5), units.shown(turned, "angle", digits=5), "")
        for name, moved, turned in moved_bodies(result, new)
    ]
    return ["", *table(("stands elsewhere", "com moved by", "turned by", ""), found).splitlines()] if found else []


def held_lines(result: Redesign) -> list[str]:
    """Metrics held: what they were and by how much they have changed."""
    holds, rows = result.problem.holds, []
    for hold, before, change in zip(holds.all, holds.targets, result.held, strict=True):
        f = hold.shown.factor
        rows.append((hold.name, f"{f * before + 0.0:.6g}", f"{f * change:+.1e}", hold.shown.unit))
    return table(("held", "value", "change", ""), rows).splitlines()
