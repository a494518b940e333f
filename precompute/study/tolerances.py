"""What a study varies and looks at, as a file says it.

axle = "front"                                   where there are several; optional, as the next
rigid = true                                     bushings locked

[tolerances]
"point.outer" = { normal = "0.2mm" }             standard deviation; of all three coordinates
"point.p*.z" = { uniform = "0.5mm" }             to both sides
"wheel.left.toe" = { normal = "0.05deg" }        a number without a unit is in that of the mechanism's file
"bushing.*.stiffness.x" = { normal = "5%" }      of its value, of what is neither length nor angle

[[curves]]
over = "travel"                                  an input or a case of `kinetab kc`
between = [-60, 60]                              mm, deg, N, N m, or with units; optional
points = 41                                      optional
metrics = ["wheel.left.toe", "axle.front.roll_centre_height", "camber.left"]
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from precompute.design.moved import Design
from precompute.design.variables import Variable
from precompute.errors import MechanismError, PrecomputeError
from precompute.hints import nearest
from precompute.model.mechanism import Mechanism
from precompute.quantities import scale_to, si_unit, split
from precompute.rig.quantities import INPUTS, Range, ranges_from
from precompute.rig.stand import chosen_axle
from precompute.sensitivity.naming import axle_named, case_named
from precompute.sensitivity.variables import kind_of, matching
from precompute.units import Units

Shape = Literal["normal", "uniform"]

POINTS = 41

EXAMPLE = '"point.outer" = { normal = "0.2mm" }'


@dataclass(frozen=True)
class Spread:
    """How a variable varies about its present value."""

    name: str
    shape: Shape
    size: float  # standard deviation, or half width [SI]


@dataclass(frozen=True)
class Asked:
    """Metrics over a case."""

    metrics: tuple[str, ...]
    over: str
    between: Range | None  # [SI]
    points: int
    axle: str | None


@dataclass(frozen=True)
class Tolerances:
    """All that a file says."""

    spreads: tuple[Spread, ...]
    curves: tuple[Asked, ...]
    elastic: bool


def read_tolerances(path: Path, mechanism: Mechanism) -> Tolerances:
    """A file for a mechanism.

    Raises:
        PrecomputeError: it cannot be read, or with every problem in it.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise PrecomputeError(f"'{path}' cannot be read: {(error.strerror or str(error)).lower()}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PrecomputeError(f"'{path}' is no TOML: {error}") from None
    return tolerances(document, mechanism, str(path))


def tolerances(document: Mapping[str, Any], mechanism: Mechanism, source: str = "the tolerances") -> Tolerances:
    """The same of a document.

    Raises:
        MechanismError: with every problem in it.
    """
    known = ("axle", "rigid", "tolerances", "curves")
    problems = [f"there is no key '{key}'; {nearest(key, known)}" for key in document if key not in known]
    spreads, curves = list[Spread](), list[Asked]()
    for word, entry in _table(document, "tolerances", problems).items():
        _collect(problems, f"tolerances.'{word}'", lambda w=word, e=entry: spreads.extend(_spreads(w, e, mechanism)))
    axle, rigid = document.get("axle"), document.get("rigid", False)
    if not isinstance(rigid, bool):
        problems.append("rigid: is true or false")
    given = document.get("curves", [])
    for number, entry in enumerate(given if isinstance(given, list) else [given], start=1):
        _collect(problems, f"curves {number}", lambda e=entry: curves.append(_asked(e, axle, mechanism)))
    names = [spread.name for spread in spreads]
    problems += [f"tolerances: '{name}' varies twice" for name in dict.fromkeys(names) if names.count(name) > 1]
    if not names and not problems:
        problems.append(f"[tolerances] says what varies; write {EXAMPLE}")
    if not curves and not problems:
        problems.append('[[curves]] says what to look at; write metrics = ["wheel.NAME.toe"] and over = "travel"')
    if problems:
        raise MechanismError(problems, source)
    return Tolerances(tuple(spreads), tuple(curves), not rigid)


def _table(document: Mapping[str, Any], key: str, problems: list[str]) -> Mapping[str, Any]:
    given = document.get(key, {})
    if not isinstance(given, dict):
        problems.append(f"{key} is a table; write [{key}] and below it {EXAMPLE}")
        return {}
    return given


def _collect(problems: list[str], where: str, read: Any) -> None:
    """Reads an entry; what is wrong with it is noted."""
    try:
        read()
    except MechanismError as error:
        problems.extend(f"{where}: {problem}" for problem in error.problems)
    except PrecomputeError as error:
        problems.append(f"{where}: {error}")


def _spreads(word: str, entry: Any, mechanism: Mechanism) -> Iterator[Spread]:
    """Of all variables that a name, a beginning or a pattern fits."""
    shapes = get_args(Shape)
    if not isinstance(entry, dict) or len(entry) != 1 or next(iter(entry)) not in shapes:
        raise PrecomputeError('write it as { normal = "0.2mm" }, its standard deviation, or { uniform = "0.5mm" }')
    ((shape, amount),) = entry.items()
    design = Design.of(mechanism)
    for variable in matching(design, [word]):
        yield Spread(variable.name, shape, _size(amount, variable, design.units))


def _percents_of(variable: Variable, units: Units) -> float:
    """What a percent is of.

    Raises:
        PrecomputeError: lengths and angles count from an arbitrary zero, and a percent of zero is none.
    """
    if kind_of(variable, units) != "other" or not variable.value:
        raise PrecomputeError(
            f"'{variable.name}' is {variable.shown}; say how far it varies in {variable.unit}, not in %"
        )
    return abs(variable.value)


def _size(amount: Any, variable: Variable, units: Units) -> float:
    """How far a variable varies [SI]."""
    if isinstance(amount, bool) or not isinstance(amount, int | float | str):
        raise PrecomputeError(f'{amount!r} is no number; write 0.2 or "0.2mm"')
    number, unit = split(amount) if isinstance(amount, str) else (float(amount), "")
    if unit == "%":
        size = 0.01 * number * _percents_of(variable, units)
    else:
        size = scale_to(unit, si_unit(variable.unit))(number) if unit else float(variable.scale(number))
    if not (math.isfinite(size) and size > 0.0):
        raise PrecomputeError(f"is {amount}; how far '{variable.name}' varies is a positive number")
    return size


def _asked(entry: Any, axle: Any, mechanism: Mechanism) -> Asked:
    known = ("over", "between", "points", "metrics")
    if not isinstance(entry, dict):
        raise PrecomputeError("is a table; write [[curves]]")
    if unknown := [key for key in entry if key not in known]:
        raise PrecomputeError(f"there is no key '{unknown[0]}'; {nearest(unknown[0], known)}")
    metrics, points, over = entry.get("metrics", ()), entry.get("points", POINTS), entry.get("over", "travel")
    metrics = (metrics,) if isinstance(metrics, str) else metrics
    if not metrics or not all(isinstance(name, str) for name in metrics):
        raise PrecomputeError('metrics are names; write metrics = ["wheel.NAME.toe"]')
    if isinstance(points, bool) or not isinstance(points, int) or points < 2:
        raise PrecomputeError(f"points is {points!r}; give a whole number, two or more")
    if not isinstance(over, str):
        raise PrecomputeError(f'over is {over!r}; write over = "travel"')
    axles = dict.fromkeys(filter(None, (axle_named(name, mechanism) for name in metrics)))
    if len(axles) > 1:
        raise PrecomputeError(f"metrics of axles {' and '.join(axles)}; give each axle [[curves]] of its own")
    own = next(iter(axles), axle)
    between = entry.get("between")
    return Asked(
        tuple(metrics), over, None if between is None else _between(between, over, own, mechanism), points, own
    )


def _between(given: Any, over: str, axle: str | None, mechanism: Mechanism) -> Range:
    """A range [SI] of one in mm, deg, N, N m or with units."""
    case = case_named(over)
    unit = case.unit
    if case.steer:
        steering = chosen_axle(mechanism, axle).steering
        unit = "rad" if steering is not None and steering.is_angle(mechanism) else "m"
    ends = given if isinstance(given, list) else [given]
    numbers = [_input(end, unit) for end in ends]
    if len(numbers) not in (1, 2):
        raise PrecomputeError(f"between has {len(numbers)} numbers; give two, from and to")
    if len(numbers) == 2 and numbers[0] >= numbers[1]:
        raise PrecomputeError(f"between goes from {ends[0]} to {ends[1]}; the first must be less")
    return ranges_from({over: numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])})[over]


def _input(given: Any, unit: str) -> float:
    if isinstance(given, str):
        number, own = split(given)
        if own:
            return scale_to(own, unit)(number)
        given = number
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise PrecomputeError(f'between is {given!r}; write [-60, 60] or ["-2in", "2in"]')
    return float(given) / INPUTS[unit].factor  # type: ignore[index]
