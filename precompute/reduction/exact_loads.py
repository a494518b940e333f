"""Loads and accelerations from exact kinematics, without tables: inverse dynamics at configurations that are closed.

In: the independent coordinates and what depends on what; configurations with rates, accelerations and forces.
Out: the same numbers that the FMU has as outputs, without the error of tables and of Taylor polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fmu_src.model.rows import LoadPlaces, load_places
from fmu_src.numpy_runtime.loads import load_weights
from precompute.arrays import Array
from precompute.coordinates.decouple import Dependence
from precompute.coordinates.independent import Coordinates
from precompute.coordinates.load_dependence import loaded_frames
from precompute.kinematics.openings import Opening
from precompute.model.mechanism import Mechanism
from precompute.tables.field_data import Asked, evaluate_fields
from precompute.tables.fields import Fields, plan_fields, request_rows


@dataclass(frozen=True, eq=False)
class Acting:
    """A motion at n instants, and what acts."""

    rates: Array  # (n, nz) of free, then stiff coordinates
    accelerations: Array  # (n, nz)
    gravity: Array  # (n, 3), in axes of the ground
    forces: Array  # (n, elements) of springs, dampers, constant forces and bushings, as `Mechanism.acting` lists them
    wrenches: Array  # (n, markers where forces act, 2, 3) force and moment, as `loaded_frames` lists them
    twist: Array | None = None  # (n, 6) of a moving ground, with
    twist_rate: Array | None = None  # (n, 6) the derivatives of its components


@dataclass(frozen=True, eq=False)
class ExactLoads:
    """The loads of a mechanism, and the accelerations of its markers, made ready."""

    coordinates: Coordinates
    fields: Fields
    places: LoadPlaces

    @classmethod
    def of(cls, coordinates: Coordinates, dependence: Dependence) -> ExactLoads:
        """All that are asked for and defined."""
        mechanism, names = coordinates.closure.mechanism, coordinates.all_names
        fields = plan_fields(mechanism, names, dependence)
        sizes = len(names), len(mechanism.acting), len(loaded_frames(mechanism))
        return cls(coordinates, fields, load_places(*sizes, mechanism.chassis == "moving"))

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns of `at`, as the outputs of the FMU."""
        return request_names(self.coordinates.closure.mechanism, self.fields)

    def rows(self, q: Array) -> Array:
        """What loads and accelerations are sums of, (n, number, rows), at closed configurations q (n, nq)."""
        full, fields = self.coordinates.full, self.fields
        asked = frozenset(number for number, field in enumerate(fields.items) if field.request)
        value = evaluate_fields(full, fields, q, Asked(asked, frozenset(), ())).value
        sums = request_rows(fields, full.mechanism, self.places)
        return np.stack([np.stack([value[:, list(part)].sum(-1) for part in load], -1) for load in sums], axis=1)

    def at(self, q: Array, acting: Acting) -> Array:
        """Loads and accelerations (n, number) at closed configurations q (n, nq), deflected or not."""
        fields, rows = self.fields, self.rows(q)
        moving = acting.twist is not None and acting.twist_rate is not None
        ground = zip(acting.twist, acting.twist_rate, strict=True) if moving else [()] * len(q)  # type: ignore[arg-type]
        given = zip(acting.rates, acting.accelerations, acting.gravity, acting.forces, acting.wrenches, strict=True)
        weights = [load_weights(self.places, *own, *more) for own, more in zip(given, ground, strict=True)]
        signs = [load_sign(self.coordinates.closure.mechanism, load.opening) for load in fields.loads]
        signs += [1.0] * (rows.shape[1] - len(signs))
        return np.einsum("nkr,nr->nk", rows, np.array(weights)) * signs


def load_sign(mechanism: Mechanism, opening: Opening) -> float:
    """A rod in tension pulls against its opening."""
    return -1.0 if opening.carrier == "row" and opening.row(mechanism).pulls else 1.0


def request_names(mechanism: Mechanism, fields: Fields) -> tuple[str, ...]:
    """Names of all loads, then of the accelerations of markers."""
    markers = [mechanism.frames[own.frame].name for own in fields.accelerations]
    symbols = [f"{symbol}[{i + 1}]" for symbol in ("a", "wd") for i in range(3)]
    accelerations = (f"marker.{marker}.{symbol}" for marker in markers for symbol in symbols)
    return (*(load.opening.name for load in fields.loads), *accelerations)
