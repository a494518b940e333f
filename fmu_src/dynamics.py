"""Equations of motion of a reduced model: the exact mechanics of its interpolants, for a fixed ground.

    J zdd + c = Q                                                                                   (1)
    c_k = sum_ij (d_j J_ki - 1/2 d_k J_ij) zd_i zd_j                                                (2)
    Q   = (dS/dz)^T g + sum_laws (ds/dz)^T f + sum_ports ((dr/dz)^T F + A^T M) + G^T Q_input        (3)
    T   = 1/2 zd^T J zd,   V = -g . S + sum_laws V_law                                              (4)

A `Runtime` is one chart of a model made ready, once.  The free functions below take it with the coordinates z (nz,) of
the chart, their rates zd (nz,), the values of all model parameters (a list of floats is fastest) and the inputs
(nz + 6 np,): the generalized forces on the model's coordinates, then F (3) and M (3) of each port.  `lap` counts how
often the motion has gone all round through several charts; it is 0 where there is one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bspline import Table, evaluate_table, prepare_table
from .errors import StepError
from .laws import element_force, force_only
from .reduced_model import Array, Chart, IntArray, ReducedModel
from .rows import Rows, chart_rows


@dataclass(frozen=True, eq=False)
class Reading:
    """What one block contributes: its columns, and the rows that they are added to."""

    table: Table
    axes: IntArray  # (nb,) the block's coordinates in z
    rows: IntArray  # (nc,)


@dataclass(frozen=True, eq=False)
class Runtime:
    """A chart of a reduced model made ready."""

    model: ReducedModel
    chart: Chart
    nz: int
    rows: Rows
    equations: tuple[Reading, ...]  # of the rows that the equations of motion need
    everything: tuple[Reading, ...]  # of all rows
    ports: IntArray  # (np, 12 + 3 nz) rows of their markers
    lap: Array  # (ne,) how much the measures grow each time the motion goes all round


class Mechanics(NamedTuple):
    """Everything that the equations of motion take from the tables at one z."""

    J: Array  # (nz, nz) inertia
    dJ: Array  # (nz, nz, nz), dJ[k] = dJ/dz_k
    S: Array  # (3,) first moment of all masses [kg m]
    dS: Array  # (nz, 3)
    s: Array  # (ne,) measures of the elements
    ds: Array  # (nz, ne)
    dr: Array  # (nz, 3 np) of the positions of the ports
    A: Array  # (3 np, nz) angular Jacobians of the ports
    G: Array | None  # (nz, nz) slopes of the model's coordinates; None where they are the chart's own


class Energies(NamedTuple):
    """Energies [J]; gravity is counted from a plane through the origin."""

    kinetic: float
    gravity: float
    spring: float

    @property
    def total(self) -> float:
        """Kinetic and potential energy."""
        return self.kinetic + self.gravity + self.spring


def prepare(model: ReducedModel) -> tuple[Runtime, ...]:
    """Make the charts of a model ready to run.

    Args:
        model: a valid model (see `model_checks.check_model`).
    """
    return tuple(_prepare_chart(model, chart) for chart in model.charts)


def _prepare_chart(model: ReducedModel, chart: Chart) -> Runtime:
    rows = chart_rows(model, chart)
    size = rows.marker_size
    ports = np.array([np.arange(size) + rows.marker(port.marker) for port in model.ports], dtype=np.int64)
    ports = ports.reshape(-1, size)
    needed = np.zeros(rows.count, dtype=bool)
    for part in (rows.inertia, rows.moment, rows.measures, rows.slopes, ports[:, :3], ports[:, 12:]):
        needed[part] = True
    return Runtime(
        model=model,
        chart=chart,
        nz=len(chart.axes),
        rows=rows,
        equations=readings(chart, needed[chart.terms[:, 0]]),
        everything=readings(chart, np.ones(len(chart.terms), dtype=bool)),
        ports=ports,
        lap=np.array([element.lap for element in model.elements]),
    )


def readings(chart: Chart, wanted: NDArray[np.bool_]) -> tuple[Reading, ...]:
    """Per block the columns that it contributes to the terms wanted (nt,)."""
    found = []
    first = 0
    for block in chart.blocks:
        last = first + len(block.columns)
        column = chart.terms[:, 1]
        here = chart.terms[wanted & (first <= column) & (column < last)]
        if len(here):
            table = prepare_table(chart, block, (here[:, 1] - first).tolist())
            found.append(Reading(table, np.array(block.axes, dtype=np.int64), here[:, 0]))
        first = last
    return tuple(found)


def read(parts: tuple[Reading, ...], z: Array, size: int) -> tuple[Array, Array]:
    """The rows at z, (size,), and their slopes (nz, size); zero where no part contributes."""
    value, slopes = np.zeros(size), np.zeros((z.size, size))
    for part in parts:
        some, along = evaluate_table(part.table, z[part.axes])
        value[part.rows] += some
        slopes[part.axes[:, None], part.rows] += along
    return value, slopes


def mechanics(runtime: Runtime, z: Array, lap: float = 0.0) -> Mechanics:
    """Read the tables at z.

    Args:
        runtime: the chart.
        z: (nz,).
        lap: how often the motion has gone all round.

    Raises:
        TableRangeError: z is not finite or has left the table.
    """
    return mechanics_of(runtime, *read(runtime.equations, z, runtime.rows.count), lap)


def mechanics_of(runtime: Runtime, value: Array, slopes: Array, lap: float = 0.0) -> Mechanics:
    """The same from rows (nr,) and their slopes (nz, nr)."""
    nz, rows = runtime.nz, runtime.rows
    J = rows.symmetric
    r, A = runtime.ports[:, :3].ravel(), runtime.ports[:, 12:].reshape(-1, nz)
    s = value[rows.measures]
    return Mechanics(
        J=value[J],
        dJ=slopes[:, J],
        S=value[rows.moment],
        dS=slopes[:, rows.moment],
        s=s + lap * runtime.lap if lap else s,
        ds=slopes[:, rows.measures],
        dr=slopes[:, r],
        A=value[A],
        G=value[rows.slopes].reshape(nz, nz) if len(runtime.model.charts) > 1 else None,
    )


def generalized_force(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array) -> Array:
    """Q of equation (3), (nz,) [N or N.m]."""
    nz, model = runtime.nz, runtime.model
    gx, gy, gz = model.gravity
    given: Array = inputs[:nz] if at.G is None else inputs[:nz] @ at.G
    force: Array = given + at.dS @ (parameters[gx], parameters[gy], parameters[gz])
    if model.elements:
        s, sdot = at.s.tolist(), (zd @ at.ds).tolist()
        force = force + at.ds @ [
            force_only(element, parameters, s[i], sdot[i]) for i, element in enumerate(model.elements)
        ]
    if model.ports:
        wrench = inputs[nz:].reshape(-1, 2, 3)
        force = force + at.dr @ wrench[:, 0].ravel() + wrench[:, 1].ravel() @ at.A
    return force


def quadratic_force(at: Mechanics, zd: Array) -> Array:
    """Terms c of equation (2), (nz,), quadratic in the rates."""
    along = at.dJ @ zd  # (nz, nz), [k, i] = sum_j d_k J_ij zd_j
    return zd @ along - 0.5 * (along @ zd)


def acceleration(
    runtime: Runtime, z: Array, zd: Array, parameters: Sequence[float], inputs: Array, lap: float = 0.0
) -> Array:
    """Solve equation (1) for zdd, (nz,).  One reading of the tables.

    Raises:
        TableRangeError: z has left the table.
        StepError: J is not positive definite, or the acceleration is not finite.
    """
    at = mechanics(runtime, z, lap)
    return acceleration_at(runtime, at, zd, parameters, inputs)


def acceleration_at(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array) -> Array:
    """The same where the tables are already read."""
    right = generalized_force(runtime, at, zd, parameters, inputs) - quadratic_force(at, zd)
    names = [axis.name for axis in runtime.chart.axes]
    zdd = solve_inertia(at.J.tolist(), right.tolist(), names)
    if not math.isfinite(sum(zdd)):
        for name, value in zip(names, zdd, strict=True):
            if not math.isfinite(value):
                raise StepError(
                    f"the motion diverged: the acceleration of '{name}' is {value}; "
                    "reduce 'solver.step' or check the forces and rates"
                )
    return np.array(zdd)


def solve_inertia(J: list[list[float]], right: list[float], names: Sequence[str]) -> list[float]:
    """Solve J x = right by Cholesky; plain Python, since J is at most 3 x 3.

    Raises:
        StepError: J is not positive definite, naming the coordinate where that shows.
    """
    n = len(right)
    L = [[0.0] * n for _ in range(n)]
    x = list(right)
    for i in range(n):
        for j in range(i):
            L[i][j] = (J[i][j] - sum(L[i][k] * L[j][k] for k in range(j))) / L[j][j]
        pivot = J[i][i] - sum(L[i][k] * L[i][k] for k in range(i))
        if not 0.0 < pivot < math.inf:
            raise StepError(
                f"the inertia of '{names[i]}' is {pivot:.6g} with {', '.join(names)} as coordinates: it must be "
                "positive; a coordinate is too far outside its table, or the bodies that it moves have no mass"
            )
        L[i][i] = math.sqrt(pivot)
        x[i] = (x[i] - sum(L[i][k] * x[k] for k in range(i))) / L[i][i]
    for i in reversed(range(n)):
        x[i] = (x[i] - sum(L[k][i] * x[k] for k in range(i + 1, n))) / L[i][i]
    return x


def energies(runtime: Runtime, z: Array, zd: Array, parameters: Sequence[float], lap: float = 0.0) -> Energies:
    """Energies of equation (4)."""
    return energies_at(runtime, mechanics(runtime, z, lap), zd, parameters)


def energies_at(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float]) -> Energies:
    """The same where the tables are already read."""
    model = runtime.model
    gravity = [parameters[i] for i in model.gravity]
    spring = sum(
        element_force(element, parameters, s, 0.0)[1] for element, s in zip(model.elements, at.s.tolist(), strict=True)
    )
    return Energies(float(0.5 * zd @ at.J @ zd), float(-(at.S @ gravity)), float(spring))
