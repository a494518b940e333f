"""Elements with formulas on the page of an FMU: what each is connected to, and its formulas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...model.reduced_model import ReducedModel
from ...model.units import effort_of, rate_of
from .html import code, paragraph, table

Row = tuple[str, str, str, str, str]
"""Element, what, formula, unit, meaning; without markup."""

HEAD = ("Element", "Quantity", "Is", "Unit", "Meaning")


def element_rows(model: ReducedModel) -> Iterator[Row]:
    """Measures and formulas of all elements, as the mechanism has them."""
    units = {element.name: element.unit for element in model.elements}
    for name, entry in model.mechanism.get("elements", {}).items():
        rows = list(_rows(name, entry, units))
        yield from ((name if k == 0 else "", *row) for k, row in enumerate(rows))


def _rows(name: str, entry: Mapping[str, Any], units: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    for symbol, on in entry.get("on", {}).items():
        written = on if isinstance(on, str) else json.dumps(short(on))
        yield symbol, written, units.get(f"element.{name}.{symbol}", ""), "measure"
    for symbol, state in entry.get("states", {}).items():
        unit = state.get("unit", "")
        yield f"d({symbol})/dt", state["rate"], rate_of(unit) if unit else "", state.get("text", "") or "state"
    for symbol, unknown in entry.get("unknowns", {}).items():
        long = unknown if isinstance(unknown, dict) else {"residual": unknown}
        yield symbol, f"solves 0 = {long['residual']}", long.get("unit", ""), long.get("text", "") or "unknown"
    for symbol, load in entry.get("loads", {}).items():
        yield symbol, load, "N", "load"
    for symbol, formula in entry.get("forces", {}).items():
        unit = units.get(f"element.{name}.{symbol}", "")
        yield f"force.{symbol}", formula, effort_of(unit) if unit else "", f"force on {symbol}, positive if that grows"
    for symbol, output in entry.get("outputs", {}).items():
        long = output if isinstance(output, dict) else {"formula": output}
        yield symbol, long["formula"], long.get("unit", ""), long.get("text", "") or "output"
    for symbol, rows in entry.get("tables", {}).items():
        yield f"{symbol}(x)", f"piecewise linear through {json.dumps(short(rows))}", "", "table"


def short(value: Any) -> Any:
    """Numbers with six digits."""
    if isinstance(value, dict):
        return {key: short(item) for key, item in value.items()}
    if isinstance(value, list):
        return [short(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def elements_html(model: ReducedModel) -> str:
    """A row per measure and formula; nothing without elements."""
    rows = [(element, code(what), code(is_), unit, text) for element, what, is_, unit, text in element_rows(model)]
    if not rows:
        return ""
    text = "What the mechanism describes by formulas, in SI units; parameters and inputs that they read are among the "
    return paragraph(f"{text}variables, as element.NAME. ...") + table(HEAD, rows)
