"""The motion along which loads are sought: coordinates with their rates, and what acts on ports, wheels and chassis.

Columns have the names that other files of kinetab have: coordinates as those of `kinetab solve`, NAME, NAME.rate and
NAME.acceleration, or as an FMU's inputs, drive.NAME.q, .qd and .qdd; all else as the inputs of an FMU.  What is left
out is as it is at the start of an FMU: ports have the loads of the file, inputs of elements their start values, all
others none.  All is in SI.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from fmu_src.interface.input_variables import CHASSIS
from fmu_src.interface.wheel_variables import wheel_inputs
from precompute.arrays import Array, frozen_array
from precompute.errors import PrecomputeError
from precompute.loading.smooth import Doubt, doubt
from precompute.measures.measure import Measure
from precompute.model.contact_problems import refuse_contact
from precompute.model.mechanism import Coordinate, Mechanism, nearest
from precompute.natural.names import known_coordinates
from precompute.reduction.reduced import wheel_info
from precompute.running.input_table import Table, read_columns, told
from precompute.running.signals import rate_name
from precompute.solving.prescribed import DERIVATIVES, Prescribed, derived, prescribed
from precompute.solving.prescribed import time_problems as standing_times

ACCELERATION = 2
"""The derivative that inverse dynamics needs."""

ROUNDING = 1e-9
"""Of a range: a value may be so far beyond its end."""


@dataclass(frozen=True)
class Input:
    """What acts besides: its value where there is no column, and its unit."""

    start: float
    unit: str


@dataclass(frozen=True, eq=False)
class Known:
    """What columns may be called."""

    coordinates: Mapping[str, Measure]
    places: Mapping[str, tuple[str, int]]  # column -> coordinate, and which derivative of it
    inputs: Mapping[str, Input]

    @property
    def columns(self) -> list[str]:
        """All of them."""
        return [*self.places, *self.inputs]


@dataclass(frozen=True, eq=False)
class LoadMotion:
    """A motion at n times, with everything that acts."""

    coordinates: Prescribed
    inputs: Mapping[str, Array]  # each (n,), all that there are
    units: Mapping[str, str]  # of them
    given: tuple[str, ...]  # those of them that have a column
    source: str  # what it is called in messages
    warnings: tuple[str, ...] = ()

    @property
    def time(self) -> Array:
        """(n,) ascending [s]."""
        return self.coordinates.time

    def __getitem__(self, which: slice) -> LoadMotion:
        """Some of the samples."""
        inputs = {name: values[which] for name, values in self.inputs.items()}
        return replace(self, coordinates=self.coordinates[which], inputs=inputs)

    def vectors(self, *names: str) -> Array:
        """(n, 3 per name): `port.contact.F` for its three components."""
        return np.stack([self.inputs[f"{name}[{i}]"] for name in names for i in (1, 2, 3)], axis=-1)


def known_columns(mechanism: Mechanism) -> Known:
    """What the columns of a motion of a mechanism may be called."""
    refuse_contact(mechanism, "finding loads along a given motion")
    stiff = mechanism.stiff_coordinates
    coordinates = {name: of for name, of in known_coordinates(mechanism).items() if of not in stiff}
    places = {f"{name}{d}": (name, k) for name in coordinates for k, d in enumerate(DERIVATIVES)}
    for c in mechanism.coordinates or ():
        places |= {f"drive.{c.name}.q{'d' * k}": (c.name, k) for k in range(ACCELERATION + 1)}
    inputs = {
        f"port.{port.name}.{symbol}[{i + 1}]": Input(float(start[i]), unit)
        for port in mechanism.ports
        for symbol, unit, start in (("F", "N", port.force), ("M", "N.m", port.moment))
        for i in range(3)
    }
    for wheel in mechanism.wheels:
        inputs |= {own.name: Input(own.start, own.unit) for own in wheel_inputs(wheel_info(mechanism, wheel))}
    if mechanism.chassis == "moving":
        inputs |= {f"gravity[{i + 1}]": Input(float(mechanism.gravity[i]), "m/s2") for i in range(3)}
        inputs |= {f"chassis.{symbol}[{i}]": Input(0.0, unit) for symbol, unit, _ in CHASSIS for i in (1, 2, 3)}
    for device in mechanism.devices:
        inputs |= {f"element.{device.name}.{i.name}": Input(i.value, i.unit or "1") for i in device.inputs}
    return Known(coordinates, places, inputs)


def read_motion(path: Path, mechanism: Mechanism, file: str) -> LoadMotion:
    """The motion in a CSV file, which is read as `kinetab run --input` reads its own.

    Args:
        path: of the CSV file.
        mechanism: whose motion it is.
        file: what the mechanism is called in messages.

    Raises:
        PrecomputeError: names line and column of each problem; or coordinates, times and values.
    """
    known = known_columns(mechanism)

    def problems_of(table: Table) -> Iterator[str]:
        for i, text in name_problems(table.names[1:], mechanism, known, file):
            yield text if i is None else f"line 1, column {i + 2}: {text}"
        yield from standing_times(table)

    data = read_columns(path, problems_of)
    columns = {name: data[name] for name in data.dtype.names or ()}
    return made(columns, mechanism, known, f"'{path}'", lambda problems: told(path, problems))


def given_motion(columns: Mapping[str, ArrayLike], mechanism: Mechanism) -> LoadMotion:
    """The same of arrays by name, "time" among them.

    Raises:
        PrecomputeError: with every problem.
    """
    known, source = known_columns(mechanism), "the motion"
    if "time" not in columns:
        raise PrecomputeError('the motion has no "time"; give it as {"time": t, "rack": x, ...}')
    names = [name for name in columns if name != "time"]
    if problems := [text for _, text in name_problems(names, mechanism, known, f"'{mechanism.name}'")]:
        raise PrecomputeError(listed(source, problems))
    arrays, t = {}, np.atleast_1d(np.asarray(columns["time"], dtype=np.float64))
    for name, values in columns.items():
        try:
            arrays[name] = frozen_array(values, t.shape, name)
        except ValueError as error:
            raise PrecomputeError(f"the motion: {error}") from None
        if not np.isfinite(arrays[name]).all():
            raise PrecomputeError(f"the motion: '{name}' is not finite everywhere")
    return made(arrays, mechanism, known, source, lambda problems: listed(source, problems))


def listed(source: str, problems: Sequence[str]) -> str:
    """One problem in a line, several in one each."""
    if len(problems) == 1:
        return f"{source}: {problems[0]}"
    return "\n  ".join([f"{source} has {len(problems)} problems:", *problems])


def name_problems(
    names: Sequence[str], mechanism: Mechanism, known: Known, file: str
) -> Iterator[tuple[int | None, str]]:
    """Names that are not known, stand for the same or miss others, with their places; coordinates that are missing."""
    places: dict[tuple[str, int], str] = {}
    for i, name in enumerate(names):
        if name in names[:i] or name in known.inputs:
            continue
        if name not in known.places:
            yield i, f"'{name}' is no coordinate or input of {file}; {hint(name, mechanism, known)}"
        elif known.places[name] in places:
            yield i, f"'{name}' and '{places[known.places[name]]}' are the same; leave one out"
        else:
            places[known.places[name]] = name
    given = {owner for owner, order in places if not order}
    for (owner, _), name in places.items():
        if owner not in given:
            yield names.index(name), f"'{name}' needs a column '{owner}' with the values themselves"
    yield from ((None, text) for text in missing(mechanism, known, given, file))


def hint(name: str, mechanism: Mechanism, known: Known) -> str:
    """The nearest of all names; where none is near, the coordinates of the file and the inputs."""
    near = nearest(name, known.columns)
    return (
        near
        if near.startswith("did")
        else nearest(name, [*(c.name for c in mechanism.coordinates or ()), *known.inputs])
    )


def missing(mechanism: Mechanism, known: Known, given: Collection[str], file: str) -> Iterator[str]:
    """Coordinates of the file without a column, unless others stand for them."""
    own = mechanism.coordinates or ()
    measures = [known.coordinates[name] for name in given]
    if all(any(of.same(c.of) for c in own) for of in measures):
        for c in own:
            if not any(of.same(c.of) for of in measures):
                yield f"there is no column '{c.name}'; it is a coordinate of {file}, and its motion must be given too"


def made(
    columns: Mapping[str, Array], mechanism: Mechanism, known: Known, source: str, say: Callable[[Sequence[str]], str]
) -> LoadMotion:
    """The motion of columns whose names are right.

    Raises:
        PrecomputeError: values leave ranges, or tell no acceleration.
    """
    entries: dict[str, list[Array | None]] = {}
    for column, values in columns.items():
        if column in known.places:
            owner, order = known.places[column]
            entries.setdefault(owner, [None] * len(DERIVATIVES))[order] = values
    coordinates = prescribed(columns["time"], entries)
    given = tuple(name for name in columns if name in known.inputs)
    inputs = {name: np.full(len(coordinates.time), own.start) for name, own in known.inputs.items()}
    inputs |= {name: columns[name] for name in given}
    rates = {name: rate_name(name) for name in given}
    rates = {name: rate for name, rate in rates.items() if rate in known.inputs and rate not in given}
    inputs |= {rate: derived(coordinates.time, inputs[name], 1) for name, rate in rates.items()}
    doubts = [*coordinate_doubts(mechanism, known, coordinates.time, entries)]
    doubts += [*input_doubts(known, coordinates.time, inputs, rates)]
    problems = [*range_problems(mechanism, known, coordinates), *(text for found, text in doubts if found.refused)]
    if problems:
        raise PrecomputeError(say(problems))
    warnings = tuple(f"{source}: {text}" for _, text in doubts)
    return LoadMotion(coordinates, inputs, {n: own.unit for n, own in known.inputs.items()}, given, source, warnings)


def coordinate_doubts(
    mechanism: Mechanism, known: Known, t: Array, entries: Mapping[str, Sequence[Array | None]]
) -> Iterator[tuple[Doubt, str]]:
    """What is doubtful in accelerations that come from splines, in words and in the units of the file."""
    for name, (values, rates, accelerations, _) in entries.items():
        assert values is not None
        if accelerations is not None:
            continue
        found = doubt(t, values, 2) if rates is None else doubt(t, rates, 1)
        if found is not None:
            unit = mechanism.units.told(known.coordinates[name].unit(mechanism))
            numbers = [f"{unit.factor * value:.4g}" for value in (found.all_rows, found.every_second)]
            columns = [f"'{name}{d}'" for d in DERIVATIVES[1 if rates is None else 2 : 3]]
            whose = name if rates is None else f"{name}.rate"
            yield found, doubt_words(whose, found, numbers, f"{unit.name}/s2", " and ".join(columns))


def input_doubts(
    known: Known, t: Array, inputs: Mapping[str, Array], rates: Mapping[str, str]
) -> Iterator[tuple[Doubt, str]]:
    """The same of the motion of the chassis, in SI."""
    for name, rate in rates.items():
        found = doubt(t, inputs[name], 1)
        if found is not None:
            numbers = [f"{value:.4g}" for value in (found.all_rows, found.every_second)]
            yield found, doubt_words(name, found, numbers, known.inputs[rate].unit, f"'{rate}'")


def doubt_words(name: str, found: Doubt, numbers: Sequence[str], unit: str, columns: str) -> str:
    """That samples do not tell an acceleration, or not well, and what to do."""
    what = "is not smooth enough to have accelerations" if found.refused else "tells its accelerations only roughly"
    return (
        f"'{name}' {what}: at {found.time:.6g} s all rows give {numbers[0]} {unit}, every second row {numbers[1]}. Are "
        f"there steps, kinks, noise, rounded numbers, or too few rows? Give {columns} too, finer samples, or a "
        "filtered motion"
    )


def range_problems(mechanism: Mechanism, known: Known, coordinates: Prescribed) -> Iterator[str]:
    """Where given coordinates that are those of the file leave their ranges."""
    for c in mechanism.coordinates or ():
        for name, values in coordinates.derivative(0).items():
            if known.coordinates[name].same(c.of):
                yield from leaving(mechanism, c, coordinates.time, values)


def leaving(mechanism: Mechanism, c: Coordinate, t: Array, values: Array) -> Iterator[str]:
    """Where a coordinate leaves its range, and how far it goes."""
    if c.lower is None or c.upper is None or c.periodic or c.outside == "linear":
        return
    beyond = np.maximum(values - c.upper, c.lower - values)
    outside = np.flatnonzero(beyond > ROUNDING * (c.upper - c.lower))
    if not outside.size:
        return
    first, most = outside[0], int(np.argmax(beyond))
    here, far, lower, upper = (c.of.shown(mechanism, float(x)) for x in (values[first], values[most], c.lower, c.upper))
    more = "" if first == most else f" and goes to {far} at {t[most]:.6g} s"
    yield (
        f"'{c.name}' leaves its range, {lower} to {upper}, with {here} at {t[first]:.6g} s{more}; keep the motion "
        f"inside, or widen `from` and `to` of [coordinates.free.{c.name}]"
    )
