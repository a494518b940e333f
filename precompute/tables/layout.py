"""What depends on what in a chart, and the columns of its tables that follow from it."""

from __future__ import annotations

from dataclasses import dataclass

from precompute.arrays import Array
from precompute.coordinates.decouple import Dependence, find_dependence
from precompute.coordinates.independent import Coordinates
from precompute.kinematics.assembly import Configuration
from precompute.tables.columns import Columns, plan_columns


@dataclass(frozen=True, eq=False)
class Layout:
    """What is tabulated over the coordinates of a chart."""

    dependence: Dependence
    columns: Columns
    samples: Array  # (n, nq) scattered configurations of the whole range


def find_layout(coordinates: Coordinates, design: Configuration) -> Layout:
    """Look for the dependence at scattered configurations."""
    dependence, samples = find_dependence(coordinates, design)
    return layout_of(coordinates, dependence, samples)


def layout_of(coordinates: Coordinates, dependence: Dependence, samples: Array) -> Layout:
    """The layout for a dependence that is known."""
    mechanism = coordinates.closure.mechanism
    columns = plan_columns(mechanism, coordinates.all_names, dependence, coordinates.watched)
    return Layout(dependence, columns, samples)
