"""Equations of motion of a reduced model: the exact mechanics of its interpolants, for a fixed ground.

    J zdd + c = Q                                                                                   (1)
    c_k = sum_ij (d_j J_ki - 1/2 d_k J_ij) zd_i zd_j                                                (2)
    Q   = (dS/dz)^T g + sum_laws (ds/dz)^T f + sum_ports ((dr/dz)^T F + A^T M) + Q_input            (3)
    T   = 1/2 zd^T J zd,   V = -g . S + sum_laws V_law                                              (4)

A `Runtime` is a model made ready, once.  The free functions below take it with the coordinates z (nz,), their rates
zd (nz,), the values of all model parameters (a list of floats is fastest) and the inputs (nz + 6 np,): the
generalized forces on the coordinates, then F (3) and M (3) of each port.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .bspline import Table, evaluate_table, prepare_table
from .errors import StepError
from .laws import element_force, force_only
from .reduced_model import Array, Chart, IntArray, ReducedModel


@dataclass(frozen=True, eq=False)
class Reading:
    """What one block contributes: its columns, and where they go among the numbers wanted."""

    table: Table
    axes: IntArray  # (nb,) the block's coordinates in z
    rows: IntArray  # (nc,) where each column is added


@dataclass(frozen=True, eq=False)
class Runtime:
    """A reduced model made ready: what the equations of motion need, apart from what the markers alone need."""

    model: ReducedModel
    nz: int
    equations: tuple[Reading, ...]  # of J (nz nz), S (3), s (ne), r (3 np), A (3 np nz), in this order
    markers: tuple[Reading, ...]  # of r (3), R (9), A (3 nz) per marker
    ends: tuple[int, int, int, int, int]  # where J, S, s, r, A end
    marker_size: int  # numbers of all markers


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


class Energies(NamedTuple):
    """Energies [J]; gravity is counted from a plane through the origin."""

    kinetic: float
    gravity: float
    spring: float

    @property
    def total(self) -> float:
        """Kinetic and potential energy."""
        return self.kinetic + self.gravity + self.spring


def prepare(model: ReducedModel) -> Runtime:
    """Make a model ready to run.

    Args:
        model: a valid model of one chart (see `model_checks.check_model`).
    """
    ports = [model.markers[port.marker] for port in model.ports]
    groups: list[list[tuple[int, ...]]] = [
        [columns for row in model.inertia for columns in row],
        list(model.moment),
        [(element.column,) for element in model.elements],
        [(column,) for marker in ports for column in marker.position],
        [(column,) for marker in ports for row in marker.angular for column in row],
    ]
    ends = np.cumsum([len(group) for group in groups]).tolist()
    of_markers: list[tuple[int, ...]] = [
        (column,)
        for marker in model.markers
        for column in (*marker.position, *marker.rotation, *(c for row in marker.angular for c in row))
    ]
    return Runtime(
        model=model,
        nz=len(model.coordinates),
        equations=readings(model.charts[0], [columns for group in groups for columns in group]),
        markers=readings(model.charts[0], of_markers),
        ends=(ends[0], ends[1], ends[2], ends[3], ends[4]),
        marker_size=len(of_markers),
    )


def readings(chart: Chart, wanted: list[tuple[int, ...]]) -> tuple[Reading, ...]:
    """Per block the columns that it contributes to the numbers wanted; each of these is a sum of columns."""
    found = []
    first = 0
    for block in chart.blocks:
        last = first + len(block.columns)
        here = [(row, c - first) for row, columns in enumerate(wanted) for c in columns if first <= c < last]
        if here:
            rows, columns = zip(*here, strict=True)
            table = prepare_table(chart, block, columns)
            found.append(Reading(table, np.array(block.axes, dtype=np.int64), np.array(rows, dtype=np.int64)))
        first = last
    return tuple(found)


def read(parts: tuple[Reading, ...], z: Array, size: int) -> tuple[Array, Array]:
    """The numbers wanted at z, (size,), and their slopes (nz, size)."""
    value, slopes = np.zeros(size), np.zeros((z.size, size))
    for part in parts:
        some, along = evaluate_table(part.table, z[part.axes])
        value[part.rows] += some
        slopes[part.axes[:, None], part.rows] += along
    return value, slopes


def mechanics(runtime: Runtime, z: Array) -> Mechanics:
    """Read the tables at z.

    Args:
        runtime: the model.
        z: (nz,).

    Raises:
        TableRangeError: z is not finite or has left the table.
    """
    return _mechanics(runtime, *read(runtime.equations, z, runtime.ends[4]))


def mechanics_and_markers(runtime: Runtime, z: Array) -> tuple[Mechanics, Array, Array]:
    """Read the tables at z, those of the markers too.

    Returns:
        The mechanics; values (nm (12 + 3 nz),) and slopes (nz, nm (12 + 3 nz)) of the marker columns r, R, A.
    """
    return mechanics(runtime, z), *read(runtime.markers, z, runtime.marker_size)


def _mechanics(runtime: Runtime, value: Array, slopes: Array) -> Mechanics:
    nz, (a, b, c, d, _) = runtime.nz, runtime.ends
    return Mechanics(
        J=value[:a].reshape(nz, nz),
        dJ=slopes[:, :a].reshape(nz, nz, nz),
        S=value[a:b],
        dS=slopes[:, a:b],
        s=value[b:c],
        ds=slopes[:, b:c],
        dr=slopes[:, c:d],
        A=value[d:].reshape(d - c, nz),
    )


def generalized_force(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array) -> Array:
    """Q of equation (3), (nz,) [N or N.m]."""
    nz, model = runtime.nz, runtime.model
    gx, gy, gz = model.gravity
    force: Array = inputs[:nz] + at.dS @ (parameters[gx], parameters[gy], parameters[gz])
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


def acceleration(runtime: Runtime, z: Array, zd: Array, parameters: Sequence[float], inputs: Array) -> Array:
    """Solve equation (1) for zdd, (nz,).  One reading of the tables.

    Raises:
        TableRangeError: z has left the table.
        StepError: J is not positive definite, or the acceleration is not finite.
    """
    at = mechanics(runtime, z)
    return acceleration_at(runtime, at, zd, parameters, inputs)


def acceleration_at(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float], inputs: Array) -> Array:
    """The same where the tables are already read."""
    right = generalized_force(runtime, at, zd, parameters, inputs) - quadratic_force(at, zd)
    names = [coordinate.name for coordinate in runtime.model.coordinates]
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


def energies(runtime: Runtime, z: Array, zd: Array, parameters: Sequence[float]) -> Energies:
    """Energies of equation (4)."""
    return energies_at(runtime, mechanics(runtime, z), zd, parameters)


def energies_at(runtime: Runtime, at: Mechanics, zd: Array, parameters: Sequence[float]) -> Energies:
    """The same where the tables are already read."""
    model = runtime.model
    gravity = [parameters[i] for i in model.gravity]
    spring = sum(
        element_force(element, parameters, s, 0.0)[1] for element, s in zip(model.elements, at.s.tolist(), strict=True)
    )
    return Energies(float(0.5 * zd @ at.J @ zd), float(-(at.S @ gravity)), float(spring))
