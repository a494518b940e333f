"""A model and an FMU: what was baked, and what is in it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from fmu_src.model.reduced_model import Certificate, ReducedModel
from precompute.report.fmu_info import platforms_of
from precompute.running.model_reader import read_model
from precompute.running.simulation import read_description
from precompute.tables.certificate import excess_of
from precompute.tables.table_size import table_size


def model_data(model: ReducedModel) -> dict[str, Any]:
    """Coordinates, tables and how exact they are, steps."""
    size = table_size(model)
    return {
        "name": model.name,
        "coordinates": [
            {key: getattr(axis, key) for key in ("name", "unit", "lower", "upper", "periodic", "outside")}
            for chart in model.charts
            for axis in chart.axes
        ],
        "stiff": [
            {key: getattr(s, key) for key in ("name", "unit", "about", "radius", "tolerance")} for s in model.stiff
        ],
        "step_size": model.step_size,
        "stop_time": model.stop_time,
        "table_bytes": size.stored,
        "table_bytes_coupled": size.coupled,
        "certificate": certificate_data(model.certificate),
    }


def certificate_data(c: Certificate) -> dict[str, Any]:
    """The largest errors of tables, without those of every column."""
    value = max(c.columns, key=lambda row: row.value_error)
    slope = max(c.columns, key=lambda row: row.slope_error)
    return {
        "tolerance": c.tolerance,
        "points": c.points,
        "columns": len(c.columns),
        "blocks": [{"axes": axes, "nodes": nodes} for axes, nodes in zip(c.axes, c.nodes, strict=True)],
        "worst_condition": c.worst_condition,
        "value_error": value.value_error,
        "value_error_of": value.column,
        "slope_error": slope.slope_error,
        "slope_error_of": slope.column,
        "share_of_tolerance": max(excess_of(row, c.tolerance) for row in c.columns),
    }


def fmu_data(path: Path, variables: bool) -> dict[str, Any]:
    """An FMU, with all its variables if they are wanted."""
    description, native = read_description(path), platforms_of(path)
    every = description.modelVariables
    counts = Counter(v.causality for v in every)
    kinds = ("name", "causality", "unit", "start", "description")
    return {
        **model_data(read_model(path)),
        "description": description.description,
        "tool": description.generationTool,
        "fmi": description.fmiVersion,
        "guid": description.guid,
        "bytes": path.stat().st_size,
        "native": native.native,
        "platforms": native.platforms,
        "kernels": native.kernels,
        "counts": {kind: counts[kind] for kind in ("parameter", "input", "output")},
        **({"variables": [{key: getattr(v, key) for key in kinds} for v in every]} if variables else {}),
    }
